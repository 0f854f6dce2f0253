/** Columns that runs restrict by ranges only. */
import { parseClickHouseType, withoutWrappers } from '../../sql/clickhouse-type.ts';
import { isTimeType } from '../../sql/time-text.ts';
import { isPlain, isUnchanged, type TypedComparison } from './key-conditions.ts';

export function isRanged(own: readonly TypedComparison[]): boolean {
  return own.some(({ comparison }) => comparison.kind === 'range');
}

/** Whether the comparisons restrict the column to one range. Includes optional ones: `{x} IS NULL OR day >= {x}`. */
export function isInRange(own: readonly TypedComparison[]): boolean {
  return isRanged(own) && own.every(isConvex);
}

/** Whether the values that satisfy the comparison, a predicate or an optional one, follow each other. */
export function isConvex(typed: TypedComparison): boolean {
  const { kind, role, operator } = typed.comparison;
  const isRange =
    (kind === 'range' || operator === '=') && (role === 'whole' || role === 'optional');
  return isRange && isOrdered(typed);
}

/** Whether the comparison, wherever it stands, holds for all values up to some value or for all from some value on. */
export function isMonotone(typed: TypedComparison): boolean {
  return typed.comparison.kind === 'range' && isOrdered(typed);
}

function isOrdered(typed: TypedComparison): boolean {
  const { columnType, givenType } = typed;
  const areTimes = isTime(columnType) && isTime(givenType);
  return !columnType.includes('LowCardinality') && (isPlain(typed) || areTimes);
}

export function isTime(type: string): boolean {
  return isTimeType(withoutWrappers(parseClickHouseType(type)));
}

export function isInteger(type: string): boolean {
  return /^U?Int(8|16|32|64)$/.test(withoutWrappers(parseClickHouseType(type)).name);
}

const ORDERED = /^(U?Int\d+|Decimal\d*|String|Date(32)?|DateTime(64)?)$/;

/**
 * Whether the comparison follows the order in which the engine sorts the column. Times outside the range of the other
 * type may wrap, and NULL has no place in the order.
 */
export function keepsOrder(typed: TypedComparison): boolean {
  const { name } = parseClickHouseType(typed.columnType);
  return ORDERED.test(name) && (isPlain(typed) || isUnchanged(typed));
}
