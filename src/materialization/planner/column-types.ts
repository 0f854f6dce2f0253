/** Which column types can be stored, used in a sorting key or served by the primary index. */
import {
  type ClickHouseType,
  elementTypes,
  innerType,
  numberArgument,
  parseClickHouseType,
  typeToText,
  withoutWrappers,
} from '../../sql/clickhouse-type.ts';
import type { DescribedColumn } from '../../sql/sql-analysis.ts';
import { refuse } from './refusal.ts';
import { isReservedName } from './stored-columns.ts';

/** Types with floating point numbers in them, as the geometric ones have. */
export const HOLDS_FLOATS = /Float|Point|Ring|LineString|Polygon|Geometry/;

/** Types of which values may be equal but differ, such as 0 and -0, so that they are one group or several. */
export const INEXACT = new RegExp(`${HOLDS_FLOATS.source}|Dynamic|Variant|JSON`);

/** Throws Refusal when a result column cannot be stored in a table. */
export function requireStorable(columns: readonly DescribedColumn[]): void {
  const seen = new Set<string>();
  for (const { name, type } of columns) {
    if (seen.has(name)) {
      refuse(
        `Two columns of the result are called ${name}; give one of them another name with AS.`,
      );
    }
    seen.add(name);
    if (isReservedName(name)) {
      refuse(
        `The name ${name} is reserved for stored tables; give the column another name with AS.`,
      );
    }
    if (/\b(Nothing|Set|Function)\b/.test(type)) {
      refuse(`The column ${name} has no type that a table can hold; give it one with CAST.`);
    }
  }
}

const SORTABLE =
  /^(U?Int\d+|Decimal\d*|String|FixedString|Date(32)?|DateTime(64)?|Bool|Enum\d+|UUID|IPv[46])$/;

/**
 * Whether a column of this type can be in a sorting key. Floats cannot: the index treats 0 and -0 as equal while IN
 * distinguishes them, and it does not order NaN.
 */
export function isSortable(type: string): boolean {
  return SORTABLE.test(baseOf(type));
}

