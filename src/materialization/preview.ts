import type { Principal } from '../access/principal.ts';
import { originOf } from '../endpoints/origin.ts';
import { readEndpoint } from '../endpoints/read-endpoint.ts';
import { requireNotRefused, type Selected } from '../endpoints/resolve-version.ts';
import { parsedQueryOf } from '../endpoints/version-query.ts';
import { withOrigin } from '../engine/execution-origin.ts';
import type { PlanResult } from '../model/materialization-plan.ts';
import { rowLimitOf, tooManyRows } from '../model/row-limit.ts';
import type { MaterializationDeps } from './deps.ts';
import { estimateSize, type SizeEstimate } from './estimate-size.ts';

export interface Preview extends Selected {
  readonly planned: PlanResult;
  /** Null when it cannot be materialized, or the size could not be estimated in time. */
  readonly expected: SizeEstimate | null;
  /** Rows that the stored table may have. */
  readonly maxRows: number;
  /** Why it cannot be materialized; null when it can. */
  readonly reason: string | null;
}

/** What turning materialization on would do to a version. Changes nothing. */
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
  const planned = await deps.eligibility.plan(projectId, parsedQueryOf(selected.version));
  const maxRows = rowLimitOf(selected.version.materialization.maxRows, deps.config);
  if (planned.kind === 'refusal') {
    return { ...selected, planned, maxRows, expected: null, reason: planned.reason };
  }
  const sql = planned.plan.storedQuery;
  const expected = await estimateSize(deps, { projectId, sql, signal });
  const isTooLarge = expected?.isExact === true && expected.rows > maxRows;
  const reason = isTooLarge
    ? tooManyRows({ rows: expected.rows, limit: maxRows }, deps.config)
    : null;
  return { ...selected, planned, maxRows, expected, reason };
}
