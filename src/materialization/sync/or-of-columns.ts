/** Tables that store columns alone, where tables with the results of joins and expressions cannot be built. */
import { RowFault } from '../../engine/row-fault.ts';
import { ServiceError } from '../../errors/service-error.ts';
import type { MaterializationPlan } from '../../model/materialization-plan.ts';
import { rowLimitOf } from '../../model/row-limit.ts';
import type { ParsedQuery } from '../../query/query-definition.ts';
import { exceedsRows } from '../estimate-size.ts';
import { decidedAgain } from '../storage/choose-storage.ts';
import { isSamePlan } from './same-plan.ts';
import { MaterializationRefused, type Sync } from './sync.ts';

export interface PlannedQuery {
  readonly query: ParsedQuery;
  readonly plan: MaterializationPlan;
}

/**
 * A table holds rows that no values of the variables may select together: texts under other names than the one whose
 * texts are numbers, and all pairs of rows of a join. Where an expression fails for one of them, or they are beyond a
 * limit, reads compute it instead. Each sync tries first whether that is still so, unless too many rows are expected.
 */
export async function orOfColumns<T>(
  sync: Sync,
  planned: PlannedQuery,
  work: (plan: MaterializationPlan) => Promise<T>,
): Promise<T> {
  const served = await servedWithin(sync, planned);
  if (served !== null) return work(served);
  try {
    return await work(planned.plan);
  } catch (error) {
    const other = await planInstead(sync, planned, error);
    if (other === null) throw error;
    await startAgain(sync, error, 'a table stores columns alone instead');
    return work(other).catch((again: unknown) => {
      throw saysLess(again) ? error : again;
    });
  }
}

/** The plan of the served table if it stores columns alone, and the other one is not known to be within the row limit. */
async function servedWithin(
  { deps, claim, signal }: Sync,
  { query, plan }: PlannedQuery,
): Promise<MaterializationPlan | null> {
  if (claim.plan === null || isServed(claim.plan, plan)) return null;
  const { projectId } = claim;
  const other = await deps.eligibility.plan(projectId, query, true);
  if (other.kind === 'refusal' || !isServed(claim.plan, other.plan)) return null;
  const limit = rowLimitOf(claim.maxRows, deps.config);
  const isTooLarge = await exceedsRows(deps, { projectId, plan, signal }, limit);
  return isTooLarge === false ? null : other.plan;
}

/** Whether the served table is of this plan, with the storage that was decided for it, or none was built yet. */
function isServed(served: MaterializationPlan, plan: MaterializationPlan): boolean {
  if (isSamePlan(served, plan)) return true;
  const again = decidedAgain(plan, served);
  return again !== null && isSamePlan(served, again);
}

async function planInstead(
  { deps, claim, signal }: Sync,
  { query }: PlannedQuery,
  error: unknown,
): Promise<MaterializationPlan | null> {
  const { projectId } = claim;
  if (isOfLimit(error)) {
    const limit = rowLimitOf(claim.maxRows, deps.config);
    return deps.eligibility.planWithin({ projectId, query, signal }, limit);
  }
  if (!(error instanceof RowFault)) return null;
  const other = await deps.eligibility.plan(projectId, query, true);
  return other.kind === 'refusal' ? null : other.plan;
}

const limits: readonly string[] = ['query_too_large', 'query_memory_limit', 'query_timeout'];

const isOfLimit = (error: unknown) => error instanceof ServiceError && limits.includes(error.code);

/** Whether the failure of the second table tells an author less than why the first one failed. */
function saysLess(again: unknown): boolean {
  const isRefused = again instanceof MaterializationRefused && !again.dropsServed;
  return again instanceof RowFault || isRefused || isOfLimit(again);
}

/** Drops what was built so far. */
export async function startAgain(
  { deps, claim, table }: Sync,
  error: unknown,
  how: string,
): Promise<void> {
  const { projectId } = claim;
  deps.log.warn({ err: error, projectId, table }, how);
  await deps.engine.dropTable(projectId, table);
}
