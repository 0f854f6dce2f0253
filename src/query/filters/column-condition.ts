/**
 * The condition of a filter on a column of a known type. Numbers and times are compared as values of the column's type,
 * exact to the last digit, so that the table's sorting key can be used. A value that the type cannot hold is compared
 * as one of a wider type. Pure.
 */
import { invalidInput, type ServiceError } from '../../errors/service-error.ts';
import { decimalParts, exactDigits, isDecimal, mayHaveLostDigits } from '../../lib/decimal-text.ts';
import {
  type ClickHouseType,
  parseClickHouseType,
  typeToText,
  withoutWrappers,
} from '../../sql/clickhouse-type.ts';
import { formatParam } from '../../sql/param-value.ts';
import { quoteName } from '../../sql/quote-name.ts';
import { describeTimes, isTimeType, toTimeParam } from '../../sql/time-text.ts';
import type { FilterOperator, FilterValue, PropertyFilter } from './parse-filters.ts';

/** Adds a parameter. Returns its placeholder. */
export type Bind = (type: string, text: string) => string;

/** A filter and the column that it compares. */
interface Comparison {
  readonly filter: PropertyFilter;
  /** The quoted name. */
  readonly column: string;
  /** Without Nullable and LowCardinality. */
  readonly type: ClickHouseType;
  readonly bind: Bind;
}

/**
 * SQL over the column, its values bound. For a column whose type has changed since, it fails or matches the same rows.
 *
 * @param type the column's type, as the engine writes it.
 * @throws ServiceError `invalid_input` for a value that the type does not accept, and for an operator that does not
 * apply to the type.
 */
export function columnCondition(filter: PropertyFilter, type: string, bind: Bind): string {
  return operators[filter.operator]({
    filter,
    column: quoteName(filter.key),
    type: withoutWrappers(parseClickHouseType(type)),
    bind,
  });
}

const operators: Readonly<Record<FilterOperator, (comparison: Comparison) => string>> = {
  exact: isAnyOf,
  is_not: (comparison) => not(isAnyOf(comparison)),
  icontains: contains,
  not_icontains: (comparison) => not(contains(comparison)),
  regex: matches,
  not_regex: (comparison) => not(matches(comparison)),
  gt: (comparison) => compare(comparison, '>'),
  gte: (comparison) => compare(comparison, '>='),
  lt: (comparison) => compare(comparison, '<'),
  lte: (comparison) => compare(comparison, '<='),
  is_set: ({ column }) => `isNotNull(${column})`,
  is_not_set: ({ column }) => `isNull(${column})`,
};

/** Also true for rows whose value is null. */
function not(condition: string): string {
  return `NOT ifNull(${condition}, 0)`;
}

function either(conditions: readonly string[]): string {
  return conditions.length === 1 ? conditions.join('') : `(${conditions.join(' OR ')})`;
}

function isAnyOf(comparison: Comparison): string {
  const { column, filter, type, bind } = comparison;
  if (!isTyped(type))
    return `has(${bind('Array(String)', formatParam('Array(String)', filter.values))}, toString(${column}))`;
  const own = boundType(type);
  const values = filter.values.map((value) => boundValue(comparison, value));
  const among = values.filter((value) => value.type === own).map(({ value }) => value);
  const wider = values.filter((value) => value.type !== own || among.length === 1);
  const list = `Array(${own})`;
  return either([
    ...(among.length > 1 ? [`${column} IN ${bind(list, formatParam(list, among))}`] : []),
    ...wider.map((value) => `${column} = ${bound(comparison, value)}`),
  ]);
}

/** A value with the type of its parameter. */
interface BoundValue {
  readonly type: string;
  readonly value: FilterValue;
}

function bound({ filter, bind }: Comparison, { type, value }: BoundValue): string {
  return bind(type, formatParam(type, value, `${filter.attr}.value`));
}

/** Types whose values callers write as variables of the type. The others are compared by their texts. */
const WRITTEN =
  /^(?:String|FixedString|Enum8|Enum16|Bool|UUID|IPv4|IPv6|Float32|Float64|BFloat16|Time|Time64)$/;
/** Types whose values the engine compares with texts in the same way. */
const AS_TEXT = /^(?:FixedString|Enum8|Enum16)$/;

function isTyped(type: ClickHouseType): boolean {
  return isTimeType(type) || isExactNumber(type) || WRITTEN.test(type.name);
}

function isExactNumber({ name }: ClickHouseType): boolean {
  return /^U?Int\d+$/.test(name) || name.startsWith('Decimal');
}

function boundType(type: ClickHouseType): string {
  return AS_TEXT.test(type.name) ? 'String' : typeToText(type);
}

