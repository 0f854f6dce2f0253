/** Columns that runs restrict by ranges only. */
import { parseClickHouseType, withoutWrappers } from '../../sql/clickhouse-type.ts';
import { isTimeType } from '../../sql/time-text.ts';
import { isPlain, isUnchanged, type TypedComparison } from './key-conditions.ts';

export function isRanged(own: readonly TypedComparison[]): boolean {
  return own.some(({ comparison }) => comparison.kind === 'range');
}

/** Whether the comparisons restrict the column to one range. Includes optional ones: `{x} IS NULL OR day >= {x}`. */
export function isInRange(own: readonly TypedComparison[]): boolean {
  const type = own[0]?.columnType ?? '';
  const isConvex = ({ comparison: { kind, role, operator } }: TypedComparison) =>
    (kind === 'range' || operator === '=') && (role === 'whole' || role === 'optional');
  const isOrdered = (typed: TypedComparison) =>
    isPlain(typed) || (isTime(type) && isTime(typed.givenType));
  return (
    !type.includes('LowCardinality') &&
    isRanged(own) &&
    own.every((typed) => isConvex(typed) && isOrdered(typed))
  );
}

export function isTime(type: string): boolean {
  return isTimeType(withoutWrappers(parseClickHouseType(type)));
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
