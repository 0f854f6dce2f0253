/**
 * The condition of a filter on a column of a known type. Numbers and times are compared as values of the column's type,
 * exact to the last digit, so that the table's sorting key can be used. A value that the type cannot hold is compared
 * as one of a wider type. Pure.
 */
import { invalidInput } from '../../errors/service-error.ts';
import { isDecimal } from '../../lib/decimal-text.ts';
import { type ClickHouseType, parseClickHouseType } from '../../sql/clickhouse-type.ts';
import { equalOperand } from '../../sql/equal-operand.ts';
import { timeParts } from '../../sql/param-time.ts';
import { formatParam } from '../../sql/param-value.ts';
import { quoteName } from '../../sql/quote-name.ts';
import { valueTypeOf } from '../../sql/value-type.ts';
import {
  type BoundValue,
  boundType,
  boundValue,
  digitsOf,
  exactNumber,
  isTyped,
  refused,
  typeOfColumn,
} from './bound-value.ts';
import { isExactNumber } from './exact-number.ts';
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

/** Types whose IN differs from `=`: 0 is not in a set with -0, and NaN is in one with NaN. */
const FLOAT = /^B?Float/;

function isAnyOf(comparison: Comparison): string {
  const { column, filter, type, bind } = comparison;
  if (!isTyped(type))
    return `has(${bind('Array(String)', formatParam('Array(String)', filter.values))}, toString(${column}))`;
  const own = boundType(type);
  const values = filter.values.flatMap((value) => boundValue(filter, type, value) ?? []);
  if (values.length === 0) return '0';
  const among = FLOAT.test(type.name) ? [] : values.filter((value) => value.type === own);
  const others = values.filter((value) => value.type !== own || among.length <= 1);
  const list = `Array(${own})`;
  const texts = among.map(({ value }) => value);
  return either([
    ...(among.length > 1
      ? [`${column} IN ${bind(list, formatParam(list, texts, `${filter.attr}.value`))}`]
      : []),
    ...others.map(
      (value) => `${column} = ${equalOperand(bound(comparison, value), value.type, own)}`,
    ),
  ]);
}

function bound({ filter, bind }: Comparison, { type, value }: BoundValue): string {
  return bind(type, formatParam(type, value, `${filter.attr}.value`));
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
    const given = boundValue(filter, type, value);
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
