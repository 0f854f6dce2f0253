/** Whether a column of floating point keeps the digits of a number that is written as text. Pure. */
import { quoteText } from '../../../sql/quote-name.ts';

/** Any number of so many digits is kept, by type. */
const keptDigits: Readonly<Record<string, number>> = { Float64: 15, Float32: 6, BFloat16: 2 };
/** Writers give so many digits to any number (`%.6e`, `%.8e`, `%.16e`, `%.17e`, `%.18e`). Older servers take only a constant format. */
const printedDigits = [7, 8, 9, 16, 17, 18, 19] as const;

export function isFloat(type: string): boolean {
  return keptDigits[type] !== undefined;
}

/**
 * An expression that is 1 for a number whose digits the type gives back: in its shortest text, in one of up to 19 digits,
 * or as a whole number. NULL, NaN and infinities have none to lose; a text that is not a number is NULL or 0.
 *
 * @param text an expression of a string.
 * @param type must satisfy `isFloat`.
 */
export function keepsDigits(text: string, type: string): string {
  const number = `accurateCastOrNull(${text}, ${quoteText(type)})`;
  const written = digitsOf(text);
  const isShort = `match(${text}, '^[+-]?[0-9.]{1,${keptDigits[type]}}$')`;
  const isShortest = `${digitsOf(`toString(${number})`)} = ${written}`;
  const isRounded = printedDigits.map(
    (digits) => `${digitsOf(`printf('%.${digits - 1}e', toFloat64(${number}))`)} = ${written}`,
  );
  const isWhole = `ifNull(toInt256OrNull(${text}) = accurateCastOrNull(${number}, 'Int256'), 0)`;
  return `(${[isShort, isShortest, ...isRounded, isWhole].join(' OR ')})`;
}

/** The digits of a number, without zeros at either end, and without its exponent. */
function digitsOf(text: string): string {
  return `replaceRegexpAll(replaceRegexpAll(${text}, '[eE].*|[^0-9]', ''), '^0+|0+$', '')`;
}