/** A float type, possibly Nullable, also of a column that merges by itself. */
export const FLOAT = /^(SimpleAggregateFunction\(\w+, )?(Nullable\()?Float(32|64)\)*$/;
const INTEGER = /^U?Int(\d+)$/;
const NUMBER = /^(U?Int(8|16|32|64)|Bool)$/;
const WIDE = /^U?Int(128|256)$/;
const ADDRESS = /^IPv[46]$/;
const TIME = /^(Date(32)?|DateTime(64)?)$/;

/**
 * Whether at most one value of the column equals a given value. False for floats (0 and -0 are equal) and where the
 * comparison rounds or pads.
 */
export function matchesOneValue(columnType: string, givenType: string): boolean {
  const column = baseOf(columnType);
  const given = baseOf(givenType);
  if (NUMBER.test(column)) return /^(U?Int\d+|Bool|Float(32|64)|String)$/.test(given);
  if (TIME.test(column)) return TIME.test(given) || given === 'String';
  if (column === 'String') return given === 'String';
  if (WIDE.test(column)) return INTEGER.test(given);
  if (ADDRESS.test(column)) return ADDRESS.test(given) || given === 'String';
  if (/^(Enum\d+|UUID)$/.test(column)) return given === 'String' || given === column;
  return false;
}

/**
 * Whether the primary index returns the same rows as the comparison. Measured: it does not when it has to convert
 * between time types or scales; DateTime64 < DateTime loses rows.
 */
export function isIndexable(columnType: string, givenType: string): boolean {
  const column = withoutWrappers(parseClickHouseType(columnType));
  const outer = withoutWrappers(parseClickHouseType(givenType));
  if (outer.name === 'Tuple') {
    return elementTypes(outer).every((element) => isIndexable(columnType, typeToText(element)));
  }
  const given = outer.name === 'Array' ? withoutWrappers(innerType(outer)) : outer;
  if (NUMBER.test(column.name)) return /^(U?Int\d+|Bool|Float(32|64))$/.test(given.name);
  if (column.name.startsWith('Decimal')) return fits(given, column);
  // A string that is not a member of the enum matches no row, but the index raises an error for it.
  if (/^Enum\d+$/.test(column.name)) return false;
  // The comparison parses more spellings of a Nullable(String) than the index does.
  const isText = given.name === 'String' && !/\bNullable\b/.test(givenType);
  if (/^(Date(32)?|DateTime|UUID|IPv[46])$/.test(column.name)) {
    return isText || given.name === column.name;
  }
  // The value of a String parameter is parsed as the column's own type.
  if (column.name === 'DateTime64' && isText) return true;
  const isSameScale = numberArgument(column, 0) === numberArgument(given, 0);
  return given.name === column.name && (column.name === 'String' || isSameScale);
}

/**
 * Whether the primary index finds the rows of a tuple by `=` or IN. Measured: it does for values of the same types, none
 * of which is NULL.
 */
export function isTupleLookup(columnType: string, givenType: string): boolean {
  const column = parseClickHouseType(columnType);
  if (column.name !== 'Tuple' || !elementTypes(column).every(isPlainElement)) return false;
  const given = parseClickHouseType(givenType);
  const isList =
    given.name === 'Tuple' && elementTypes(given).every(({ name }) => name === 'Tuple');
  const tuples =
    given.name === 'Array' ? [innerType(given)] : isList ? elementTypes(given) : [given];
  const own = elementTypes(column).map(withoutLowCardinality).join();
  return tuples.every(
    (tuple) =>
      tuple.name === 'Tuple' && elementTypes(tuple).map(withoutLowCardinality).join() === own,
  );
}

function isPlainElement(type: ClickHouseType): boolean {
  return isSortable(typeToText(type)) && !typeToText(type).includes('Nullable');
}

function withoutLowCardinality(type: ClickHouseType): string {
  return typeToText(type.name === 'LowCardinality' ? innerType(type) : type);
}

/** Whether these are texts that `IN` compares with a FixedString, after it has converted them, so that the index can too. */
export function isSetOfTexts(columnType: string, givenType: string): boolean {
  const given = parseClickHouseType(givenType);
  const elements = given.name === 'Tuple' ? elementTypes(given) : [given];
  const types = given.name === 'Array' ? [innerType(given)] : elements;
  return (
    withoutWrappers(parseClickHouseType(columnType)).name === 'FixedString' &&
    types.every(({ name }) => name === 'String')
  );
}

/**
 * Whether the primary index finds the same rows as `IN` with a subquery of this type. Measured: it does for values of
 * one type, also with NULL among them, and for integers of several. Among Bools every number but 0 is true, except to
 * the index.
 */
export function isFoundBySet(columnType: string, setType: string): boolean {
  const [column, set] = [columnType, setType].map((type) =>
    withoutWrappers(parseClickHouseType(type)),
  );
  if (column === undefined || set === undefined) return false;
  const areIntegers = INTEGER.test(column.name) && INTEGER.test(set.name);
  if (areIntegers && column.name !== set.name) return !/\bNullable\b/.test(columnType);
  return typeToText(column) === typeToText(set);
}

/** Decimal digits of the integer types that the index converts to a Decimal, by their bits. */
const digits: Readonly<Record<string, number>> = { 8: 3, 16: 5, 32: 10, 64: 20 };

/** The engine stores Decimals of up to these numbers of digits in 32, 64, 128 and 256 bits. */
const precisions = [9, 18, 38, 76] as const;

/**
 * Whether the index converts numbers of the type to the Decimal, which it does where none can lose digits. Measured: it
 * is not used for others.
 */
function fits(given: ClickHouseType, decimal: ClickHouseType): boolean {
  const [precision, scale] = sizeOf(decimal);
  const [, bits] = INTEGER.exec(given.name) ?? [];
  if (bits !== undefined) return (digits[bits] ?? Number.NaN) + scale <= precision;
  const [givenPrecision, givenScale] = sizeOf(given);
  return givenScale <= scale && widthOf(givenPrecision) <= widthOf(precision);
}

const widthOf = (precision: number) => precisions.find((most) => precision <= most) ?? Number.NaN;

function sizeOf(type: ClickHouseType): readonly [precision: number, scale: number] {
  if (!type.name.startsWith('Decimal')) return [Number.NaN, Number.NaN];
  return [numberArgument(type, 0) ?? Number.NaN, numberArgument(type, 1) ?? 0];
}

function baseOf(type: string): string {
  return withoutWrappers(parseClickHouseType(type)).name;
}
