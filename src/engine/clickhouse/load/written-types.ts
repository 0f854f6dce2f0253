/**
 * Types of a text file's columns that keep every value as it was written, where the inferred ones do not. By itself the
 * engine infers an integer for `00501`, a time for `05/06/2024`, and a float for a number of any length. Pure.
 */
import { quoteName } from '../../../sql/quote-name.ts';
import type { Column } from '../../query-engine.ts';
import { bareType } from './fit-to-table.ts';
import { keepsDigits } from './float-digits.ts';
import { isWholeTime } from './whole-times.ts';

const NUMBER = /^(U?Int\d+|Float64)$/;
const TIME = /^DateTime/;

/** A zip code, a phone number, or a hash such as `12e45`: in scientific notation one digit is before the exponent or a point. */
const OF_DIGITS = '^([+]|-?0[0-9]|[0-9]{2,}[eE][0-9])';
const PLAIN = '^-?([0-9]+[.]?[0-9]*|[.][0-9]+)$';
/** JSON may have them among numbers. */
const BOOLEAN = '^(true|false)$';
/** Those of Decimal256 and Int256. */
const maxDigits = 76;

/** The columns whose values have to be read as text to know. */
export function mayDiffer(column: Column): boolean {
  const { type } = bareType(column.type);
  return NUMBER.test(type) || TIME.test(type);
}

/** SELECT item about such a column, read as Nullable(String): an array of numbers, which `typeAsWritten` takes. */
export function factsOf({ name, type }: Column): string {
  const text = `trimBoth(assumeNotNull(${quoteName(name)}))`;
  if (TIME.test(bareType(type).type))
    return `[countIf(${text} != '' AND NOT ${isWholeTime(text)})]`;
  const digits = (pattern: string) => `length(extract(${text}, '${pattern}'))`;
  const facts = [
    `countIf(match(${text}, '${OF_DIGITS}') OR match(${text}, '${BOOLEAN}') OR (isInfinite(toFloat64OrZero(${text})) AND match(${text}, '[0-9]')))`,
    `countIf(${text} != '' AND NOT match(${text}, '${PLAIN}'))`,
    `countIf(NOT ${keepsDigits(text, 'Float64')})`,
    `max(${digits('^-?0*([0-9]*)')})`,
    `max(${digits('[.]([0-9]*?)0*$')})`,
    `countIf(position(${text}, '.') > 0)`,
  ];
  return `[${facts.join(', ')}]`;
}

/** @param facts the value of `factsOf`. */
export function typeAsWritten({ type }: Column, facts: readonly number[]): string {
  const [asText = 0, notPlain = 0, inexact = 0, whole = 0, fraction = 0, points = 0] = facts;
  const bare = bareType(type);
  const wrapped = (inner: string) => (bare.isNullable ? `Nullable(${inner})` : inner);
  if (asText > 0) return wrapped('String');
  if (bare.type !== 'Float64') return type;
  // A number with an exponent, an infinity or NaN is one of floating point.
  if (notPlain > 0) return inexact > 0 ? wrapped('String') : type;
  if (points === 0 && whole > 0 && whole <= maxDigits) return wrapped(integerOf(whole));
  if (inexact === 0) return type;
  const digits = whole + fraction;
  if (digits > maxDigits) return wrapped('String');
  return wrapped(`Decimal(${digits <= 38 ? 38 : maxDigits}, ${fraction})`);
}

function integerOf(digits: number): string {
  if (digits <= 18) return 'Int64';
  return digits <= 38 ? 'Int128' : 'Int256';
}
