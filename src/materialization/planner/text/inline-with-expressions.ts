/** Expressions that WITH gives names to, written out where the names stand. */
import type { Token } from '../../../sql/sql-analysis.ts';
import { hasVariable } from './parameters.ts';
import { parseSelect } from './select.ts';
import {
  closeOf,
  depths,
  isName,
  isWord,
  nameOf,
  type Span,
  splitAt,
  splitList,
  stripBrackets,
  textOf,
} from './tokens.ts';

interface Named {
  readonly name: string;
  readonly body: Span;
  /** Of a lambda; null for an expression. */
  readonly params: readonly string[] | null;
}

/** Beyond this a text that names itself over and over is left as it is. */
const maxTokens = 10_000;

/**
 * The text without the names; null where WITH names no expressions, or they hold variables. Which of an expression and a
 * column of one name is meant is the engine's to say: the caller compares what it makes of both texts.
 */
export function withoutNamedExpressions(span: Span): string | null {
  if (!isWord(span[0], 'WITH') || isWord(span[1], 'RECURSIVE')) return null;
  const parts = splitList(parseSelect(span).clauses.get('WITH') ?? []);
  const named = parts.map(readNamed);
  if (named.every((part) => part === null)) return null;
  if (parts.some((part, at) => named[at] !== null && hasVariable(part))) return null;
  const level = depths(span);
  const start = span.findIndex((token, at) => isWord(token, 'SELECT') && level[at] === 0);
  const tables = parts.filter((_part, at) => named[at] === null);
  let text: Span = [
    ...tables.flatMap((part, at) => [at === 0 ? word('WITH') : word(','), ...part]),
    ...withNames(span.slice(start), named),
  ];
  // From the last: each may use those before it.
  for (const one of named.toReversed()) {
    if (one === null) continue;
    text = writtenOut(text, one);
    if (text.length > maxTokens) return null;
  }
  return textOf(text);
}

const word = (text: string): Token => ({ kind: 'BareWord', text, spaced: true });
const symbol = (text: string): Token => ({ kind: 'Symbol', text, spaced: false });

function readNamed(part: Span): Named | null {
  const name = part.at(-1);
  if (!isName(name) || !isWord(part.at(-2), 'AS') || part.length < 3) return null;
  const body = part.slice(0, -2);
  const pieces = splitAt(stripBrackets(body), (token) => token.text === '->');
  if (pieces.length === 1) return { name: nameOf(name), body, params: null };
  const [given = [], ...rest] = pieces;
  if (rest.length !== 1) return { name: nameOf(name), body, params: null };
  const list = given[0]?.text === '(' ? given.slice(1, closeOf(given, 0)) : given;
  const params = list.filter(isName).map(nameOf);
  return { name: nameOf(name), body: rest[0] ?? [], params };
}

/** Items that are a name alone keep it as the name of their column. */
function withNames(select: Span, named: readonly (Named | null)[]): Span {
  const names = new Set(named.flatMap((one) => (one?.params === null ? [one.name] : [])));
  const level = depths(select);
  const end = select.findIndex((token, at) => at > 0 && level[at] === 0 && isClause(token));
  const isEnd = (token: Token | undefined, at: number) =>
    token === undefined || at === end || token.text === ',';
  return select.flatMap((token, at) => {
    const isItem = at > 0 && level[at] === 0 && (end < 0 || at < end);
    const before = select[at - 1];
    const isAlone = isItem && (isWord(before, 'SELECT', 'DISTINCT') || before?.text === ',');
    if (!isAlone || !isName(token) || !isEnd(select[at + 1], at + 1)) return [token];
    return names.has(nameOf(token)) ? [token, word('AS'), { ...token, spaced: true }] : [token];
  });
}

function isClause(token: Token): boolean {
  return isWord(token, ...'FROM,WHERE,GROUP,HAVING,ORDER,LIMIT,WINDOW,QUALIFY,OFFSET'.split(','));
}

function writtenOut(span: Span, { name, body, params }: Named): Span {
  const result: Token[] = [];
  for (let at = 0; at < span.length; at += 1) {
    const token = span[at];
    if (token === undefined) continue;
    const [before, next] = [span[at - 1], span[at + 1]];
    const isName = isUse(token, name) && before?.text !== '.' && !isWord(before, 'AS');
    const isCall = next?.text === '(';
    if (!isName || isCall !== (params !== null) || next?.text === '.' || before?.text === '{') {
      result.push(token);
    } else if (params === null) {
      result.push(...bracketed(body, token.spaced));
    } else {
      const end = closeOf(span, at + 1);
      const args = splitList(span.slice(at + 2, end));
      let text = body;
      params.forEach((param, index) => {
        text = writtenOut(text, { name: param, body: args[index] ?? [], params: null });
      });
      result.push(...bracketed(writtenOut(text, { name, body, params: null }), token.spaced));
      at = end;
    }
  }
  return result;
}

function isUse(token: Token, name: string): boolean {
  return (token.kind === 'BareWord' || token.kind === 'QuotedIdentifier') && nameOf(token) === name;
}

function bracketed(body: Span, spaced: boolean): Span {
  return [{ ...symbol('('), spaced }, ...body, symbol(')')];
}
