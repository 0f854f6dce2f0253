/** Writes one row, or one named tuple, as an object of a selection. */
import { toWords } from './byte-words.ts';
import type { CompiledNested, CompiledObject } from './compile-rows.ts';
import {
  CLOSE,
  CLOSE_OBJECT,
  COLON,
  COMMA,
  endOfString,
  endOfValue,
  expectByte,
  OPEN,
  OPEN_OBJECT,
  QUOTE,
  skipSpaces,
} from './json-scan.ts';
import type { RowPass } from './row-pass.ts';

const SMALL_N = 0x6e;

/** Finds the cells of the row that begins here. Returns the offset after it. */
export function scanRow(rows: Buffer, from: number, { width, ends }: CompiledObject): number {
  let at = expectByte(rows, from, OPEN);
  for (let cell = 0; cell < width; cell += 1) {
    if (cell > 0) at = expectByte(rows, at, COMMA);
    at = skipSpaces(rows, at);
    ends[2 * cell] = at;
    at = endOfValue(rows, at);
    ends[2 * cell + 1] = at;
    at = skipSpaces(rows, at);
  }
  return expectByte(rows, at, CLOSE);
}

/** Writes the object from the last scanned cells. */
export function writeObject(pass: RowPass, object: CompiledObject): void {
  if (object.isFlat) writeFlat(pass, object);
  else writeCells(pass, object);
}

/** Reserves room once for the whole object. */
function writeFlat(pass: RowPass, object: CompiledObject): void {
  const { cells, ends, tail } = object;
  let size = object.fixedBytes;
  for (const { index } of cells) size += (ends[2 * index + 1] ?? 0) - (ends[2 * index] ?? 0);
  pass.reserve(size);
  for (const { before, index } of cells) {
    pass.put(before);
    pass.copy(ends[2 * index] ?? 0, ends[2 * index + 1] ?? 0);
  }
  pass.put(tail);
}

function writeCells(pass: RowPass, { cells, ends, tail }: CompiledObject): void {
  for (const { before, index, nested } of cells) {
    pass.append(before);
    const from = ends[2 * index] ?? 0;
    if (nested === null) pass.appendRows(from, ends[2 * index + 1] ?? 0);
    else writeNested(pass, nested, from);
  }
  pass.append(tail);
}

/** Returns the offset after the value that begins here, which is known to be JSON. */
function writeNested(pass: RowPass, nested: CompiledNested, from: number): number {
  const { rows } = pass;
  if (rows[from] === SMALL_N) {
    const end = endOfValue(rows, from);
    pass.appendRows(from, end);
    return end;
  }
  if (nested.kind === 'list') return writeList(pass, nested.of, from);
  const end = scanTuple(rows, from, nested);
  writeObject(pass, nested);
  return end;
}

const [open, comma, close] = [toWords('['), toWords(','), toWords(']')];

function writeList(pass: RowPass, of: CompiledNested, from: number): number {
  const { rows } = pass;
  let at = skipSpaces(rows, expectByte(rows, from, OPEN));
  pass.append(open);
  while (rows[at] !== CLOSE) {
    at = skipSpaces(rows, writeNested(pass, of, at));
    if (rows[at] === CLOSE) break;
    at = skipSpaces(rows, expectByte(rows, at, COMMA));
    pass.append(comma);
  }
  pass.append(close);
  return at + 1;
}

type Tuple = Extract<CompiledNested, { readonly kind: 'tuple' }>;

/**
 * Finds the members of the object that begins here, which must be the tuple's, in order. Returns the offset after it.
 */
function scanTuple(rows: Buffer, from: number, { width, keys, ends }: Tuple): number {
  let at = expectByte(rows, from, OPEN_OBJECT);
  for (let cell = 0; cell < width; cell += 1) {
    if (cell > 0) at = expectByte(rows, at, COMMA);
    at = endOfKey(rows, skipSpaces(rows, at), keys[cell] ?? noKey);
    at = skipSpaces(rows, expectByte(rows, skipSpaces(rows, at), COLON));
    ends[2 * cell] = at;
    at = endOfValue(rows, at);
    ends[2 * cell + 1] = at;
    at = skipSpaces(rows, at);
  }
  return expectByte(rows, at, CLOSE_OBJECT);
}

const noKey = Buffer.alloc(0);

/** @param key as JSON; the text may spell it differently. */
function endOfKey(rows: Buffer, from: number, key: Buffer): number {
  let at = 0;
  while (at < key.length && rows[from + at] === key[at]) at += 1;
  if (at === key.length) return from + at;
  const end = endOfString(rows, expectByte(rows, from, QUOTE));
  const name: unknown = JSON.parse(rows.toString('utf8', from, end));
  if (name !== JSON.parse(key.toString('utf8')))
    throw new Error(`a tuple has the member ${JSON.stringify(name)} instead of ${key.toString()}`);
  return end;
}
