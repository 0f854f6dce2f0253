/**
 * Types of a text file's columns that keep every value as it was written, where the inferred ones do not. By itself the
 * engine infers an integer for `00501`, a time for `05/06/2024`, and a float for a number of any length. Pure.
 */
import {
  type ClickHouseType,
  parseClickHouseType,
  typeToText,
} from '../../../sql/clickhouse-type.ts';
import { quoteName, quoteText } from '../../../sql/quote-name.ts';
import type { Column } from '../../query-engine.ts';
import type { LoadFormat } from '../../table-loader.ts';
import { bareType } from './fit-to-table.ts';
import { keepsDigits } from './float-digits.ts';
import { isNested, leavesOf, mapLeaves } from './nested-leaves.ts';
import { isHeldInNested } from './nested-text.ts';
import { isWholeTime } from './whole-times.ts';

const NUMBER = /^(U?Int\d+|Float64)$/;
const TIME = /^DateTime/;
/** Values of several types in a list. */
const MIXED = 'Dynamic';

/** A zip code, a phone number, or a hash such as `12e45`: in scientific notation one digit is before the exponent or a point. */
const OF_DIGITS = '^([+]|-?0[0-9]|[0-9]{2,}[eE][0-9])';
const PLAIN = '^-?([0-9]+[.]?[0-9]*|[.][0-9]+)$';
/** Of a year that Date32 holds. */
const DAY = '^(19|2[0-2])[0-9]{2}-[0-9]{2}-[0-9]{2}$';
/** JSON may have them among numbers. */
const BOOLEAN = '^(true|false)$';
/** Within an array or a tuple of a CSV. */
const QUOTED = `'([^'\\\\]|\\\\.)*'|"([^"\\\\]|\\\\.)*"`;
const NUMBERS = '[+-]?[.]?[0-9][0-9A-Za-z.+-]*';
/** Those of Decimal256 and Int256. */
const maxDigits = 76;

/** A column whose values have to be read as text to know its type. */
export interface DoubtfulColumn {
  readonly column: Column;
  /** The type by which its texts are read. */
  readonly readAs: string;
  /** SELECT item about them: an array of numbers. Null where columns inferred as `type` share items. */
  readonly facts: string | null;
  /** The inferred type, without Nullable. */
  readonly type: string;
  /** @param facts the value of `facts`. */
  typeAsWritten(facts: readonly number[]): string;
}

/** Null for a column whose inferred type keeps every value. */
export function doubtful(column: Column, format: LoadFormat): DoubtfulColumn | null {
  const type = parseClickHouseType(column.type);
  const isCsv = format === 'CSVWithNames';
  if (isCsv && (isNested(type) || type.name === 'Map')) return ofCsv(column, type);
  if (isNested(type)) return ofJson(column, type);
  const bare = bareType(column.type);
  if (!mayDiffer(bare.type)) return null;
  return {
    column,
    readAs: 'Nullable(String)',
    facts: null,
    type: bare.type,
    typeAsWritten(found) {
      const written = scalarAsWritten(bare.type, found);
      return bare.isNullable ? `Nullable(${written})` : written;
    },
  };
}

/** Each type within arrays and objects has its own facts. */
function ofJson(column: Column, type: ClickHouseType): DoubtfulColumn | null {
  const leaves = leavesOf(type, quoteName(column.name)).filter((leaf) => mayDiffer(leaf.type));
  if (leaves.length === 0) return null;
  const withOther = (toOther: (leaf: string) => string) =>
    typeToText(mapLeaves(type, (leaf) => (mayDiffer(leaf) ? toOther(leaf) : leaf)));
  const facts = leaves.flatMap((leaf) => factsOf(leaf.type, inList(leaf.texts)));
  return {
    column,
    readAs: withOther(textOf),
    facts: `[${facts.join(', ')}]`,
    type: column.type,
    typeAsWritten(found) {
      let read = 0;
      return withOther((leaf) => {
        const own = found.slice(read, read + FACTS);
        read += FACTS;
        return scalarAsWritten(leaf, own);
      });
    },
  };
}

/** A text if a value within it would change: the engine reads no texts out of lists of numbers. */
function ofCsv(column: Column, type: ClickHouseType): DoubtfulColumn {
  const text = `assumeNotNull(${quoteName(column.name)})`;
  const unquoted = `replaceRegexpAll(${text}, ${quoteText(QUOTED)}, '')`;
  const numbers = factsOf('Float64', inList(`extractAll(${unquoted}, '${NUMBERS}')`));
  const isHeld = isHeldInNested(type, text);
  const lost = isHeld === null ? '0' : `countIf(NOT ${isHeld})`;
  return {
    column,
    readAs: 'Nullable(String)',
    facts: `[${[lost, ...numbers].join(', ')}]`,
    type: column.type,
    typeAsWritten: ([changed = 0, asText = 0, , inexact = 0]) =>
      changed > 0 || asText > 0 || inexact > 0 ? 'String' : column.type,
  };
}

