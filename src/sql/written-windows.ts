/** The windows of a SELECT as written. Pure. */
import { lexSql, type SqlToken } from './sql-lexer.ts';

export interface WrittenWindow {
  /** Names of the functions over it. */
  readonly functions: readonly string[];
  readonly partitionBy: readonly string[];
  /** Empty for a window without an order. */
  readonly orderBy: readonly string[];
  /** The end of its ORDER BY. */
  readonly orderEnd: number;
  /** Whether its frame counts rows, so that rows with equal keys are not grouped. */
  readonly countsRows: boolean;
}

/** Excludes those of subqueries, and windows that extend another one. */
export function writtenWindows(sql: string): readonly WrittenWindow[] {
  const text = { sql, tokens: lexSql(sql) };
  const functions = new Map<number, string[]>();
  for (let at = 0; at < text.tokens.length; at += 1) {
    if (opensSelect(text, at)) at = closingOf(text, at);
    if (wordAt(text, at) !== 'OVER') continue;
    const body = isSymbol(text, at + 1, '(') ? at + 1 : namedBody(text, at + 1);
    if (body === null) continue;
    functions.set(body, [...(functions.get(body) ?? []), functionBefore(text, at)]);
  }
  return [...functions].flatMap(([body, names]) => toWindow(text, body, names) ?? []);
}

interface Text {
  readonly sql: string;
  readonly tokens: readonly SqlToken[];
}

function textAt({ sql, tokens }: Text, at: number): string {
  const token = tokens[at];
  return token === undefined ? '' : sql.slice(token.start, token.end);
}

function wordAt(text: Text, at: number): string {
  return text.tokens[at]?.kind === 'word' ? textAt(text, at).toUpperCase() : '';
}

function isSymbol(text: Text, at: number, symbol: string): boolean {
  return text.tokens[at]?.kind === 'symbol' && textAt(text, at) === symbol;
}

function opensSelect(text: Text, at: number): boolean {
  return isSymbol(text, at, '(') && /^(?:SELECT|WITH)$/.test(wordAt(text, at + 1));
}

/** The parenthesis that matches the one at a position, searching forward or back. */
function closingOf(text: Text, at: number, step: 1 | -1 = 1): number {
  let depth = 0;
  for (let i = at; i >= 0 && i < text.tokens.length; i += step) {
    if (isSymbol(text, i, '(')) depth += step;
    if (isSymbol(text, i, ')')) depth -= step;
    if (depth === 0) return i;
  }
  return step === 1 ? text.tokens.length : -1;
}

/** Finds `name AS (…)` in WINDOW. */
function namedBody(text: Text, name: number): number | null {
  const written = textAt(text, name);
  const start = text.tokens.findIndex((_token, at) => wordAt(text, at) === 'WINDOW');
  for (let at = Math.max(start, 0); start >= 0 && at < text.tokens.length; at += 1) {
    const isIt = textAt(text, at) === written && wordAt(text, at + 1) === 'AS';
    if (isIt && isSymbol(text, at + 2, '(')) return at + 2;
  }
  return null;
}

/** FILTER and NULL treatment may follow its arguments. */
function functionBefore(text: Text, over: number): string {
  let at = over - 1;
  while (/^(?:NULLS|RESPECT|IGNORE)$/.test(wordAt(text, at))) at -= 1;
  while (isSymbol(text, at, ')')) {
    at = closingOf(text, at, -1) - 1;
    if (wordAt(text, at) === 'FILTER') at -= 1;
  }
  return textAt(text, at);
}

const FRAME = /^(?:ROWS|RANGE|GROUPS)$/;

function toWindow(text: Text, open: number, functions: readonly string[]): WrittenWindow | null {
  const end = closingOf(text, open);
  let at = open + 1;
  if (at < end && !/^(?:PARTITION|ORDER|ROWS|RANGE|GROUPS)$/.test(wordAt(text, at))) return null;
  const listed = (word: string): readonly string[] => {
    if (wordAt(text, at) !== word) return [];
    const start = at + 2;
    at = endOfList(text, start, end);
    return elementsOf(text, start, at);
  };
  const partitionBy = listed('PARTITION');
  const orderBy = listed('ORDER');
  const orderEnd = text.tokens[at - 1]?.end ?? 0;
  return { functions, partitionBy, orderBy, orderEnd, countsRows: wordAt(text, at) === 'ROWS' };
}

function endOfList(text: Text, start: number, end: number): number {
  let at = start;
  while (at < end && wordAt(text, at) !== 'ORDER' && !FRAME.test(wordAt(text, at))) {
    at = isSymbol(text, at, '(') ? closingOf(text, at) + 1 : at + 1;
  }
  return at;
}

function elementsOf(text: Text, start: number, end: number): readonly string[] {
  const found: string[] = [];
  let first = start;
  for (let at = start; at <= end; at += 1) {
    if (at < end && isSymbol(text, at, '(')) at = closingOf(text, at);
    if (at < end && !isSymbol(text, at, ',')) continue;
    const from = text.tokens[first]?.start ?? 0;
    found.push(text.sql.slice(from, text.tokens[Math.min(at, end) - 1]?.end ?? from));
    first = at + 1;
  }
  return found;
}
