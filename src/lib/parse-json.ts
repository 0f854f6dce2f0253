import { randomUUID } from 'node:crypto';
import { significantDigits } from './decimal-text.ts';

/** No input needs deeper JSON, and walking it could exhaust the stack. */
export const maxJsonDepth = 64;

/** A number with a fraction has more digits than a double keeps. Its message is for the caller. */
export class InexactNumberError extends SyntaxError {
  constructor(text: string) {
    const shown = text.length > 60 ? `${text.slice(0, 60)}…` : text;
    super(
      `The number ${shown} has more digits than a JSON number keeps. Send it as a string, or rounded to 15 digits.`,
    );
  }
}

/** Without such a run of characters no number has more digits than a double keeps. */
const LONG = /[\d.]{16}/;

/**
 * Parses JSON with every digit of its numbers: whole numbers that a double cannot hold become bigints. Throws
 * InexactNumberError for other numbers that a double cannot hold, and SyntaxError for text that is not JSON, or is nested
 * deeper than `maxJsonDepth`.
 */
export function parseJson(text: string): unknown {
  if (depthOf(text) > maxJsonDepth)
    throw new SyntaxError(`JSON is nested deeper than ${maxJsonDepth}`);
  if (!LONG.test(text)) return JSON.parse(text);
  const { marked, inexact } = markBigints(text);
  const value = parseMarked(marked);
  if (inexact !== null) throw new InexactNumberError(inexact);
  return marked === text ? value : restoreBigints(value);
}

/** The engine's message would show a part of the mark. */
function parseMarked(marked: string): unknown {
  try {
    return JSON.parse(marked);
  } catch {
    throw new SyntaxError('The text is not JSON');
  }
}

/** Starts a string that stands for a bigint. No caller can know it. */
const bigintMark = `${randomUUID()} `;

interface Marked {
  readonly marked: string;
  /** The first number with a fraction that would lose digits. */
  readonly inexact: string | null;
}

/**
 * Writes whole numbers that a double cannot hold as marked strings. A reviver of `JSON.parse` would get them as they are
 * written too, but takes a microsecond for each value of the text.
 */
function markBigints(text: string): Marked {
  let inexact: string | null = null;
  const pieces: string[] = [];
  let written = 0;
  for (const { source, at } of numbersIn(text)) {
    if (!/^-?\d+$/.test(source)) {
      if (!isExact(source)) inexact ??= source;
    } else if (typeof toWholeNumber(source) === 'bigint') {
      pieces.push(text.slice(written, at), `"${bigintMark}${source}"`);
      written = at + source.length;
    }
  }
  return { marked: `${pieces.join('')}${text.slice(written)}`, inexact };
}

function restoreBigints(value: unknown): unknown {
  if (typeof value === 'string')
    return value.startsWith(bigintMark) ? BigInt(value.slice(bigintMark.length)) : value;
  if (Array.isArray(value)) return value.map(restoreBigints);
  if (value === null || typeof value !== 'object') return value;
  const object = value as Record<string, unknown>;
  for (const key of Object.keys(object)) {
    if (key.startsWith(bigintMark)) throw new SyntaxError('A name in JSON is a number');
    object[key] = restoreBigints(object[key]);
  }
  return object;
}

/** RFC 8259, 6. */
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;

/** The numbers of a JSON text, as they are written. */
function* numbersIn(text: string): Generator<{ readonly source: string; readonly at: number }> {
  for (let at = 0; at < text.length; at += 1) {
    const char = text.charCodeAt(at);
    if (char === 34) at = endOfString(text, at);
    else if (char === 45 || (char >= 48 && char <= 57)) {
      NUMBER.lastIndex = at;
      const [source = ''] = NUMBER.exec(text) ?? [];
      if (source.length > 1) {
        yield { source, at };
        at += source.length - 1;
      }
    }
  }
}

/** The position of the quote that ends the string; that of the last character if none does. */
function endOfString(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length && text.charCodeAt(at) !== 34) at += text.charCodeAt(at) === 92 ? 2 : 1;
  return at;
}

/** Every number of so many characters keeps its digits, unless it is too close to 0. */
const shortNumber = 15;
/** A zero as it may be written, such as `-0.0e5`. Other numbers that become 0 are too small. */
const ZERO = /^-?[0.]+(e|$)/i;
/** No double has more significant digits. */
const longestNumber = 1100;

/** The value of a number with a fraction or an exponent. Throws InexactNumberError. */
export function toExactNumber(text: string): number {
  if (!isExact(text)) throw new InexactNumberError(text);
  return Number(text);
}

function isExact(text: string): boolean {
  const number = Number(text);
  if (number === 0 ? ZERO.test(text) : text.length <= shortNumber) return true;
  return !Number.isFinite(number) || keepsDigits(number, text);
}

/** A double is known by so many significant digits; writers that use more write it exactly. */
const doubleDigits = 17;
/** The most that `toPrecision` gives. */
const mostDigits = 100;

/** Whether the text is the double: in its shortest form, rounded to its number of digits, or with all of them. */
function keepsDigits(number: number, text: string): boolean {
  if (String(number) === text) return true;
  const written = text.length > longestNumber ? null : significantDigits(text);
  if (written === null) return false;
  const count = written.digits.length;
  const shown = count > doubleDigits ? mostDigits : Math.max(count, 1);
  return [String(number), number.toPrecision(shown)].some((form) => {
    const kept = significantDigits(form);
    return kept?.digits === written.digits && kept.point === written.point;
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
  for (let at = 0; at < text.length; at += 1) {
    const char = text.charCodeAt(at);
    if (char === 34) at = endOfString(text, at);
    else if (char === 91 || char === 123) {
      depth += 1;
      if (depth > deepest) deepest = depth;
    } else if (char === 93 || char === 125) depth -= 1;
  }
  return deepest;
}
