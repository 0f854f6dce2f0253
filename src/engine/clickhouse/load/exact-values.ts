/**
 * Converts a file's value to its column's type exactly or not at all. By itself the engine wraps integers that are too
 * large, truncates decimals and times, and moves dates that do not exist. Pure.
 */
import {
  type ClickHouseType,
  elementTypes,
  innerType,
  numberArgument,
  parseClickHouseType,
  typeToText,
  withoutWrappers,
} from '../../../sql/clickhouse-type.ts';
import { quoteName, quoteText } from '../../../sql/quote-name.ts';
import type { Column } from '../../query-engine.ts';
import { isFloat, keepsDigits } from './float-digits.ts';
import { isNested, mapLeaves } from './nested-leaves.ts';
import { fractionOfTime, isWholeTime, writtenYear } from './whole-times.ts';

/** One column of an INSERT … SELECT … FROM input(…). */
export interface ExactColumn {
  /** The type that the format reads. */
  readonly readAs: string;
  readonly value: string;
  /** An expression that is false, or not 1, for a value that the column cannot hold; null when every value fits. */
  readonly isHeld: string | null;
}

const point = 'Tuple(Float64, Float64)';
/** The engine's own definitions of these types. */
const geoTypes: ReadonlyMap<string, string> = new Map([
  ['Point', point],
  ['Ring', `Array(${point})`],
  ['LineString', `Array(${point})`],
  ['MultiLineString', `Array(Array(${point}))`],
  ['Polygon', `Array(Array(${point}))`],
  ['MultiPolygon', `Array(Array(Array(${point})))`],
]);

type Conversion = Pick<ExactColumn, 'value'> & { readonly isExact: string };

/** For a text format: the value arrives as it was written. */
export function exactFromText({ name, type }: Column, isCsv: boolean): ExactColumn {
  const plain = geoTypes.get(type);
  if (plain !== undefined) return exactFromText({ name, type: plain }, isCsv);
  const own = parseClickHouseType(type);
  const bare = withoutWrappers(own);
  const source = quoteName(name);
  if (!isCsv && (isNested(own) || own.name === 'Map')) return exactFromNested(own, source);
  const convert = conversions[kindOf(bare)];
  if (convert === undefined) return readDirectly({ name, type }, isCsv);
  const { value, isExact } = convert(`trimBoth(${source})`, bare);
  const isEmpty = holdsNull(own) ? `isNull(${source})` : '0';
  return {
    readAs: 'Nullable(String)',
    value,
    isHeld: `(${isEmpty} OR ifNull(${isExact}, 0))`,
  };
}

/** For an array or an object of JSON: each value within it arrives as it was written. */
function exactFromNested(type: ClickHouseType, source: string): ExactColumn {
  const { value, isExact } = convertWithin(type, source);
  return {
    readAs: readWithin(type),
    value: `CAST(${value}, ${quoteText(typeToText(type))})`,
    isHeld: isExact,
  };
}

/** A member that an object does not have would be read as an empty text, so that texts are read as Nullable. */
function readWithin(type: ClickHouseType): string {
  if (mayGapWithin(type)) return `Nullable(${typeToText(withoutWrappers(type))})`;
  if (type.name === 'Map') {
    const [key, item] = elementTypes(type);
    if (key === undefined || item === undefined) return typeToText(type);
    return `Map(${typeToText(mapLeaves(key, textOf))}, ${readWithin(item)})`;
  }
  if (!/^(?:Array|Tuple)$/.test(type.name)) return typeToText(mapLeaves(type, textOf));
  const args = (type.args ?? []).map(({ label, type: inner, text }) => {
    if (inner === null) return text;
    return label === null ? readWithin(inner) : `${label} ${readWithin(inner)}`;
  });
  return `${type.name}(${args.join(', ')})`;
}

function textOf(leaf: string): string {
  return conversions[kindOf(parseClickHouseType(leaf))] === undefined ? leaf : 'String';
}

const mayBeNullable = /^(?:String|FixedString|UUID|IPv4|IPv6|Enum8|Enum16|Bool|Time|Time64)$/;

