import { decimalParts, significantDigits } from './decimal-text.ts';

/** No input needs deeper JSON, and walking it could exhaust the stack. */
export const maxJsonDepth = 64;

/** A number with a fraction has more digits than a double keeps. Its message is for the caller. */
export class InexactNumberError extends SyntaxError {
  constructor(text: string) {
    const shown = text.length > 60 ? `${text.slice(0, 60)}…` : text;
    super(`The number ${shown} has more digits than a JSON number keeps. Send it as a string.`);
  }
}

/**
 * Parses JSON with every digit of its numbers: whole numbers that a double cannot hold become bigints. Throws
 * InexactNumberError for other numbers that a double cannot hold, and SyntaxError for text that is not JSON, or is nested
 * deeper than `maxJsonDepth`.
 */
export function parseJson(text: string): unknown {
  if (depthOf(text) > maxJsonDepth)
    throw new SyntaxError(`JSON is nested deeper than ${maxJsonDepth}`);
  if (!/[\d.]{16}/.test(text)) return JSON.parse(text);
  return JSON.parse(text, keepDigits as (key: string, value: unknown) => unknown);
}

/**
 * A reviver for `JSON.parse` that turns whole numbers too large for a double into bigints. `context.source` is the
 * number as written. Throws InexactNumberError. Source: TC39 JSON.parse source text access.
 */
export function keepDigits(
  _key: string,
  value: unknown,
  context?: { readonly source?: string },
): unknown {
  const source = context?.source;
  if (typeof value !== 'number' || source === undefined) return value;
  return /^-?\d+$/.test(source) ? toWholeNumber(source) : toExactNumber(source);
}

/** Every number of so many characters keeps its digits, unless it is too close to 0. */
const shortNumber = 15;
/** No double has more significant digits. */
const longestNumber = 1100;

/** The value of a number with a fraction or an exponent. Throws InexactNumberError. */
export function toExactNumber(text: string): number {
  const number = Number(text);
  if (text.length <= shortNumber && number !== 0) return number;
  if (!Number.isFinite(number) || keepsDigits(number, text)) return number;
  throw new InexactNumberError(text);
}

/** A double is known by so many significant digits; writers that use more write it exactly. */
const doubleDigits = 17;
/** The most that `toPrecision` gives. */
const mostDigits = 100;

/** Whether the text is the double: in its shortest form, rounded to its number of digits, or with all of them. */
function keepsDigits(number: number, text: string): boolean {
  const parts = text.length > longestNumber ? null : decimalParts(text);
  if (parts === null) return false;
  const digits = significantDigits(parts);
  const shown = digits > doubleDigits ? mostDigits : Math.max(digits, 1);
  return [String(number), number.toPrecision(shown)].some((form) => {
    const kept = decimalParts(form);
    return kept?.whole === parts.whole && kept.fraction === parts.fraction;
  });
}

/** No type of the engine has more digits, and parsing them takes superlinear time. */
const maxDigits = 1000;

/** The value of an optional minus and digits: exact as a number or a bigint, unless there are too many digits. */
export function toWholeNumber(text: string): number | bigint {
  const number = Number(text);
  return Number.isSafeInteger(number) || text.length > maxDigits ? number : BigInt(text);
}

function depthOf(text: string): number {
  let depth = 0;
  let deepest = 0;
  let inText = false;
  for (let at = 0; at < text.length; at += 1) {
    const char = text.charCodeAt(at);
    if (inText) {
      if (char === 92) at += 1;
      else if (char === 34) inText = false;
    } else if (char === 34) inText = true;
    else if (char === 91 || char === 123) {
      depth += 1;
      if (depth > deepest) deepest = depth;
    } else if (char === 93 || char === 125) depth -= 1;
  }
  return deepest;
}
