/** Creates the tables of a plan within its row limit. */
import { syncShare } from '../../access/admission/admission.ts';
import type { StoredTableSize } from '../../engine/query-engine.ts';
import { ServiceError } from '../../errors/service-error.ts';
import {
  type MaterializationPlan,
  nameOfTable,
  periodColumns,
  tablesOf,
} from '../../model/materialization-plan.ts';
import { rowLimitOf, tooManyRows } from '../../model/row-limit.ts';
import { countRows } from '../estimate-size.ts';
import { isRefusedForZero } from '../planner/layout/zero-guards.ts';
import type { ProofSource } from '../proof/proof-source.ts';
import { sourceFault } from './source-fault.ts';
import { MaterializationRefused, type Sync } from './sync.ts';

/** Creates the plan's tables in sequence; the limit applies to the sum of their rows. Returns the summed sizes. */
export async function createTables(
  sync: Sync,
  plan: MaterializationPlan,
  source: ProofSource,
): Promise<StoredTableSize> {
  const { deps, claim, table, signal } = sync;
  const { projectId } = claim;
  const limit = rowLimitOf(claim.maxRows, deps.config);
  let sum: StoredTableSize = { rows: 0, bytes: 0, rowsRead: 0 };
  for (const [at, { storedQuery, sortingKey }] of tablesOf(plan).entries()) {
    const size = await refusedForZero(
      deps.engine.createTableFrom(
        {
          projectId,
          table: nameOfTable(table, at),
          sql: source.storedQueries[at] ?? storedQuery,
          params: {},
          orderBy: sortingKey,
          ends: hasPeriods(sortingKey) ? Object.values(periodColumns) : [],
          maxRows: limit - sum.rows,
          queryId: claim.syncId,
          share: syncShare,
        },
        signal,
      ),
    );
    sum = {
      rows: sum.rows + size.rows,
      bytes: sum.bytes + size.bytes,
      rowsRead: sum.rowsRead + size.rowsRead,
    };
    if (sum.rows > limit) throw await tooMany(sync, { plan, limit });
  }
  const fault = await sourceFault(deps, { projectId, plan, source, signal });
  if (fault !== null) throw new MaterializationRefused(fault);
  return sum;
}

/** Whether the table also stores rows per period. */
function hasPeriods(sortingKey: readonly string[]): boolean {
  return sortingKey.includes(periodColumns.level);
}

/**
 * Converts a build failure caused by -0 to a refusal, which lasts until data or query change. @throws
 * MaterializationRefused
 */
async function refusedForZero<T>(build: Promise<T>): Promise<T> {
  try {
    return await build;
  } catch (error) {
    const isForZero = error instanceof ServiceError && isRefusedForZero(error.message);
    throw isForZero ? new MaterializationRefused(error.message) : error;
  }
}

/** The build stopped one row past the limit, so the message needs a separate count, which is limited to seconds. */
async function tooMany(
  { deps, claim, signal }: Sync,
  { plan, limit }: { readonly plan: MaterializationPlan; readonly limit: number },
): Promise<ServiceError> {
  const rows = await countRows(deps, { projectId: claim.projectId, plan, signal });
  return new ServiceError('query_too_large', tooManyRows({ rows, limit }, deps.config));
}