function mayGapWithin(type: ClickHouseType): boolean {
  return mayBeNullable.test(withoutWrappers(type).name) && !holdsNull(type);
}

function convertWithin(type: ClickHouseType, source: string, depth = 0): Conversion {
  if (type.name === 'Array') {
    const element = `_e${depth}`;
    const { value, isExact } = convertWithin(innerType(type), element, depth + 1);
    return {
      value: `arrayMap(${element} -> ${value}, ${source})`,
      isExact: `arrayAll(${element} -> ${isExact}, ${source})`,
    };
  }
  if (type.name === 'Tuple') {
    const all = elementTypes(type).map((each, at) =>
      convertWithin(each, `tupleElement(${source}, ${at + 1})`, depth),
    );
    return {
      value: `tuple(${all.map(({ value }) => value).join(', ')})`,
      isExact: `(${all.map(({ isExact }) => isExact).join(' AND ')})`,
    };
  }
  if (type.name === 'Map') return convertMap(type, source, depth);
  const bare = withoutWrappers(type);
  const convert = conversions[kindOf(bare)];
  if (convert === undefined)
    return { value: source, isExact: mayGapWithin(type) ? `isNotNull(${source})` : '1' };
  const { value, isExact } = convert(`trimBoth(${source})`, bare);
  const isEmpty = holdsNull(type) ? `isNull(${source})` : '0';
  return { value, isExact: `(${isEmpty} OR ifNull(${isExact}, 0))` };
}

function convertMap(type: ClickHouseType, source: string, depth: number): Conversion {
  const [key, item] = elementTypes(type);
  if (key === undefined || item === undefined) return { value: source, isExact: '1' };
  const [name, element] = [`_k${depth}`, `_e${depth}`];
  const keys = convertWithin(key, name, depth + 1);
  const items = convertWithin(item, element, depth + 1);
  const [names, elements] = [`mapKeys(${source})`, `mapValues(${source})`];
  // The key of a map has no NULL; one that could not be converted is refused by `isExact`.
  const value = `mapFromArrays(arrayMap(${name} -> assumeNotNull(${keys.value}), ${names}), arrayMap(${element} -> ${items.value}, ${elements}))`;
  const areKeys = mayGapWithin(key) ? '1' : `arrayAll(${name} -> ${keys.isExact}, ${names})`;
  return {
    value,
    isExact: `(${areKeys} AND arrayAll(${element} -> ${items.isExact}, ${elements}))`,
  };
}

/** For a typed format: a value is accepted when converting it back gives the same value. */
export function exactFromTyped({ name, type }: Column, fileType: string): ExactColumn {
  const source = quoteName(name);
  if (fileType === type) return { readAs: fileType, value: source, isHeld: null };
  const own = parseClickHouseType(type);
  const value = `accurateCastOrNull(${source}, ${quoteText(typeToText(withoutWrappers(own)))})`;
  const back = typeToText(withoutWrappers(parseClickHouseType(fileType)));
  const isEmpty = holdsNull(own) ? `isNull(${source})` : '0';
  const isExact = `ifNull(accurateCastOrNull(${value}, ${quoteText(back)}) = ${source}, 0)`;
  return { readAs: fileType, value, isHeld: `(${isEmpty} OR ${isExact})` };
}

/**
 * Types that the engine reads exactly or refuses; an empty field of a CSV would become 0, a missing JSON member the
 * default.
 */
function readDirectly({ name, type }: Column, isCsv: boolean): ExactColumn {
  const source = quoteName(name);
  const mayGap = isCsv
    ? !neverNullable.test(withoutWrappers(parseClickHouseType(type)).name)
    : true;
  const own = parseClickHouseType(type);
  if (!mayGap || holdsNull(own) || (!isCsv && notInNullable.test(own.name)))
    return { readAs: type, value: source, isHeld: null };
  const inner = own.name === 'LowCardinality' ? typeToText(withoutWrappers(own)) : type;
  return { readAs: `Nullable(${inner})`, value: source, isHeld: `isNotNull(${source})` };
}

const neverNullable = /^(?:Array|Map|Tuple|Nested|Variant|Dynamic|JSON|String|FixedString)$/;
const notInNullable = /^(?:Array|Map|Tuple|Nested|Variant|Dynamic|JSON)$/;

