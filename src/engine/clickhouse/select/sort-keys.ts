/** Sorting by the columns of a result, so that rows that differ always have the same order. Pure. */
import type { ClickHouseType } from '../../../sql/clickhouse-type.ts';
import { isOneValue, valueTypeOf } from '../../../sql/value-type.ts';

/** Float columns hold 0 and -0, which are equal and written differently. */
export function isFloat({ name }: ClickHouseType): boolean {
  return /^(Float32|Float64|BFloat16)$/.test(name);
}

/**
 * Expressions that differ, or are sorted after one another, for values of the column that are written differently.
 *
 * @param isKey whether the rows are sorted by the column anyway.
 */
export function tieBreakers(column: string, type: string, isKey: boolean): readonly string[] {
  const value = valueTypeOf(type);
  if (isFloat(value)) return isKey ? [`1 / ${column}`] : [column, `1 / ${column}`];
  if (isOneValue(value.name)) return isKey ? [] : [column];
  // Of a value that may have several types, the one text shows its digits and the other its type.
  return [`toString(${column})`, `toJSONString(${column})`];
}
