/**
 * The condition of a filter on a column of a known type. Numbers and times are compared as values of the column's type,
 * exact to the last digit, so that the table's sorting key can be used. A value that the type cannot hold is compared
 * as one of a wider type. Pure.
 */
import { invalidInput, type ServiceError } from '../../errors/service-error.ts';
import {
  type DecimalParts,
  decimalParts,
  exactDigits,
  isDecimal,
  mayHaveLostDigits,
} from '../../lib/decimal-text.ts';
import {
  type ClickHouseType,
  enumMembers,
  parseClickHouseType,
  typeToText,
} from '../../sql/clickhouse-type.ts';
import { timeParts } from '../../sql/param-time.ts';
import { formatParam } from '../../sql/param-value.ts';
import { quoteName } from '../../sql/quote-name.ts';
import { isBeyondNanoseconds, isTimeType, toTimeParam } from '../../sql/time-text.ts';
import { valueTypeOf } from '../../sql/value-type.ts';
import { type ExactNumber, fitNumber, isExactNumber, wholeDigits } from './exact-number.ts';
import type { FilterOperator, FilterValue, PropertyFilter } from './parse-filters.ts';

/** Adds a parameter. Returns its placeholder. */
export type Bind = (type: string, text: string) => string;

/** A filter and the column that it compares. */
interface Comparison {
  readonly filter: PropertyFilter;
  /** The quoted name. */
  readonly column: string;
  /** Without wrappers. */
  readonly type: ClickHouseType;
  readonly bind: Bind;
}

/**
 * SQL over the column, its values bound.
 *
 * @param type the column's type, as the engine writes it.
 * @throws ServiceError `invalid_input` for a value that the type does not accept, and for an operator that does not
 * apply to the type.
 */
export function columnCondition(filter: PropertyFilter, type: string, bind: Bind): string {
  if (type === '')
    throw invalidInput(
      `${filter.attr}.key`,
      `The column "${filter.key}" is a subquery, which filters cannot compare.`,
    );
  return operators[filter.operator]({
    filter,
    column: quoteName(filter.key),
    type: valueTypeOf(type),
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
  const values = filter.values.flatMap((value) => boundValue(comparison, value) ?? []);
  // No row equals a value that the column's type cannot hold.
  const among = values.filter((value) => value.type === own);
  const [first] = among;
  if (first === undefined) return '0';
  if (among.length === 1) return `${column} = ${bound(comparison, first)}`;
  const list = `Array(${own})`;
  const texts = among.map(({ value }) => value);
  return `${column} IN ${bind(list, formatParam(list, texts, `${filter.attr}.value`))}`;
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

function boundType(type: ClickHouseType): string {
  return AS_TEXT.test(type.name) ? 'String' : typeToText(type);
}

/** Null for a value that no row can have: a time that no type of the engine can hold, or a number between two of the type. */
function boundValue({ filter, type }: Comparison, value: FilterValue): BoundValue | null {
  if (isTimeType(type)) return boundTime(filter, type, value);
  if (isExactNumber(type)) {
    const number = exactNumber(filter, type, value);
    return number.isBetween ? null : number;
  }
  if (type.name.startsWith('Enum')) requireMember(filter, type, value);
  // Its values are bound as texts of any length.
  if (type.name === 'FixedString') formatParam(typeToText(type), value, `${filter.attr}.value`);
  return { type: boundType(type), value };
}

/** Without the names of the members: they may be those of a column that the query does not return. */
function requireMember(filter: PropertyFilter, type: ClickHouseType, value: FilterValue): void {
  if (typeof value === 'string' && enumMembers(type).includes(value)) return;
  throw refused(filter, `must be a member of the enum of the column "${filter.key}".`);
}

function boundTime(
  filter: PropertyFilter,
  type: ClickHouseType,
  value: FilterValue,
): BoundValue | null {
  const text = String(value);
  if (isBeyondNanoseconds(text, type)) return null;
  const time = toTimeParam(text, type);
  if (typeof time !== 'string')
    return { type: time.type, value: time.type.startsWith('DateTime') ? text : time.text };
  if (time === 'other' && timeParts(text) !== null) return null;
  throw refused(
    filter,
    `must be a date or a time in ISO 8601 with at most 9 fractional digits, as in 2001-01-01 or 2001-01-01T00:00:00Z: ${typeOfColumn(filter, type)}.`,
  );
}

function exactNumber(
  filter: PropertyFilter,
  type: ClickHouseType,
  value: FilterValue,
): ExactNumber {
  const number = fitNumber(type, digitsOf(filter, type, value));
  if (number === null) {
    throw refused(
      filter,
      `must be a number of at most ${wholeDigits(type)} digits before the point: ${typeOfColumn(filter, type)}.`,
    );
  }
  return number;
}

/** All digits of a number. Throws for other values. */
function digitsOf(filter: PropertyFilter, type: ClickHouseType, value: FilterValue): DecimalParts {
  const parts = typeof value === 'boolean' ? null : decimalParts(String(value));
  if (parts === null) throw refused(filter, `must be a number: ${typeOfColumn(filter, type)}.`);
  if (typeof value === 'number') requireAllDigits(filter, value);
  return parts;
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
  if (isExactNumber(type)) return compareNumber(comparison, sign, column, value);
  if (isTyped(type) && !isText(type)) {
    const given = boundValue(comparison, value);
    return given === null
      ? isBeyond(String(value), sign, column)
      : `${column} ${sign} ${bound(comparison, given)}`;
  }
  if (isDecimal(String(value))) return compareText(comparison, sign, value);
  throw refused(
    filter,
    `must be a number: ${typeOfColumn(filter, type)}, whose texts are compared as numbers.`,
  );
}

/** A number that no value can be is compared by the next lower one that a value can be. */
const beside = { '>': '>', '>=': '>', '<': '<=', '<=': '<=' } as const;

/** @param left an expression of the comparison's type. */
function compareNumber(
  comparison: Comparison,
  sign: Sign,
  left: string,
  value: FilterValue,
): string {
  const number = exactNumber(comparison.filter, comparison.type, value);
  return `${left} ${number.isBetween ? beside[sign] : sign} ${bound(comparison, number)}`;
}

/** A comparison with a time that is earlier or later than any that the engine holds, such as 9999-12-31. */
function isBeyond(time: string, sign: Sign, column: string): string {
  const isLate = (timeParts(time)?.seconds ?? 0) > 0;
  return isLate === sign.startsWith('<') ? `isNotNull(${column})` : '0';
}

const int256 = parseClickHouseType('Int256');

/** Any whole number of so many digits is an Int256. */
const maxWholeDigits = 76;

/** Whole numbers with all their digits, others as doubles. */
function compareText(comparison: Comparison, sign: Sign, value: FilterValue): string {
  const text = textOfColumn(comparison);
  const { filter, bind } = comparison;
  const { whole, fraction } = digitsOf(filter, int256, value);
  const double = bind('Float64', formatParam('Float64', value, `${filter.attr}.value`));
  const asDouble = `toFloat64OrNull(${text}) ${sign} ${double}`;
  if (whole.length + fraction.length > maxWholeDigits) return asDouble;
  const integer = `if(length(${text}) <= ${maxWholeDigits}, toInt256OrNull(${text}), NULL)`;
  const asInteger = compareNumber({ ...comparison, type: int256 }, sign, integer, value);
  return `ifNull(${asInteger}, ${asDouble})`;
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
