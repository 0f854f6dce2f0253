/** Splits queries in the engine's formatting: set operations into SELECTs, FROM into its sources, and subqueries off. */
import {
  bracketDepths,
  closingBracketOf,
  isKeyword,
  isName,
  nameOf,
  type Tokens,
} from '../text/tokens.ts';

export function isQuery(tokens: Tokens): boolean {
  return isKeyword(tokens[0], 'SELECT', 'WITH');
}

/** Whether one pair of parentheses encloses all tokens. */
export function isBracketed(tokens: Tokens): boolean {
  return tokens[0]?.text === '(' && closingBracketOf(tokens, 0) === tokens.length - 1;
}

export function isBracketedQuery(tokens: Tokens): boolean {
  return isBracketed(tokens) && isQuery(tokens.slice(1));
}

export interface Nested {
  readonly tokens: Tokens;
  /** Whether it is the argument of EXISTS. */
  readonly isExistence: boolean;
}

/** The outermost subqueries, and the tokens outside of them, with their brackets. */
export function splitNested(tokens: Tokens): {
  readonly own: Tokens;
  readonly nested: readonly Nested[];
} {
  const own: Tokens[number][] = [];
  const nested: Nested[] = [];
  for (let at = 0; at < tokens.length; at += 1) {
    const token = tokens[at];
    if (token === undefined) continue;
    own.push(token);
    if (token.text !== '(' || !isQuery(tokens.slice(at + 1, at + 2))) continue;
    const end = closingBracketOf(tokens, at);
    const caller = tokens.slice(0, at).findLast(({ text }) => text !== '(');
    const isExistence = isKeyword(caller, 'EXISTS');
    nested.push({ tokens: tokens.slice(at + 1, end), isExistence });
    at = end - 1;
  }
  return { own, nested };
}

export interface SetOperand {
  /** For example `UNION ALL`; empty for the first operand. */
  readonly operator: Tokens;
  readonly query: Tokens;
}

/** Splits at UNION, INTERSECT and EXCEPT. */
export function splitSetOperations(tokens: Tokens): readonly SetOperand[] {
  const depth = bracketDepths(tokens);
  const operands: SetOperand[] = [];
  let operator: Tokens = [];
  let start = 0;
  for (let at = 0; at < tokens.length; at += 1) {
    if (depth[at] !== 0 || !isKeyword(tokens[at], 'UNION', 'INTERSECT', 'EXCEPT')) continue;
    const behind = isKeyword(tokens[at + 1], 'ALL', 'DISTINCT') ? at + 2 : at + 1;
    if (!startsQuery(tokens, behind)) continue;
    operands.push({ operator, query: tokens.slice(start, at) });
    operator = tokens.slice(at, behind);
    start = behind;
    at = behind - 1;
  }
  return [...operands, { operator, query: tokens.slice(start) }];
}

/** False after the EXCEPT of `* EXCEPT (a, b)`. */
function startsQuery(tokens: Tokens, from: number): boolean {
  let at = from;
  while (tokens[at]?.text === '(') at += 1;
  return isQuery(tokens.slice(at, at + 1));
}

export interface Source {
  readonly kind: 'table' | 'function' | 'subquery';
  /** Token range in FROM, including alias, FINAL and SAMPLE. */
  readonly start: number;
  readonly end: number;
  /** The name of the table or function, or the parenthesized subquery. */
  readonly body: Tokens;
  /** Its alias, or the table name; null for a subquery without an alias. */
  readonly name: string | null;
  /** FINAL, SAMPLE and what follows. */
  readonly modifiers: Tokens;
}

export interface ParsedFrom {
  readonly sources: readonly Source[];
  readonly hasArrayJoin: boolean;
  /** Number of sources joined without a join condition. */
  readonly unconditional: number;
}

