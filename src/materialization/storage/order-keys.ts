/** Orders columns of sorting keys by the data, where reads prescribe no order. */
import { stableJson } from '../../lib/stable-json.ts';
import { type MaterializationPlan, tablesOf } from '../../model/materialization-plan.ts';
import { quoteName } from '../../sql/quote-name.ts';
import type { MaterializationDeps } from '../deps.ts';
import { distinctTuples, readNumbers, type StorageRequest } from './measure-storage.ts';

/**
 * Rows with one value of a column that make it worth being in front of others: a read skips whole granules, and begins
 * and ends within one for each value.
 */
const leastRun = 16 * 1024;

interface Counts {
  readonly rows: number;
  /** For each column. */
  readonly distinct: readonly number[];
}

/**
 * Columns with few values first, as far as the rows with one value of all of them are many: the engine then finds a
 * range of the next column within each value. The others follow as they are.
 */
export function orderedByCounts(
  columns: readonly string[],
  { rows, distinct }: Counts,
): readonly string[] {
  const counted = columns.map((column, at) => ({ column, values: distinct[at] ?? rows }));
  let run = rows;
  const first = counted
    .toSorted((a, b) => a.values - b.values)
    .filter(({ values }) => {
      run /= Math.max(1, values);
      return run >= leastRun;
    })
    .map(({ column }) => column);
  return [...first, ...columns.filter((column) => !first.includes(column))];
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
    keys.push(reordered(sortingKey, orderedByCounts(columns, { rows, distinct })));
  }
  return withKeys(plan, keys);
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
