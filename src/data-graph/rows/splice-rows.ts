/**
 * Turns a run's array rows into the objects of a selection, bytes to bytes: one pass that parses no value. A row is
 * scanned for the ends of its cells, which are then copied in selection order.
 */
import { inTurns } from '../../lib/in-turns.ts';
import type { MaybePromise } from '../../lib/maybe-promise.ts';
import { toWords } from './byte-words.ts';
import type { CompiledRows } from './compile-rows.ts';
import { CLOSE, COMMA, expectByte, malformed, OPEN, skipSpaces } from './json-scan.ts';
import { RowPass } from './row-pass.ts';
import { scanRow, writeObject } from './write-object.ts';

export interface SpliceLimits {
  /** Limit for the objects: aliases can make them many times as large as the rows. */
  readonly maxBytes: number;
}

/** Bytes read and written per turn, about 2 to 4 ms: 5,000 rows of 8 columns are 0.5 MB, and 0.9 MB as objects. */
const turnBytes = 1_572_864;

/**
 * @param rows one JSON array of arrays: `RunResponse.rows` in the form of arrays. Throws `query_too_large` beyond
 * `maxBytes`, and an Error for any other bytes.
 */
export function spliceRows(
  rows: Buffer,
  compiled: CompiledRows,
  { maxBytes }: SpliceLimits,
): Buffer {
  const pass = new RowPass(rows, maxBytes);
  writeRows(pass, compiled, Number.POSITIVE_INFINITY);
  return pass.toBuffer();
}

/**
 * The same, yielding to the event loop between turns; returned synchronously if one turn is enough. A row is never
 * divided. Rejects with the signal's reason when it is aborted between turns.
 */
export function spliceRowsInTurns(
  rows: Buffer,
  compiled: CompiledRows,
  { maxBytes, signal }: SpliceLimits & { readonly signal?: AbortSignal | undefined },
): MaybePromise<Buffer> {
  return inTurns(turnsOf(new RowPass(rows, maxBytes), compiled), signal);
}

function* turnsOf(pass: RowPass, compiled: CompiledRows): Generator<void, Buffer> {
  while (!writeRows(pass, compiled, turnBytes)) yield;
  return pass.toBuffer();
}

const [open, comma, close] = [toWords('['), toWords(','), toWords(']')];

/** Whether all rows are written; otherwise the next call continues. */
function writeRows(pass: RowPass, compiled: CompiledRows, bytes: number): boolean {
  const { rows } = pass;
  if (pass.at === 0) {
    pass.at = expectByte(rows, 0, OPEN);
    pass.append(open);
    if (rows[1] === CLOSE) return endRows(pass);
  }
  const stop = pass.at + pass.length + bytes;
  for (;;) {
    pass.at = scanRow(rows, skipSpaces(rows, pass.at), compiled);
    writeObject(pass, compiled);
    if (rows[pass.at] === CLOSE) return endRows(pass);
    pass.at = expectByte(rows, pass.at, COMMA);
    pass.append(comma);
    if (pass.at + pass.length >= stop) return false;
  }
}

function endRows(pass: RowPass): true {
  pass.append(close);
  if (pass.at + 1 !== pass.rows.length) throw malformed(pass.at + 1);
  return true;
}