function mayDiffer(type: string): boolean {
  return NUMBER.test(type) || TIME.test(type) || type === MIXED;
}

function textOf(type: string): string {
  return type === MIXED ? 'Nullable(String)' : 'String';
}

/** How facts about texts are written: the text of a value, how many values fulfil a condition, the greatest number of any. */
export interface Texts {
  readonly text: string;
  count(condition: string): string;
  most(number: string): string;
}

function inList(texts: string): Texts {
  return {
    text: 'trimBoth(_x)',
    count: (condition) => `sum(arrayCount(_x -> ifNull(${condition}, 0), ${texts}))`,
    most: (number) => `max(arrayMax(_x -> ${number}, ${texts}))`,
  };
}

const FACTS = 6;

/** Those that decide about values of the inferred type; `0` for one that is not needed. */
export function factsOf(type: string, { text, count, most }: Texts): readonly string[] {
  const only = (fact: string) => [fact, ...Array.from({ length: FACTS - 1 }, () => '0')];
  if (TIME.test(type)) {
    const isOdd = count(`${text} != '' AND NOT ${isWholeTime(text)}`);
    return [isOdd, count(`${text} != '' AND NOT match(${text}, '${DAY}')`), '0', '0', '0', '0'];
  }
  if (type === MIXED) return only(count(mayChange(text)));
  const digits = (pattern: string) => `length(extract(${text}, '${pattern}'))`;
  const asText = count(
    `match(${text}, '${OF_DIGITS}') OR match(${text}, '${BOOLEAN}') OR (isInfinite(toFloat64OrZero(${text})) AND match(${text}, '[0-9]'))`,
  );
  if (type === 'UInt64') return [asText, count(`startsWith(${text}, '-')`), '0', '0', '0', '0'];
  if (type !== 'Float64') return only(asText);
  return [
    asText,
    count(`${text} != '' AND NOT match(${text}, '${PLAIN}')`),
    count(`NOT ${keepsDigits(text, 'Float64')}`),
    most(digits('^-?0*([0-9]*)')),
    most(digits('[.]([0-9]*?)0*$')),
    count(`position(${text}, '.') > 0`),
  ];
}

/** Whether a value of any type, or one within it, is a number or a time that the engine would take for another. */
function mayChange(text: string): string {
  const numbers = `extractAll(replaceRegexpAll(${text}, ${quoteText(QUOTED)}, ''), '${NUMBERS}')`;
  const isKept = `isNotNull(toInt64OrNull(_y)) OR isNotNull(toUInt64OrNull(_y)) OR ${keepsDigits('_y', 'Float64')}`;
  const isLost = `arrayExists(_y -> NOT ifNull(${isKept}, 1), ${numbers})`;
  const isTime = `isNotNull(parseDateTime64BestEffortOrNull(${text}, 3)) AND NOT match(${text}, '${PLAIN}')`;
  return `${isLost} OR (${isTime} AND NOT ${isWholeTime(text)})`;
}

function scalarAsWritten(type: string, facts: readonly number[]): string {
  const [asText = 0, notPlain = 0, inexact = 0, whole = 0, fraction = 0, points = 0] = facts;
  if (asText > 0) return textOf(type);
  // The engine infers a time from days that only Date32 holds.
  if (TIME.test(type)) return notPlain > 0 ? type : 'Date32';
  // The engine infers it from one integer that Int64 does not hold, whatever the others are.
  if (type === 'UInt64' && notPlain > 0) return 'Int128';
  if (type !== 'Float64') return type;
  // A number with an exponent, an infinity or NaN is one of floating point.
  if (notPlain > 0) return inexact > 0 ? 'String' : type;
  if (points === 0 && whole > 0 && whole <= maxDigits) return integerOf(whole);
  if (inexact === 0) return type;
  const digits = whole + fraction;
  if (digits > maxDigits) return 'String';
  return `Decimal(${digits <= 38 ? 38 : maxDigits}, ${fraction})`;
}

function integerOf(digits: number): string {
  if (digits <= 18) return 'Int64';
  return digits <= 38 ? 'Int128' : 'Int256';
}
