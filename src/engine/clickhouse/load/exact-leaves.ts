/** Converts a text to a type that has no others within it, exactly or not at all. Pure. */
import {
  type ClickHouseType,
  enumMembers,
  innerType,
  numberArgument,
  typeToText,
  withoutWrappers,
} from '../../../sql/clickhouse-type.ts';
import { quoteText } from '../../../sql/quote-name.ts';
import { isFloat, keepsDigits } from './float-digits.ts';
import { fractionOfTime, isWholeTime, writtenYear } from './whole-times.ts';

/** One column of an INSERT … SELECT … FROM input(…). */
export interface ExactColumn {
  /** The type that the format reads. */
  readonly readAs: string;
  /** An expression of what was read that takes its place in the others; absent for none. */
  readonly prepared?: string;
  readonly value: string;
  /** An expression that is false, or not 1, for a value that the column cannot hold; null when every value fits. */
  readonly isHeld: string | null;
}

export interface Conversion {
  readonly value: string;
  /** An expression that is 1 if the value is that of the text, and NULL or 0 otherwise. */
  readonly isExact: string;
}

export function holdsNull(type: ClickHouseType): boolean {
  return type.name === 'Nullable' || (type.name === 'LowCardinality' && holdsNull(innerType(type)));
}

export type Kind = 'integer' | 'decimal' | 'float' | 'date' | 'time' | 'clock' | 'enum' | 'other';

export function kindOf(type: ClickHouseType): Kind {
  const { name } = type;
  if (/^U?Int\d+$/.test(name)) return 'integer';
  if (/^Decimal(?:\d+)?$/.test(name)) return 'decimal';
  if (isFloat(name)) return 'float';
  if (/^Date(?:32)?$/.test(name)) return 'date';
  if (/^Time(?:64)?$/.test(name)) return 'clock';
  if (/^Enum(?:8|16)?$/.test(name) && !isAmbiguous(type)) return 'enum';
  return /^DateTime(?:32|64)?$/.test(name) ? 'time' : 'other';
}

export type Convert = (text: string, type: ClickHouseType) => Conversion;

export const conversions: Readonly<Record<Kind, Convert | undefined>> = {
  integer: (text, type) => {
    const value = castOrNull(text, type);
    const isHeld = `isNotNull(${value})`;
    if (!/^U?Int(?:128|256)$/.test(type.name)) return { value, isExact: isHeld };
    // The engine takes numbers beyond these types for others.
    const digits = `replaceRegexpOne(${text}, '^[+]?(-?)0*([0-9])', ${quoteText('\\1\\2')})`;
    return { value, isExact: `${isHeld} AND toString(${value}) = ${digits}` };
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
    const isCompact = `(match(${text}, '^[0-9]{8}$') AND toString(toYYYYMMDD(${day})) = ${text})`;
    const isHeld = `toDate32(${value}) = ${day}`;
    return { value, isExact: `((${isPlain} AND ${isSame}) OR ${isCompact}) AND ${isHeld}` };
  },
  time: toTime,
  clock: (text, type) => {
    // The engine takes 10:61:00 for another time, and drops digits.
    const digits = type.name === 'Time' ? 0 : (numberArgument(type, 0) ?? 3);
    const clock = `^-?[0-9]{1,3}:[0-5][0-9]:[0-5][0-9]([.][0-9]{0,${digits}}0*)?$`;
    const value = castOrNull(text, type);
    return { value, isExact: `match(${text}, ${quoteText(clock)}) AND isNotNull(${value})` };
  },
  // The engine takes the number 257 of JSON for 1, and has no cast of a text that gives NULL for one that is no member.
  enum: (text, type) => {
    const members = [...enumMembers(type), ...enumNumbers(type).map(String)].map(quoteText);
    const value = `CAST(if(${text} IN (${members.join(', ')}), ${text}, NULL), ${quoteText(`Nullable(${typeToText(type)})`)})`;
    return { value, isExact: `isNotNull(${value})` };
  },
  other: undefined,
};

/** Whether the text of a number is the name of another member, so that a text does not tell which of them is meant. */
function isAmbiguous(type: ClickHouseType): boolean {
  const names = enumMembers(type);
  const numbers = enumNumbers(type).map(String);
  return names.some((name, at) => numbers.includes(name) && numbers[at] !== name);
}

/** Of the members, in order. One that has none written has that after the last. */
function enumNumbers(type: ClickHouseType): readonly number[] {
  let last = 0;
  return (type.args ?? []).map(({ text }) => {
    const written = /=\s*(-?\d+)$/.exec(text)?.[1];
    last = written === undefined ? last + 1 : Number(written);
    return last;
  });
}

/** Null for a type that is not converted from a text. */
export function convertLeaf(type: ClickHouseType, source: string): Conversion | null {
  const bare = withoutWrappers(type);
  const kind = kindOf(bare);
  const convert = conversions[kind];
  if (convert === undefined) return null;
  const { value, isExact } = convert(kind === 'enum' ? source : `trimBoth(${source})`, bare);
  const isEmpty = holdsNull(type) ? `isNull(${source})` : '0';
  return { value, isExact: `(${isEmpty} OR ifNull(${isExact}, 0))` };
}

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
  // The engine moves a time of an hour that the clocks of the zone skip.
  const inUtc = `parseDateTime64BestEffortOrNull(${text}, ${wideScale}, 'UTC')`;
  const isOnClock =
    zone === '' ? '' : ` AND (${wide} = ${inUtc} OR toString(${wide}) = toString(${inUtc}))`;
  return {
    value,
    isExact: `${isHeld}${isOnClock} AND ${isNear} AND ${isWholeTime(text)} AND ${fractionOfTime(text)} <= ${scale}`,
  };
}

/** The digits after the decimal point, without trailing zeros. */
function fraction(text: string): string {
  return `length(trimRight(extract(ifNull(${text}, ''), '[0-9]*[.]([0-9]+)'), '0'))`;
}

export function castOrNull(text: string, type: ClickHouseType): string {
  return `accurateCastOrNull(${text}, ${quoteText(typeToText(type))})`;
}
