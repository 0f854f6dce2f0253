/** Converts text in any of these encodings to UTF-8; invalid bytes are refused, not replaced. */
import { isUtf8 } from 'node:buffer';
import { Transform } from 'node:stream';

/** The bytes are not valid in the encoding. */
export class EncodingError extends Error {
  override readonly name = 'EncodingError';
  /** From 0, in the undecoded text. */
  readonly offset: number;
  /** From 1. */
  readonly line: number;

  constructor(offset: number, line: number) {
    super(`byte ${offset}, in line ${line}`);
    this.offset = offset;
    this.line = line;
  }
}

/** Accepted names; `windows-` and `iso-8859-` with any existing number. */
export const encodingNames =
  'utf-8, utf-16, utf-16le, utf-16be, latin1, windows-1252 or another windows-125x, iso-8859-x';

const isNamed =
  /^(?:utf-?8|utf-?16(?:le|be)?|latin-?1|iso-8859-\d{1,2}|windows-125\d|koi8-[ru]|macintosh)$/;

/** Null for a name that is not accepted. */
export function parseEncoding(given: string): string | null {
  const name = given
    .toLowerCase()
    .replaceAll('_', '-')
    .replace(/^cp-?(?=125)/, 'windows-');
  if (!isNamed.test(name)) return null;
  if (/^utf-?8$/.test(name)) return 'utf-8';
  if (name.startsWith('utf')) return name.replace(/^utf-?/, 'utf-');
  if (/^(?:latin-?1|iso-8859-1)$/.test(name)) return 'latin1';
  try {
    return new TextDecoder(name).encoding;
  } catch {
    return null;
  }
}

/** Decodes a part of a text that consists of complete characters. */
type Decode = (part: Buffer) => Buffer | null;

/** @param encoding as `parseEncoding` returns it. */
export function openTextDecoder(encoding: string): Transform {
  let kept: Buffer = Buffer.alloc(0);
  let [offset, line] = [0, 1];
  let decode: Decode | null = null;
  const decodeAll = (bytes: Buffer, isLast: boolean): Buffer => {
    decode ??= decoderOf(encoding, bytes);
    const whole = isLast ? bytes.length : wholeLength(bytes, encoding);
    const part = bytes.subarray(0, whole);
    kept = bytes.subarray(whole);
    const text = decode(part);
    if (text === null) {
      const at = firstInvalid(part, decode);
      throw new EncodingError(offset + at, line + linesIn(part.subarray(0, at)));
    }
    offset += whole;
    line += linesIn(text);
    return text;
  };
  const pass = (
    bytes: Buffer,
    isLast: boolean,
    done: (error: Error | null, text?: Buffer) => void,
  ) => {
    try {
      done(null, decodeAll(bytes, isLast));
    } catch (error) {
      done(error as Error);
    }
  };
  return new Transform({
    transform: (chunk: Buffer, _encoding, done) =>
      pass(kept.length === 0 ? chunk : Buffer.concat([kept, chunk]), false, done),
    flush: (done) => (kept.length === 0 ? done() : pass(kept, true, done)),
  });
}

function linesIn(bytes: Buffer): number {
  let count = 0;
  for (let at = bytes.indexOf(10); at !== -1; at = bytes.indexOf(10, at + 1)) count += 1;
  return count;
}

const undefinedIn1252: ReadonlySet<number> = new Set([0x81, 0x8d, 0x8f, 0x90, 0x9d]);

/** @param head its first two bytes determine the byte order of `utf-16`. */
function decoderOf(encoding: string, head: Buffer): Decode {
  if (encoding === 'utf-8') return (part) => (isUtf8(part) ? part : null);
  if (encoding === 'latin1') return (part) => Buffer.from(part.toString('latin1'));
  const isBig = encoding === 'utf-16' && head[0] === 0xfe && head[1] === 0xff;
  const name = isBig ? 'utf-16be' : encoding === 'utf-16' ? 'utf-16le' : encoding;
  let isFirst = true;
  return (part) => {
    if (name === 'windows-1252' && part.some((byte) => undefinedIn1252.has(byte))) return null;
    try {
      // A byte order mark only occurs at the beginning.
      const decoder = new TextDecoder(name, { fatal: true, ignoreBOM: !isFirst });
      const text = Buffer.from(decoder.decode(part));
      if (part.length > 1) isFirst = false;
      return text;
    } catch {
      return null;
    }
  };
}

/** Excludes the bytes of a character that may still be incomplete. */
function wholeLength(bytes: Buffer, encoding: string): number {
  const { length } = bytes;
  if (encoding.startsWith('utf-16')) {
    const even = length - (length % 2);
    const isHigh = (at: number) => ((bytes[at] ?? 0) & 0xfc) === 0xd8;
    const mayBeHalf = even >= 2 && (isHigh(even - 1) || isHigh(even - 2));
    return mayBeHalf ? even - 2 : even;
  }
  if (encoding !== 'utf-8') return length;
  for (let back = 1; back <= Math.min(3, length); back += 1) {
    const byte = bytes[length - back] ?? 0;
    if (byte >= 0xc0) return length - back;
    if (byte < 0x80) return length;
  }
  return length;
}

/** Position of the first character that cannot be decoded. */
function firstInvalid(part: Buffer, decode: Decode): number {
  let [good, bad] = [0, part.length];
  while (bad - good > 1) {
    const middle = (good + bad) >> 1;
    if (hasWholePrefix(part, middle, decode)) good = middle;
    else bad = middle;
  }
  while (good > 0 && decode(part.subarray(0, good)) === null) good -= 1;
  return good;
}

/** A character cut in the middle is invalid, so the end moves back to a character's start. */
function hasWholePrefix(part: Buffer, end: number, decode: Decode): boolean {
  for (let back = 0; back < 4 && end - back >= 0; back += 1)
    if (decode(part.subarray(0, end - back)) !== null) return true;
  return false;
}
