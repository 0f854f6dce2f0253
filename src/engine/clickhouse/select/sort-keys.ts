/** Sorting by the columns of a result, such that different rows always have the same order. Pure. */
import type { ClickHouseType } from '../../../sql/clickhouse-type.ts';
import { isOneValue, valueTypeOf } from '../../../sql/value-type.ts';

/** Float columns hold both 0 and -0, which compare equal but are written differently. */
export function isFloat({ name }: ClickHouseType): boolean {
  return /^(Float32|Float64|BFloat16)$/.test(name);
}

/**
 * Extra sort expressions that differ for values of the column that are written differently.
 *
 * @param isKey whether the rows are already sorted by the column.
 */
export function tieBreakers(column: string, type: string, isKey: boolean): readonly string[] {
  const value = valueTypeOf(type);
  if (isFloat(value)) return isKey ? [`1 / ${column}`] : [column, `1 / ${column}`];
  if (isOneValue(value.name)) return isKey ? [] : [column];
  // For a value with several possible types, the first shows its digits and the second its type.
  return [`toString(${column})`, `toJSONString(${column})`];
}
