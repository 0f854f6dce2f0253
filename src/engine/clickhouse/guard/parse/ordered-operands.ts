/**
 * Where a text compares values by `<`, `>`, `<=`, `>=` or BETWEEN, as written: the operands of each comparison, also of
 * `greater(a, b)`. An operand that is not recognized, such as `ALL (SELECT …)`, is left out. Pure.
 */
import { isSymbol, type LexedText, nameAt } from './lexed-text.ts';

export interface Operand {
  readonly start: number;
  /** After its last character. */
  readonly end: number;
  /** The function that is called with it, where it may become another one. */
  readonly name?: { readonly start: number; readonly end: number };
}

/** Sorted by start; an operand may contain others. Linear time. */
export function orderedOperands(text: LexedText): readonly Operand[] {
  const reader: Reader = { text, closing: closingBrackets(text) };
  const found = new Map<number, number>();
  const add = (start: number, end: number) => {
    if (end > start) found.set(start, Math.max(end, found.get(start) ?? 0));
  };
  const inOperand = new Set<number>();
  for (const at of text.tokens.keys()) {
    for (const [start, end] of argumentsAt(reader, at)) add(start, end);
    for (const [start, end] of operandsAfter(reader, at)) add(start, end);
    if (inOperand.has(at)) continue;
    const end = operandEnd(reader, at, inOperand);
    if (end !== null && isCompared(reader, end)) add(at, end);
  }
  return [...found]
    .toSorted(([one], [other]) => one - other)
    .map(([start, end]) => ({
      start: text.tokens[start]?.start ?? 0,
      end: text.tokens[end - 1]?.end ?? 0,
    }));
}

/** Indexes of the first token, and after the last one. */
export type Range = readonly [number, number];

export interface Reader {
  readonly text: LexedText;
  /** The index of the bracket that closes the one at an index. */
  readonly closing: ReadonlyMap<number, number>;
}

export function closingBrackets(text: LexedText): ReadonlyMap<number, number> {
  const closing = new Map<number, number>();
  const open: number[] = [];
  for (const at of text.tokens.keys()) {
    const symbol = symbolAt(text, at);
    if ('([{'.includes(symbol) && symbol !== '') open.push(at);
    if (!')]}'.includes(symbol) || symbol === '') continue;
    const opening = open.pop();
    if (opening !== undefined) closing.set(opening, at);
  }
  return closing;
}

const ORDERING_CALL = /^(?:less|greater|lessorequals|greaterorequals)$/i;

function argumentsAt(reader: Reader, at: number): readonly Range[] {
  return ORDERING_CALL.test(nameAt(reader.text, at)) ? argumentsOfCall(reader, at) : [];
}

/** The arguments of `greater(a, b)`. */
export function argumentsOfCall(reader: Reader, at: number): readonly Range[] {
  return isSymbol(reader.text, at + 1, '(') ? itemsWithin(reader, at + 1) : [];
}

/** What commas divide between the bracket at `open` and the one that closes it. */
export function itemsWithin(reader: Reader, open: number): readonly Range[] {
  const close = reader.closing.get(open);
  return close === undefined ? [] : itemsOf(reader, [open + 1, close]);
}

/** What commas divide. */
export function itemsOf({ text, closing }: Reader, [from, end]: Range): readonly Range[] {
  const ranges: Range[] = [];
  let start = from;
  for (let next = start; next < end; next = (closing.get(next) ?? next) + 1) {
    if (!isSymbol(text, next, ',')) continue;
    ranges.push([start, next]);
    start = next + 1;
  }
  return [...ranges, [start, end]];
}

function isWord({ text }: Reader, at: number, word: string): boolean {
  return text.tokens[at]?.kind === 'word' && nameAt(text, at).toUpperCase() === word;
}

/** Whether the operator that begins at `at` compares what ends before it. */
function isCompared(reader: Reader, at: number): boolean {
  return comparisonEnd(reader.text, at) !== null || betweenEnd(reader, at) !== null;
}

/** After BETWEEN or NOT BETWEEN. */
function betweenEnd(reader: Reader, at: number): number | null {
  const between = isWord(reader, at, 'NOT') ? at + 1 : at;
  return isWord(reader, between, 'BETWEEN') ? between + 1 : null;
}

/** The right side of the comparison whose operator begins at `at`, or both ends of BETWEEN; empty when there is none. */
function operandsAfter(reader: Reader, at: number): readonly Range[] {
  const lowest = betweenEnd(reader, at);
  const start = lowest ?? comparisonEnd(reader.text, at);
  const end = start === null ? null : operandEnd(reader, start);
  if (start === null || end === null) return [];
  if (lowest === null) return [[start, end]];
  const last = isWord(reader, end, 'AND') ? operandEnd(reader, end + 1) : null;
  return last === null
    ? []
    : [
        [start, end],
        [end + 1, last],
      ];
}

/** After `<`, `>`, `<=` or `>=`; null for anything else, such as `<>`, `<=>` and a part of these. */
function comparisonEnd(text: LexedText, at: number): number | null {
  const isPart = /[-<=]/.test(symbolAt(text, at - 1)) && isJoined(text, at - 1, 1);
  if (isPart || !/[<>]/.test(symbolAt(text, at))) return null;
  const symbols = [0, 1, 2].filter((more) => isJoined(text, at, more));
  const written = symbols.map((more) => symbolAt(text, at + more)).join('');
  const operator = /^(?:<=(?!>)|<(?![>=])|>=?)/.exec(written)?.[0];
  return operator === undefined ? null : at + operator.length;
}