/** Null if FROM cannot be parsed. */
export function parseFrom(from: Tokens): ParsedFrom | null {
  const depth = bracketDepths(from);
  const sources: Source[] = [];
  let [hasArrayJoin, isInArrayJoin, unconditional] = [false, false, 0];
  for (let at = 0; at <= from.length; at += 1) {
    const source = parseSource(from, at);
    if (source === null) return null;
    sources.push(source);
    at = source.end;
    for (; at < from.length; at += 1) {
      if (depth[at] !== 0) continue;
      if (isKeyword(from[at], 'JOIN')) {
        isInArrayJoin = isKeyword(from[at - 1], 'ARRAY');
        hasArrayJoin ||= isInArrayJoin;
        if (isKeyword(from[at - 1], 'CROSS')) unconditional += 1;
        if (!isInArrayJoin) break;
      } else if (from[at]?.text === ',' && !isInArrayJoin) {
        unconditional += 1;
        break;
      }
    }
    if (at >= from.length) break;
  }
  return { sources, hasArrayJoin, unconditional };
}

/**
 * For each source, the conditions of ON that leave out rows of it: those of INNER JOINs before and behind it, of the
 * LEFT JOIN that it is the right side of, and of RIGHT JOINs behind it.
 */
export function joinConditions(from: Tokens, { sources }: ParsedFrom): readonly Tokens[][] {
  const selecting: Tokens[][] = sources.map(() => []);
  let words: Tokens = [];
  for (const [at, { end }] of sources.entries()) {
    const behind = from.slice(end, sources[at + 1]?.start);
    const depth = bracketDepths(behind);
    const next = behind.findIndex(
      (token, i) =>
        depth[i] === 0 &&
        (token.text === ',' || (isKeyword(token, ...joinWords) && behind[i + 1]?.text !== '(')),
    );
    const own = next < 0 ? behind : behind.slice(0, next);
    const isOf = (side: string) => words.some((word) => isKeyword(word, side, 'FULL'));
    if (isKeyword(own[0], 'ON')) {
      const condition = own.slice(1);
      if (!isOf('RIGHT')) selecting[at]?.push(condition);
      if (!isOf('LEFT')) for (const left of selecting.slice(0, at)) left.push(condition);
    }
    words = next < 0 ? [] : behind.slice(next);
  }
  return selecting;
}

function parseSource(from: Tokens, start: number): Source | null {
  const first = from[start];
  let end = start;
  let kind: Source['kind'] = 'table';
  let own: string | null = null;
  if (first?.text === '(') {
    end = closingBracketOf(from, start) + 1;
    if (!startsQuery(from, start)) return null;
    kind = 'subquery';
  } else {
    if (!isName(first)) return null;
    end += 1;
    while (from[end]?.text === '.' && isName(from[end + 1])) end += 2;
    const last = from[end - 1];
    own = last === undefined ? null : nameOf(last);
    if (from[end]?.text === '(') {
      end = closingBracketOf(from, end) + 1;
      kind = 'function';
    }
  }
  const body = from.slice(start, end);
  const alias = isKeyword(from[end], 'AS') ? from[end + 1] : undefined;
  if (isName(alias)) end += 2;
  // A column list, as in `AS t(a, b)`.
  if (from[end]?.text === '(') return null;
  const modified = end;
  end = endOfModifiers(from, end);
  const name = isName(alias) ? nameOf(alias) : own;
  return { kind, start, end, body, name, modifiers: from.slice(modified, end) };
}

/** The words of a join. */
export const joinWords =
  'JOIN INNER LEFT RIGHT FULL CROSS ARRAY GLOBAL LOCAL ANY ALL SEMI ANTI ASOF PASTE NATURAL'.split(
    ' ',
  );

function endOfModifiers(from: Tokens, start: number): number {
  if (!isKeyword(from[start], 'FINAL', 'SAMPLE')) return start;
  const depth = bracketDepths(from);
  const isEnd = (at: number) =>
    depth[at] === 0 && (from[at]?.text === ',' || isKeyword(from[at], ...joinWords, 'ON', 'USING'));
  let end = start;
  while (end < from.length && !isEnd(end)) end += 1;
  return end;
}
