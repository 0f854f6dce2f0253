/**
 * Finds the ends of JSON values in bytes without parsing the values. The grammar is checked to the last byte, and
 * anything but JSON throws. The only white space accepted is the space: the engine writes no other, and an event stream
 * must not contain line breaks. UTF-8 is not validated; no byte of a multi-byte character can be mistaken for the
 * grammar's.
 */
export const QUOTE = 0x22;
export const COMMA = 0x2c;
export const COLON = 0x3a;
export const OPEN = 0x5b;
export const CLOSE = 0x5d;
export const OPEN_OBJECT = 0x7b;
export const CLOSE_OBJECT = 0x7d;
const SPACE = 0x20;
const BACKSLASH = 0x5c;
const MINUS = 0x2d;
const PLUS = 0x2b;
const POINT = 0x2e;
const ZERO = 0x30;
const NINE = 0x39;
const SMALL_E = 0x65;
const LARGE_E = 0x45;
const SMALL_U = 0x75;

export function malformed(at: number): Error {
  return new Error(`the rows are no JSON as the engine writes it, from byte ${at} on`);
}

/** Returns the offset after the byte, which is required here. */
export function expectByte(src: Buffer, at: number, byte: number): number {
  if (src[at] !== byte) throw malformed(at);
  return at + 1;
}

export function skipSpaces(src: Buffer, at: number): number {
  let next = at;
  while (src[next] === SPACE) next += 1;
  return next;
}

/** Returns the offset after the value that begins here. */
export function endOfValue(src: Buffer, at: number): number {
  const byte = src[at] ?? 0;
  if (byte === QUOTE) return endOfString(src, at + 1);
  if ((byte >= ZERO && byte <= NINE) || byte === MINUS) return endOfNumber(src, at);
  if (byte === OPEN) return endOfArray(src, at + 1);
  if (byte === OPEN_OBJECT) return endOfObject(src, at + 1);
  return endOfWord(src, at);
}

/** @param from offset after the opening quote. */
export function endOfString(src: Buffer, from: number): number {
  for (let at = from; ; at += 1) {
    const byte = src[at] ?? 0;
    if (byte === QUOTE) return at + 1;
    if (byte === BACKSLASH) at = endOfEscape(src, at + 1) - 1;
    else if (byte < SPACE) throw malformed(at);
  }
}

/** 1 for bytes that may follow a backslash, apart from `u`. */
const escapes = new Uint8Array(256);
for (const byte of Buffer.from('"\\/bfnrt')) escapes[byte] = 1;

/** @param from offset after the backslash. */
function endOfEscape(src: Buffer, from: number): number {
  const byte = src[from] ?? 0;
  if (byte !== SMALL_U) {
    if (escapes[byte] === 1) return from + 1;
    throw malformed(from);
  }
  for (let at = from + 1; at <= from + 4; at += 1)
    if (!isHexDigit(src[at] ?? 0)) throw malformed(at);
  return from + 5;
}

function endOfNumber(src: Buffer, from: number): number {
  let at = src[from] === MINUS ? from + 1 : from;
  if (src[at] === ZERO) at += 1;
  else at = endOfDigits(src, at);
  let byte = src[at] ?? 0;
  if (byte === POINT) {
    at = endOfDigits(src, at + 1);
    byte = src[at] ?? 0;
  }
  if (byte !== SMALL_E && byte !== LARGE_E) return at;
  const sign = src[at + 1];
  return endOfDigits(src, sign === PLUS || sign === MINUS ? at + 2 : at + 1);
}

/** Requires at least one. */
function endOfDigits(src: Buffer, from: number): number {
  let at = from;
  let byte = src[at] ?? 0;
  while (byte >= ZERO && byte <= NINE) {
    at += 1;
    byte = src[at] ?? 0;
  }
  if (at === from) throw malformed(at);
  return at;
}

function isDigit(byte: number): boolean {
  return byte >= ZERO && byte <= NINE;
}

function isHexDigit(byte: number): boolean {
  return isDigit(byte) || (byte >= 0x61 && byte <= 0x66) || (byte >= 0x41 && byte <= 0x46);
}

const literals = ['null', 'true', 'false'].map((word) => Buffer.from(word));

/** Handles `null`, `true` and `false`. */
function endOfWord(src: Buffer, from: number): number {
  const first = src[from];
  for (const word of literals) if (word[0] === first) return endOfBytes(src, from, word);
  throw malformed(from);
}

/** Returns the offset after these bytes, which are required here. */
function endOfBytes(src: Buffer, from: number, bytes: Buffer): number {
  for (let at = 0; at < bytes.length; at += 1)
    if (src[from + at] !== bytes[at]) throw malformed(from + at);
  return from + bytes.length;
}

function endOfArray(src: Buffer, from: number): number {
  let at = skipSpaces(src, from);
  if (src[at] === CLOSE) return at + 1;
  for (;;) {
    at = skipSpaces(src, endOfValue(src, at));
    if (src[at] === CLOSE) return at + 1;
    at = skipSpaces(src, expectByte(src, at, COMMA));
  }
}

function endOfObject(src: Buffer, from: number): number {
  let at = skipSpaces(src, from);
  if (src[at] === CLOSE_OBJECT) return at + 1;
  for (;;) {
    at = skipSpaces(src, endOfString(src, expectByte(src, at, QUOTE)));
    at = skipSpaces(src, expectByte(src, at, COLON));
    at = skipSpaces(src, endOfValue(src, at));
    if (src[at] === CLOSE_OBJECT) return at + 1;
    at = skipSpaces(src, expectByte(src, at, COMMA));
  }
}
