/** Orders columns of sorting keys by the data, where reads prescribe no order. */
import { stableJson } from '../../lib/stable-json.ts';
import { type MaterializationPlan, tablesOf } from '../../model/materialization-plan.ts';
import { quoteName } from '../../sql/quote-name.ts';
import type { MaterializationDeps } from '../deps.ts';
import { distinctTuples, readNumbers, type StorageRequest } from './measure-storage.ts';

/**
 * How many rows must have one value of a column for it to be in front of others. A read begins and ends within a granule
 * of 1,024 rows for each value that it selects: few by lookups, but possibly all by a range.
 */
const leastRun = { lookup: 2 * 1024, range: 16 * 1024 } as const;

export interface CountedColumn {
  readonly name: string;
  readonly by: keyof typeof leastRun;
  /** Number of values. */
  readonly distinct: number;
}

/**
 * Columns with few values first, as far as the rows with one value of all of them are many: the engine then finds a
 * range of the next column within each value. The others follow as they are.
 */
export function orderedByCounts(
  columns: readonly CountedColumn[],
  rows: number,
): readonly string[] {
  let run = rows;
  const first = columns
    .toSorted((a, b) => a.distinct - b.distinct)
    .filter(({ by, distinct }) => {
      run /= Math.max(1, distinct);
      return run >= leastRun[by];
    });
  return [...first, ...columns.filter((column) => !first.includes(column))].map(({ name }) => name);
}

export async function withOrderedKeys(
  deps: MaterializationDeps,
  request: StorageRequest,
): Promise<MaterializationPlan> {
  const { plan } = request;
  const keys: (readonly string[])[] = [];
  for (const [at, { storedQuery, sortingKey }] of tablesOf(plan).entries()) {
    const columns = plan.anyOrder?.[at] ?? [];
    if (columns.length < 2) {
      keys.push(sortingKey);
      continue;
    }
    const counts = columns.map((column) => distinctTuples([quoteName(column)]));
    const sql = `SELECT ${['count()', ...counts].join(', ')} FROM (${storedQuery})`;
    const [rows = 0, ...distinct] = await readNumbers(deps, request, sql);
    const counted = columns.map((name, i) => ({
      name,
      by: isLookedUp(plan, { table: at, name }) ? ('lookup' as const) : ('range' as const),
      distinct: distinct[i] ?? rows,
    }));
    keys.push(reordered(sortingKey, orderedByCounts(counted, rows)));
  }
  return withKeys(plan, keys);
}

/** Whether values that a subquery finds are looked up in the column, instead of comparing it with variables. */
function isLookedUp(
  { furtherTables, predicates }: MaterializationPlan,
  { table, name }: { readonly table: number; readonly name: string },
): boolean {
  const isCompared = predicates.some((one) => one.table === table && one.column === name);
  return furtherTables !== undefined && !isCompared;
}

/** The key with these of its columns in this order. */
function reordered(sortingKey: readonly string[], columns: readonly string[]): readonly string[] {
  let next = 0;
  return sortingKey.map((column) => (columns.includes(column) ? (columns[next++] ?? '') : column));
}

/** The order decided for an earlier plan, if it has the same columns. */
export function withKeysOf(
  plan: MaterializationPlan,
  decided: MaterializationPlan,
): MaterializationPlan {
  const [own, earlier] = [plan, decided].map((one) =>
    tablesOf(one).map(({ sortingKey }) => sortingKey),
  );
  const setOf = (key: readonly string[]) => stableJson(key.toSorted());
  const isSame = stableJson(own?.map(setOf)) === stableJson(earlier?.map(setOf));
  return isSame ? withKeys(plan, earlier ?? []) : plan;
}

function withKeys(
  plan: MaterializationPlan,
  [sortingKey = [], ...others]: readonly (readonly string[])[],
): MaterializationPlan {
  const { furtherTables } = plan;
  if (furtherTables === undefined) return { ...plan, sortingKey };
  const further = furtherTables.map((table, at) => ({ ...table, sortingKey: others[at] ?? [] }));
  return { ...plan, sortingKey, furtherTables: further };
}
