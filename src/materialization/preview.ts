import type { Principal } from '../access/principal.ts';
import { originOf } from '../endpoints/origin.ts';
import { readEndpoint } from '../endpoints/read-endpoint.ts';
import { requireNotRefused, type Selected } from '../endpoints/resolve-version.ts';
import { parsedQueryOf } from '../endpoints/version-query.ts';
import { withOrigin } from '../engine/execution-origin.ts';
import { RowFault } from '../engine/row-fault.ts';
import { withTimeLimit } from '../lib/time-limit.ts';
import {
  type MaterializationPlan,
  type PlanResult,
  tablesOf,
} from '../model/materialization-plan.ts';
import { rowLimitOf, tooManyRows } from '../model/row-limit.ts';
import type { ParsedQuery } from '../query/query-definition.ts';
import type { MaterializationDeps } from './deps.ts';
import { estimateSize, exceedsRows, type SizeEstimate } from './estimate-size.ts';
import type { ExpectedGain } from './gain-advice.ts';
import { measureGain } from './measure-gain.ts';
import { liveSource } from './proof/proof-source.ts';
import { withStorage } from './storage/choose-storage.ts';
import { sourceFault } from './sync/source-fault.ts';
import { findTiedRows, type TiedRows } from './ties/find-ties.ts';

export interface Preview extends Selected {
  readonly planned: PlanResult;
  /** Null if it cannot be materialized or the size could not be estimated in time. */
  readonly expected: SizeEstimate | null;
  /** Null if ORDER BY determines which rows the query returns. */
  readonly tiedRows: TiedRows | null;
  /** Null if it cannot be materialized or could not be measured in time. */
  readonly gain: ExpectedGain | null;
  /** Row limit of the stored table. */
  readonly maxRows: number;
  /** Why it cannot be materialized; null if it can. */
  readonly reason: string | null;
}

/** Previews enabling materialization for a version. Changes nothing. */
export async function previewMaterialization(
  deps: MaterializationDeps,
  principal: Principal,
  call: Parameters<typeof readEndpoint>[2] & { readonly signal?: AbortSignal | undefined },
): Promise<Preview> {
  const selected = await readEndpoint(deps, principal, call);
  requireNotRefused(selected.version);
  return withOrigin(originOf(selected), () => preview(deps, selected, call.signal));
}

async function preview(
  deps: MaterializationDeps,
  selected: Selected,
  signal: AbortSignal | undefined,
): Promise<Preview> {
  const { projectId } = selected.endpoint;
  const query = parsedQueryOf(selected.version);
  const given = await deps.eligibility.plan(projectId, query);
  const tiedRows = await findTiedRows(deps, projectId, query);
  const maxRows = rowLimitOf(selected.version.materialization.maxRows, deps.config);
  const request = { projectId, query, maxRows, signal };
  const { planned, expected, fault } = await sized(deps, given, request);
  const found = { ...selected, planned, tiedRows, maxRows };
  if (planned.kind === 'refusal') {
    return { ...found, expected: null, gain: null, reason: planned.reason };
  }
  const known = fault ?? (await faultInTime(deps, planned.plan, request));
  if (known !== null) return { ...found, expected: null, gain: null, reason: known };
  const isTooLarge = expected?.isExact === true && expected.rows > maxRows;
  const reason = isTooLarge
    ? tooManyRows({ rows: expected.rows, limit: maxRows }, deps.config)
    : null;
  const gain =
    expected?.isExact === true && !isTooLarge
      ? await measureGain(deps, {
          projectId,
          query,
          plan: planned.plan,
          rows: expected.rows,
          signal,
        })
      : null;
  return { ...found, expected, gain, reason };
}

interface PreviewRequest {
  readonly projectId: number;
  readonly query: ParsedQuery;
  readonly maxRows: number;
  readonly signal: AbortSignal | undefined;
}

interface SizedPlan {
  readonly planned: PlanResult;
  readonly expected: SizeEstimate | null;
  /** Why a sync of the plan would fail; null if nothing is known to. */
  readonly fault: string | null;
}

/** Of the plan that a first sync would end with, also where an expression fails for a row or the rows are too many. */
async function sized(
  deps: MaterializationDeps,
  given: PlanResult,
  request: PreviewRequest,
): Promise<SizedPlan> {
  const smaller = await planWithin(deps, given, request);
  const first = await sizedOnce(deps, smaller ?? given, request);
  if (first.fault === null || smaller !== null) return first;
  const other = await deps.eligibility.plan(request.projectId, request.query, true);
  return other.kind === 'refusal' ? first : sizedOnce(deps, other, request);
}

/** Null unless the plan would store too many rows and another one does not. */
async function planWithin(
  deps: MaterializationDeps,
  given: PlanResult,
  { projectId, query, maxRows, signal }: PreviewRequest,
): Promise<PlanResult | null> {
  if (given.kind === 'refusal') return null;
  const isTooLarge = await exceedsRows(deps, { projectId, plan: given.plan, signal }, maxRows);
  if (isTooLarge !== true) return null;
  const plan = await deps.eligibility.planWithin({ projectId, query, signal }, maxRows);
  return plan === null ? null : { kind: 'plan', plan };
}

async function sizedOnce(
  deps: MaterializationDeps,
  given: PlanResult,
  request: PreviewRequest,
): Promise<SizedPlan> {
  const { projectId, signal } = request;
  const planned = await decided(deps, given, request);
  if (planned.kind === 'refusal') return { planned, expected: null, fault: null };
  try {
    const expected = await estimateSize(deps, { projectId, plan: planned.plan, signal });
    return { planned, expected, fault: null };
  } catch (error) {
    if (!(error instanceof RowFault)) throw error;
    return { planned, expected: null, fault: error.message };
  }
}

/** The fault of the source that a sync would find; null if it takes too long to look. */
async function faultInTime(
  deps: MaterializationDeps,
  plan: MaterializationPlan,
  request: PreviewRequest,
): Promise<string | null> {
  const { projectId } = request;
  const signal = withTimeLimit(stepMs, request.signal);
  const source = liveSource(tablesOf(plan).map(({ storedQuery }) => storedQuery));
  try {
    return await sourceFault(deps, { projectId, plan, source, signal });
  } catch {
    request.signal?.throwIfAborted();
    return null;
  }
}

/** Time limit for choosing the storage, and for the checks of the source. */
const stepMs = 5000;

/** The plan that a first sync would use. */
async function decided(
  deps: MaterializationDeps,
  given: PlanResult,
  request: Omit<PreviewRequest, 'query'>,
): Promise<PlanResult> {
  if (given.kind === 'refusal') return given;
  const signal = withTimeLimit(stepMs, request.signal);
  const { plan } = given;
  try {
    return { kind: 'plan', plan: await withStorage(deps, { ...request, plan, signal }) };
  } catch {
    request.signal?.throwIfAborted();
    return given;
  }
}