function boundValue({ filter, type }: Comparison, value: FilterValue): BoundValue {
  if (isTimeType(type)) return { type: timeType(filter, type, value), value };
  if (isExactNumber(type)) return exactNumber(filter, type, value);
  formatParam(typeToText(type), value, `${filter.attr}.value`);
  return { type: boundType(type), value };
}

function timeType(filter: PropertyFilter, type: ClickHouseType, value: FilterValue): string {
  const time = toTimeParam(String(value), type);
  if (typeof time !== 'string') return time.type;
  throw refused(filter, `must be ${describeTimes(type)}: ${typeOfColumn(filter, type)}.`);
}

/** Tried after the column's own type. */
const integerTypes = ['Int64', 'UInt64', 'Int256', 'UInt256'] as const;

function exactNumber(filter: PropertyFilter, type: ClickHouseType, value: FilterValue): BoundValue {
  const number = digitsOf(filter, type, value);
  const [, fraction] = number.split('.');
  const wider = fraction === undefined ? integerTypes : [`Decimal(76, ${fraction.length})`];
  const fitting = [typeToText(type), ...wider].find((one) => isValueOf(one, number));
  if (fitting !== undefined) return { type: fitting, value: number };
  throw refused(filter, 'must be a number of at most 76 digits.');
}

function isValueOf(type: string, number: string): boolean {
  try {
    formatParam(type, number);
    return true;
  } catch {
    return false;
  }
}

/** All digits of a number, without an exponent. Throws for other values. */
function digitsOf(filter: PropertyFilter, type: ClickHouseType, value: FilterValue): string {
  const parts = typeof value === 'boolean' ? null : decimalParts(String(value));
  if (parts === null) throw refused(filter, `must be a number: ${typeOfColumn(filter, type)}.`);
  if (typeof value === 'number') requireAllDigits(filter, value);
  const { isNegative, whole, fraction } = parts;
  const point = fraction === '' ? '' : '.';
  return `${isNegative ? '-' : ''}${whole === '' ? '0' : whole}${point}${fraction}`;
}

function requireAllDigits(filter: PropertyFilter, value: number): void {
  if (!mayHaveLostDigits(value)) return;
  throw refused(
    filter,
    `must be a string to keep its digits: a JSON number has ${exactDigits} of them.`,
  );
}

type Sign = '>' | '>=' | '<' | '<=';

/** Types without an order that a caller would expect. */
const UNORDERED = /^(?:Bool|UUID|Enum8|Enum16)$/;

function compare(comparison: Comparison, sign: Sign): string {
  const { column, filter, type } = comparison;
  const [value = ''] = filter.values;
  if (UNORDERED.test(type.name)) {
    throw invalidInput(
      `${filter.attr}.operator`,
      `${filter.operator} compares numbers, times and addresses, and texts that are numbers; ${typeOfColumn(filter, type)}.`,
    );
  }
  if (isTyped(type) && !isText(type))
    return `${column} ${sign} ${bound(comparison, boundValue(comparison, value))}`;
  if (isDecimal(String(value))) return compareText(comparison, sign, value);
  throw refused(
    filter,
    `must be a number: ${typeOfColumn(filter, type)}, whose texts are compared as numbers.`,
  );
}

const int256 = parseClickHouseType('Int256');

/** Whole numbers with all their digits, others as doubles. */
function compareText(comparison: Comparison, sign: Sign, value: FilterValue): string {
  const text = textOfColumn(comparison);
  const { filter, bind } = comparison;
  const whole = bound(comparison, exactNumber(filter, int256, value));
  const double = bind('Float64', formatParam('Float64', value));
  return `ifNull(toInt256OrNull(${text}) ${sign} ${whole}, toFloat64OrNull(${text}) ${sign} ${double})`;
}

function contains(comparison: Comparison): string {
  const text = textOfColumn(comparison);
  return anyText(comparison, (part) => `positionCaseInsensitiveUTF8(${text}, ${part}) > 0`);
}

function matches(comparison: Comparison): string {
  const text = textOfColumn(comparison);
  return anyText(comparison, (pattern) => `match(${text}, ${pattern})`);
}

function anyText({ filter, bind }: Comparison, condition: (text: string) => string): string {
  return either(
    filter.values.map((value) => condition(bind('String', formatParam('String', value)))),
  );
}

function isText({ name }: ClickHouseType): boolean {
  return name === 'String' || name === 'FixedString';
}

function textOfColumn({ column, type }: Comparison): string {
  return type.name === 'String' ? column : `toString(${column})`;
}

function refused({ attr }: PropertyFilter, what: string): ServiceError {
  return invalidInput(`${attr}.value`, `${attr}.value ${what}`);
}

function typeOfColumn({ key }: PropertyFilter, type: ClickHouseType): string {
  return `the column "${key}" is of type ${typeToText(type)}`;
}
