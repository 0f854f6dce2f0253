/** How a table can be stored so that reads of the greatest groups skip most of the others. */
import type { TopGroups } from '../../model/materialization-plan.ts';
import { numberArgument, parseClickHouseType } from '../../sql/clickhouse-type.ts';
import type { DescribedColumn } from '../../sql/sql-analysis.ts';
import { isSortable } from './column-types.ts';
import type { MergedTable } from './plan-context.ts';
import { isGroupColumn } from './stored-columns.ts';

interface RankedTable {
  /** Undefined when reads merge nothing. */
  readonly merged?: MergedTable | undefined;
  readonly storedColumns: readonly DescribedColumn[];
  /** Columns restricted to one value in every run. */
  readonly chosen: readonly string[];
}

/**
 * Null unless the order is by integers or decimals, whose sums are exact, and the groups can be told apart by their
 * columns.
 */
export function findTopGroups({ merged, storedColumns, chosen }: RankedTable): TopGroups | null {
  const { top = null, columns = [] } = merged ?? {};
  if (top === null) return null;
  const typeOf = (name: string) => storedColumns.find((column) => column.name === name)?.type ?? '';
  const absolute = absoluteOf(top.column, typeOf(top.column));
  const keys = columns.flatMap(({ name, merge }) =>
    merge === null && isGroupColumn(name) ? [name] : [],
  );
  const parts = [...keys, ...chosen];
  if (absolute === null || !parts.every((name) => isSortable(typeOf(name)))) return null;
  return { ...top, ...absolute, keys, chosen };
}

/** In types that are wide enough for any sum of the column's. */
function absoluteOf(column: string, type: string): Pick<TopGroups, 'absolute' | 'scale'> | null {
  if (/^U?Int(8|16|32|64)$/.test(type))
    return { absolute: `abs(toInt256(${column}))`, scale: null };
  const parsed = parseClickHouseType(type);
  const scale = numberArgument(parsed, 1);
  if (parsed.name !== 'Decimal' || scale === null || scale === undefined) return null;
  if ((numberArgument(parsed, 0) ?? 76) > 38) return null;
  return { absolute: `abs(toDecimal256(${column}, ${scale}))`, scale };
}
