/** Sorting by the columns of a result, so that rows that differ always have the same order. Pure. */
import {
  type ClickHouseType,
  elementTypes,
  parseClickHouseType,
  withoutWrappers,
} from '../../../sql/clickhouse-type.ts';
import { isOneValue } from '../query/result-types.ts';

/** The type that a value has on its own, without NULL. */
export function valueTypeOf(type: string): ClickHouseType {
  return bare(parseClickHouseType(type));
}

function bare(type: ClickHouseType): ClickHouseType {
  const inner = withoutWrappers(type);
  const stored = inner.name === 'SimpleAggregateFunction' ? inner.args?.[1]?.type : null;
  return stored ? bare(stored) : inner;
}

/** Whether rows can be sorted by a column of the type: single values, and arrays and tuples of them. */
export function isSortable(type: string): boolean {
  return holdsSortable(valueTypeOf(type));
}

function holdsSortable(type: ClickHouseType): boolean {
  if (isOneValue(type.name)) return true;
  return /^(Array|Tuple)$/.test(type.name) && elementTypes(type).map(bare).every(holdsSortable);
}

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
