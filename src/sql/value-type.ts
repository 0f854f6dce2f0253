/** Types whose values are a single number, text or time, and types that rows can be sorted by. */
import {
  type ClickHouseType,
  elementTypes,
  parseClickHouseType,
  withoutWrappers,
} from './clickhouse-type.ts';

const oneValue =
  /^(U?Int(8|16|32|64|128|256)|Float(32|64)|BFloat16|Decimal(32|64|128|256)?|Bool|String|FixedString|Date|Date32|DateTime|DateTime32|DateTime64|Time|Time64|UUID|IPv4|IPv6|Enum|Enum8|Enum16|Nothing|Interval[A-Z][a-z]+)$/;

/** Whether a value is a single number, text or time. */
export function isOneValue(name: string): boolean {
  return oneValue.test(name);
}

/** The type without Nullable and wrappers that do not affect the value. */
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