/** Empty for any other token. */
function symbolAt({ sql, tokens }: LexedText, at: number): string {
  const token = tokens[at];
  return token?.kind === 'symbol' ? (sql[token.start] ?? '') : '';
}

/** Whether the symbols from `at` to `at + more` follow each other without a space. */
function isJoined({ tokens }: LexedText, at: number, more: number): boolean {
  const all = tokens.slice(at, at + more + 1);
  return (
    all.length === more + 1 &&
    all.every(
      ({ kind, start }, index) =>
        kind === 'symbol' && (index === 0 || all[index - 1]?.end === start),
    )
  );
}

/** After values that are joined by arithmetic operators; null where none begins. */
function operandEnd(reader: Reader, at: number, inOperand?: Set<number>): number | null {
  let end = valueEnd(reader, at);
  for (let next = end; next !== null; ) {
    const operator = operatorEnd(reader, next);
    next = operator === null ? null : valueEnd(reader, operator);
    if (next !== null) end = next;
  }
  for (let part = at; inOperand !== undefined && end !== null && part < end; ) {
    inOperand.add(part);
    part = (reader.closing.get(part) ?? part) + 1;
  }
  return end;
}

/** After an arithmetic operator. `->` is none: it begins the body of a lambda. */
function operatorEnd(reader: Reader, at: number): number | null {
  const { text } = reader;
  if (isWord(reader, at, 'DIV') || isWord(reader, at, 'MOD')) return at + 1;
  const isArrow = isSymbol(text, at, '-') && isSymbol(text, at + 1, '>') && isJoined(text, at, 1);
  if (isArrow) return null;
  if (['+', '-', '*', '/', '%'].some((symbol) => isSymbol(text, at, symbol))) return at + 1;
  return isSymbol(text, at, '|') && isSymbol(text, at + 1, '|') ? at + 2 : null;
}

/** Words before which an operand ends or after which it begins. */
const KEYWORD =
  /^(?:SELECT|DISTINCT|WITH|FROM|WHERE|PREWHERE|HAVING|QUALIFY|ON|USING|BY|AND|OR|XOR|NOT|IN|LIKE|ILIKE|REGEXP|IS|BETWEEN|AS|WHEN|THEN|ELSE|END|ANY|ALL|EXISTS|JOIN|LIMIT|OFFSET|UNION|EXCEPT|INTERSECT|OVER|FILTER)$/;
const UNIT =
  /^(?:(?:SQL_TSI_)?(?:NANOSECOND|MICROSECOND|MILLISECOND|SECOND|MINUTE|HOUR|DAY|WEEK|MONTH|QUARTER|YEAR)S?|NS|US|MS|SS?|MI|N|HH?|DD?|WK|WW|MM?|QQ?|YYYY|YY)$/;

function valueEnd(reader: Reader, at: number): number | null {
  const { text, closing } = reader;
  const token = text.tokens[at];
  if (token === undefined || token.kind === 'error') return null;
  if (/^(?:number|text|name)$/.test(token.kind)) return endOfAccess(reader, at + 1);
  if (token.kind === 'symbol') {
    if (isSymbol(text, at, '-') || isSymbol(text, at, '+')) return valueEnd(reader, at + 1);
    const close = closing.get(at);
    return close === undefined ? null : endOfAccess(reader, close + 1);
  }
  const word = nameAt(text, at).toUpperCase();
  if (KEYWORD.test(word)) return null;
  if (word === 'CASE') return caseEnd(reader, at);
  if (word === 'INTERVAL') return intervalEnd(reader, at) ?? endOfAccess(reader, at + 1);
  const isTyped = /^(?:DATE|TIMESTAMP)$/.test(word) && text.tokens[at + 1]?.kind === 'text';
  return endOfAccess(reader, isTyped ? at + 2 : at + 1);
}

function caseEnd(reader: Reader, from: number): number | null {
  let depth = 0;
  for (let at = from; at < reader.text.tokens.length; at = (reader.closing.get(at) ?? at) + 1) {
    if (isWord(reader, at, 'CASE')) depth += 1;
    if (isWord(reader, at, 'END')) depth -= 1;
    if (depth === 0) return at + 1;
  }
  return null;
}

function intervalEnd(reader: Reader, at: number): number | null {
  const end = valueEnd(reader, at + 1);
  if (end === null) return null;
  const { text } = reader;
  return text.tokens[end]?.kind === 'word' && UNIT.test(nameAt(text, end).toUpperCase())
    ? end + 1
    : end;
}

/** After arguments, indexes, elements and `::Type`. */
function endOfAccess(reader: Reader, from: number): number {
  const { text, closing } = reader;
  for (let at = from; ; ) {
    const token = text.tokens[at];
    const close = closing.get(at);
    if (close !== undefined && !isSymbol(text, at, '{')) at = close + 1;
    else if (isSymbol(text, at, '.')) at += 2;
    else if (isSymbol(text, at, ':') && isSymbol(text, at + 1, ':')) at += 3;
    else if (token?.kind === 'number' && text.sql[token.start] === '.') at += 1;
    else return at;
  }
}
