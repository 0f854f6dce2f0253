/** Whether a column of floating point keeps the digits of a number that is written as text. Pure. */
import { quoteText } from '../../../sql/quote-name.ts';

/** Any number of so many digits is kept, by type. */
const keptDigits: Readonly<Record<string, number>> = { Float64: 15, Float32: 6, BFloat16: 2 };
/** No number of floating point has more. */
const maxDigits = 767;

export function isFloat(type: string): boolean {
  return keptDigits[type] !== undefined;
}

/**
 * An expression that is 1 for a number whose digits the type gives back: in its shortest text, or in one of as many
 * digits. NULL, NaN and infinities have none to lose; a text that is not a number is NULL or 0.
 *
 * @param text an expression of a string.
 * @param type must satisfy `isFloat`.
 */
export function keepsDigits(text: string, type: string): string {
  const number = `accurateCastOrNull(${text}, ${quoteText(type)})`;
  const written = digitsOf(text);
  const count = `greatest(least(length(${written}), ${maxDigits}), 1)`;
  const asLong = `printf(concat('%.', toString(${count} - 1), 'e'), toFloat64(${number}))`;
  const isShort = `match(${text}, '^[+-]?[0-9.]{1,${keptDigits[type]}}$')`;
  return `(${isShort} OR ${digitsOf(`toString(${number})`)} = ${written} OR ${digitsOf(asLong)} = ${written})`;
}

/** The digits of a number, without zeros at either end, and without its exponent. */
function digitsOf(text: string): string {
  return `replaceRegexpAll(replaceRegexpAll(${text}, '[eE].*|[^0-9]', ''), '^0+|0+$', '')`;
}
