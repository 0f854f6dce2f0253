/** Builds a stored table within its row limit, and proves it against the query. */
import { syncShare } from '../../access/admission/admission.ts';
import type { StoredTableSize } from '../../engine/query-engine.ts';
import { ServiceError } from '../../errors/service-error.ts';
import { stableJson } from '../../lib/stable-json.ts';
import type { MaterializationPlan } from '../../model/materialization-plan.ts';
import { rowLimitOf, tooManyRows } from '../../model/row-limit.ts';
import type { ParsedQuery } from '../../query/query-definition.ts';
import type { ProvedTable, SyncClaim } from '../../store/sync-records.ts';
import type { MaterializationDeps } from '../deps.ts';
import { countRows } from '../estimate-size.ts';
import { prove } from '../proof/prove.ts';

/** The query cannot be materialized after all; the message is the reason. */
export class MaterializationRefused extends Error {
  /** Whether the served table was made by the same plan, and so is wrong as well. */
  readonly isOfServed: boolean;

  constructor(reason: string, isOfServed = false) {
    super(reason);
    this.isOfServed = isOfServed;
  }
}

export interface Sync {
  readonly deps: MaterializationDeps;
  readonly claim: SyncClaim;
  /** A name that no table ever had. */
  readonly table: string;
  /** By how much the clocks of two processes may differ. */
  readonly skewMs: number;
  readonly signal: AbortSignal;
}

interface BuiltTable {
  readonly plan: MaterializationPlan;
  readonly size: StoredTableSize;
  readonly proved: ProvedTable | null;
  readonly durationMs: number;
}

/** How often a table is built again because its source changed during the comparison. */
const maxBuilds = 3;

/**
 * Creates the table and proves it, unless the same plan has been proved for about as many rows. Null when the claim is
 * lost.
 */
export async function buildTable(sync: Sync, query: ParsedQuery): Promise<BuiltTable | null> {
  const { deps, claim, table, skewMs } = sync;
  const { projectId } = claim;
  const began = performance.now();
  const planned = await deps.eligibility.plan(projectId, query);
  if (planned.kind === 'refusal') throw new MaterializationRefused(planned.reason);
  const { plan } = planned;
  sync.signal.throwIfAborted();
  const registered = { table, now: deps.clock.now(), skewMs };
  const isSamePlan = stableShape(claim.plan) === stableShape(plan);
  const fingerprint = () => deps.engine.fingerprint(projectId);
  const [isRegistered, first] = await Promise.all([
    deps.materializations.registerTable(claim, registered),
    fingerprint(),
  ]);
  if (!isRegistered) return null;
  for (let builds = 1; ; builds += 1) {
    const before = builds === 1 ? first : await fingerprint();
    const size = await createTable(sync, plan);
    const durationMs = Math.round(performance.now() - began);
    const built = { plan, size, durationMs };
    if (isSamePlan && isProvedFor(claim, size)) return { ...built, proved: claim.proved };
    const { rows } = size;
    const proof = { projectId, query, table, plan, rows, buildMs: durationMs, signal: sync.signal };
    const { disproof, isConclusive } = await prove(deps, proof);
    const proved = isConclusive ? { at: deps.clock.now(), rows } : null;
    if (disproof === null) return { ...built, proved };
    if ((await fingerprint()) === before) throw new MaterializationRefused(disproof, isSamePlan);
    if (builds === maxBuilds) throw sourceChanges();
    await deps.engine.dropTable(projectId, table);
  }
}

/** A table that has grown so much may contain cases that the proved one did not. */
const provedGrowth = 10;

function isProvedFor({ proved }: SyncClaim, { rows }: StoredTableSize): boolean {
  return proved !== null && rows < provedGrowth * proved.rows;
}

/** Equal for plans that read and store in the same way; relative dates in the stored query differ. */
function stableShape(plan: MaterializationPlan | null): string {
  return plan === null ? '' : stableJson({ ...plan, storedQuery: '' });
}

async function createTable(sync: Sync, plan: MaterializationPlan): Promise<StoredTableSize> {
  const { deps, claim, table, signal } = sync;
  const limit = rowLimitOf(claim.maxRows, deps.config);
  const size = await deps.engine.createTableFrom(
    {
      projectId: claim.projectId,
      table,
      sql: plan.storedQuery,
      params: {},
      orderBy: plan.sortingKey,
      maxRows: limit,
      queryId: claim.syncId,
      share: syncShare,
    },
    signal,
  );
  if (size.rows > limit) throw await tooMany(sync, { sql: plan.storedQuery, limit });
  return size;
}

/** Building stopped one row past the limit; the rows are counted for the message, if that takes seconds. */
async function tooMany(
  { deps, claim, signal }: Sync,
  { sql, limit }: { readonly sql: string; readonly limit: number },
): Promise<ServiceError> {
  const rows = await countRows(deps, { projectId: claim.projectId, sql, signal });
  return new ServiceError('query_too_large', tooManyRows({ rows, limit }, deps.config));
}

function sourceChanges(): ServiceError {
  return new ServiceError(
    'query_failed',
    'The source data changed each time while the stored table was compared with the query itself. The sync is tried again.',
  );
}
