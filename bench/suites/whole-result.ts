/**
 * The judge of a suite: every row that a query may return, with the values that it is sorted by. An answer is exact if each of
 * its rows is one of these and sorts like the row that stands there. ORDER BY may leave ties, and LIMIT may then take any of
 * them; without ORDER BY all rows are tied.
 */
import { findWord, splitAtCommas } from './top-level.ts';

export interface WholeResult {
  /** Its last column is a tuple of what it is sorted by. */
  readonly statement: string;
  readonly offset: number;
  /** Null without LIMIT. */
  readonly limit: number | null;
}

/** @param sql a SELECT without variables; its LIMIT, if any, is at its end. */
export function wholeResultOf(sql: string): WholeResult {
  const [cut = '', limit = null, offset = 0] = /\s+LIMIT (\d+)(?: OFFSET (\d+))?$/.exec(sql) ?? [];
  const rows = sql.slice(0, sql.length - cut.length);
  const order = findWord(rows, 'ORDER BY');
  const keys = order === -1 ? [] : splitAtCommas(rows.slice(order + 'ORDER BY'.length));
  const sortedBy = keys.map((key) => key.replace(/\s+(ASC|DESC)$/, ''));
  const from = findWord(rows, 'FROM');
  const all = `${rows.slice(0, from)}, tuple(${sortedBy.join(', ')}) AS sorted_by ${rows.slice(from)}`;
  if (limit === null) return { statement: all, offset: 0, limit };
  const last = Number(offset) + Number(limit);
  const statement = keys.length === 0 ? all : `${all} LIMIT ${last} WITH TIES`;
  return { statement, offset: Number(offset), limit: Number(limit) };
}

export type Row = readonly unknown[];

export interface JudgedResult extends Pick<WholeResult, 'offset' | 'limit'> {
  readonly types: readonly string[];
  /** All of them in order, with the tuple. */
  readonly rows: readonly Row[];
}

/** What is wrong with an answer; null when it is exact. Floating point numbers may differ by 1e-9 of the value. */
export function findFault(whole: JudgedResult, answer: readonly Row[]): string | null {
  const after = whole.rows.slice(whole.offset);
  const count = whole.limit === null ? after.length : Math.min(whole.limit, after.length);
  if (answer.length !== count) return `it has ${answer.length} rows instead of ${count}`;
  const width = whole.types.length - 1;
  const floats = whole.types.map((type) => /^(Nullable\()?Float/.test(type));
  const exactKey = (row: Row) =>
    JSON.stringify(row.filter((_cell, at) => at < width && !floats[at]));
  const left = Map.groupBy(whole.rows, exactKey);
  for (const [at, row] of answer.entries()) {
    const candidates = left.get(exactKey(row)) ?? [];
    const place = after[at]?.[width];
    const found = candidates.findIndex(
      (each) =>
        areTied(each[width], place) &&
        row.every((cell, column) => !floats[column] || areClose(cell, each[column])),
    );
    if (found === -1)
      return `row ${at + 1} is ${JSON.stringify(row)} instead of ${JSON.stringify(after[at])}`;
    candidates.splice(found, 1);
  }
  return null;
}

/** Sorted by the same values, as far as floating point numbers are the same. */
function areTied(a: unknown, b: unknown): boolean {
  if (!Array.isArray(a) || !Array.isArray(b)) return false;
  return a.every(
    (each, at) => each === b[at] || (isFraction(each, b[at]) && areClose(each, b[at])),
  );
}

function isFraction(...both: readonly unknown[]): boolean {
  return both.some((each) => typeof each === 'number' && !Number.isInteger(each));
}

function areClose(a: unknown, b: unknown): boolean {
  if (typeof a !== 'number' || typeof b !== 'number') return a === b;
  return Math.abs(a - b) <= 1e-9 * Math.max(Math.abs(a), Math.abs(b));
}