/** The type without Nullable and LowCardinality. */
function holdsNull(type: ClickHouseType): boolean {
  return type.name === 'Nullable' || (type.name === 'LowCardinality' && holdsNull(innerType(type)));
}

type Kind = 'integer' | 'decimal' | 'float' | 'date' | 'time' | 'other';

function kindOf({ name }: ClickHouseType): Kind {
  if (/^U?Int\d+$/.test(name)) return 'integer';
  if (/^Decimal(?:\d+)?$/.test(name)) return 'decimal';
  if (isFloat(name)) return 'float';
  if (/^Date(?:32)?$/.test(name)) return 'date';
  return /^DateTime(?:32|64)?$/.test(name) ? 'time' : 'other';
}

type Convert = (text: string, type: ClickHouseType) => Conversion;

const conversions: Readonly<Record<Kind, Convert | undefined>> = {
  integer: (text, type) => {
    const value = castOrNull(text, type);
    return { value, isExact: `isNotNull(${value})` };
  },
  decimal: (text, type) => {
    const scale = numberArgument(type, type.name === 'Decimal' ? 1 : 0) ?? 0;
    const value = castOrNull(text, type);
    const isPlain = `match(${text}, '^[+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)$')`;
    return {
      value,
      isExact: `isNotNull(${value}) AND ${isPlain} AND ${fraction(text)} <= ${scale}`,
    };
  },
  float: (text, type) => {
    const value = castOrNull(text, type);
    return { value, isExact: `isNotNull(${value}) AND ${keepsDigits(text, type.name)}` };
  },
  date: (text, type) => {
    const day = `toDate32OrNull(${text})`;
    const value = castOrNull(day, type);
    const parts = `arrayMap(x -> toUInt32OrZero(x), extractAll(ifNull(${text}, ''), '[0-9]+'))`;
    const isSame = `${parts} = [toUInt32(ifNull(toYear(${day}), 0)), toUInt32(ifNull(toMonth(${day}), 0)), toUInt32(ifNull(toDayOfMonth(${day}), 0))]`;
    const isPlain = `match(${text}, '^[0-9]{4}[-/.][0-9]{1,2}[-/.][0-9]{1,2}$')`;
    const isHeld = `toDate32(${value}) = ${day}`;
    return { value, isExact: `${isPlain} AND ${isSame} AND ${isHeld}` };
  },
  time: toTime,
  other: undefined,
};

/** Refuses fraction digits, years beyond the type's range, and times that are not whole. */
function toTime(text: string, type: ClickHouseType): Conversion {
  const is64 = type.name === 'DateTime64';
  const scale = is64 ? (numberArgument(type, 0) ?? 3) : 0;
  const written = (type.args ?? []).map((arg) => arg.text).find((arg) => arg.startsWith("'"));
  const zone = written === undefined ? '' : `, ${written}`;
  // Without decimals, the engine reads any earlier or later time as the first or last of a DateTime.
  const wideScale = Math.max(scale, 3);
  const wide = `parseDateTime64BestEffortOrNull(${text}, ${wideScale}${zone})`;
  const value = is64 ? `toDateTime64(${wide}, ${scale}${zone})` : `toDateTime(${wide}${zone})`;
  const year = writtenYear(text);
  const isNear = `(${year} = '' OR abs(toInt32OrZero(${year}) - toInt32(toYear(${wide}))) <= 1)`;
  const isHeld = `toDateTime64(${value}, ${wideScale}) = ${wide}`;
  return {
    value,
    isExact: `${isHeld} AND ${isNear} AND ${isWholeTime(text)} AND ${fractionOfTime(text)} <= ${scale}`,
  };
}

/** The digits after the decimal point, without trailing zeros. */
function fraction(text: string): string {
  return `length(trimRight(extract(ifNull(${text}, ''), '[0-9]*[.]([0-9]+)'), '0'))`;
}

function castOrNull(text: string, type: ClickHouseType): string {
  return `accurateCastOrNull(${text}, ${quoteText(typeToText(type))})`;
}
