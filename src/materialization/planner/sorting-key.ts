/** The order of the columns in the sorting key of a stored table. */
import { takeWhile } from '../../lib/take-while.ts';
import type { MaterializationPlan } from '../../model/materialization-plan.ts';
import type { ReadOrder } from './plan-context.ts';
import { isVariable } from './stored-columns.ts';
import type { Comparison, PredicateKind } from './text/comparisons.ts';

const ranks: Readonly<Record<PredicateKind, number>> = { equal: 0, set: 1, range: 2, scan: 6 };
/** Optional predicates rank after those that apply to every run. */
const optionalRank = 3;

/** The place of a column in the sorting key by how reads compare it: a lower rank comes first. */
export function rankOf({ kind, role }: Comparison): number {
  if (role === 'part' || kind === 'scan') return ranks.scan;
  if (role === 'choice') return ranks.set;
  return ranks[kind] + (role === 'optional' ? optionalRank : 0);
}

/**
 * Columns compared by equality first, then by sets, then by ranges, so that a read covers one range of the table. Where
 * that range can have the order of the query, the columns that it sorts by follow those compared by equality: the engine
 * then reads the first rows only, instead of sorting all. (`optimize_read_in_order` of ClickHouse.)
 *
 * @param found the rank of each column that the index can use.
 * @param order null unless reads have ORDER BY columns that a sorting key can hold.
 */
export function sortingKeyOf(
  found: ReadonlyMap<string, number>,
  order: ReadOrder | null,
): SortingKey {
  const ranked = [...found].toSorted(([, a], [, b]) => a - b);
  const namesOf = (is: (rank: number) => boolean) =>
    ranked.filter(([, rank]) => is(rank)).map(([name]) => name);
  const equal = namesOf((rank) => rank === ranks.equal);
  const ranges = namesOf((rank) => rank === ranks.range);
  const sorted = safeColumns(order, found).filter((column) => !equal.includes(column));
  const all = ranked.map(([name]) => name);
  const hasSets = namesOf((rank) => rank === ranks.set).length > 0;
  const isOrdered =
    ranges.length > 0
      ? ranges.includes(sorted[0] ?? '')
      : // Other predicates may not apply, or match rows anywhere: then a query that ends after its first rows needs few.
        all.length === equal.length || order?.isLimited === true;
  if (!isOrdered || hasSets) return { sortingKey: all, anyOrder: ranges };
  return { sortingKey: [...new Set([...equal, ...sorted, ...all])], anyOrder: [] };
}

export interface SortingKey {
  readonly sortingKey: readonly string[];
  /** Columns in a row of it whose order reads do not prescribe, so that the data may decide. */
  readonly anyOrder: readonly string[];
}

/** For each table of a plan; absent if no table has several such columns. */
export function anyOrderOf(keys: readonly SortingKey[]): Pick<MaterializationPlan, 'anyOrder'> {
  const several = keys.map(({ anyOrder }) => (anyOrder.length > 1 ? anyOrder : []));
  return several.some((columns) => columns.length > 0) ? { anyOrder: several } : {};
}

/** Up to the first one that predicates use in ways that the index might evaluate differently. */
function safeColumns(
  order: ReadOrder | null,
  found: ReadonlyMap<string, number>,
): readonly string[] {
  return takeWhile(order?.columns ?? [], (column) => !isVariable(column) || found.has(column));
}
