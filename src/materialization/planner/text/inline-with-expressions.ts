/** Expressions that WITH gives names to, written out where the names stand. */
import type { Token } from '../../../sql/sql-analysis.ts';
import { hasVariable } from './parameters.ts';
import { parseSelect } from './select.ts';
import {
  bracketDepths,
  closingBracketOf,
  isKeyword,
  isName,
  nameOf,
  splitBy,
  splitList,
  type Tokens,
  textOf,
  unwrapped,
} from './tokens.ts';

interface NamedExpression {
  readonly name: string;
  readonly body: Tokens;
  /** Of a lambda; null for an expression. */
  readonly params: readonly string[] | null;
}

/** Beyond this a text that names itself over and over is left as it is. */
const maxTokens = 10_000;

/**
 * The text without the names; null where WITH names no expressions, or they hold variables. Which of an expression and a
 * column of one name is meant is the engine's to say: the caller compares what it makes of both texts.
 */
export function inlineWithExpressions(tokens: Tokens): string | null {
  if (!isKeyword(tokens[0], 'WITH') || isKeyword(tokens[1], 'RECURSIVE')) return null;
  const parts = splitList(parseSelect(tokens).clauses.get('WITH') ?? []);
  const named = parts.map(parseNamed);
  if (named.every((part) => part === null)) return null;
  if (parts.some((part, at) => named[at] !== null && hasVariable(part))) return null;
  const level = bracketDepths(tokens);
  const start = tokens.findIndex((token, at) => isKeyword(token, 'SELECT') && level[at] === 0);
  const tables = parts.filter((_part, at) => named[at] === null);
  let text: Tokens = [
    ...tables.flatMap((part, at) => [at === 0 ? keyword('WITH') : keyword(','), ...part]),
    ...withColumnNames(tokens.slice(start), named),
  ];
  // From the last: each may use those before it.
  for (const one of named.toReversed()) {
    if (one === null) continue;
    text = inlined(text, one);
    if (text.length > maxTokens) return null;
  }
  return textOf(text);
}

const keyword = (text: string): Token => ({ kind: 'BareWord', text, spaced: true });
const symbol = (text: string): Token => ({ kind: 'Symbol', text, spaced: false });

function parseNamed(part: Tokens): NamedExpression | null {
  const name = part.at(-1);
  if (!isName(name) || !isKeyword(part.at(-2), 'AS') || part.length < 3) return null;
  const body = part.slice(0, -2);
  const pieces = splitBy(unwrapped(body), (token) => token.text === '->');
  if (pieces.length === 1) return { name: nameOf(name), body, params: null };
  const [given = [], ...rest] = pieces;
  if (rest.length !== 1) return { name: nameOf(name), body, params: null };
  const list = given[0]?.text === '(' ? given.slice(1, closingBracketOf(given, 0)) : given;
  const params = list.filter(isName).map(nameOf);
  return { name: nameOf(name), body: rest[0] ?? [], params };
}

/** Items that are a name alone keep it as the name of their column. */
function withColumnNames(select: Tokens, named: readonly (NamedExpression | null)[]): Tokens {
  const names = new Set(named.flatMap((one) => (one?.params === null ? [one.name] : [])));
  const level = bracketDepths(select);
  const end = select.findIndex((token, at) => at > 0 && level[at] === 0 && isClause(token));
  const isEnd = (token: Token | undefined, at: number) =>
    token === undefined || at === end || token.text === ',';
  return select.flatMap((token, at) => {
    const isItem = at > 0 && level[at] === 0 && (end < 0 || at < end);
    const before = select[at - 1];
    const isAlone = isItem && (isKeyword(before, 'SELECT', 'DISTINCT') || before?.text === ',');
    if (!isAlone || !isName(token) || !isEnd(select[at + 1], at + 1)) return [token];
    return names.has(nameOf(token)) ? [token, keyword('AS'), { ...token, spaced: true }] : [token];
  });
}

function isClause(token: Token): boolean {
  return isKeyword(
    token,
    ...'FROM,WHERE,GROUP,HAVING,ORDER,LIMIT,WINDOW,QUALIFY,OFFSET'.split(','),
  );
}

function inlined(tokens: Tokens, { name, body, params }: NamedExpression): Tokens {
  const result: Token[] = [];
  for (let at = 0; at < tokens.length; at += 1) {
    const token = tokens[at];
    if (token === undefined) continue;
    const [before, next] = [tokens[at - 1], tokens[at + 1]];
    const isName = isUse(token, name) && before?.text !== '.' && !isKeyword(before, 'AS');
    const isCall = next?.text === '(';
    if (!isName || isCall !== (params !== null) || next?.text === '.' || before?.text === '{') {
      result.push(token);
    } else if (params === null) {
      result.push(...bracketed(body, token.spaced));
    } else {
      const end = closingBracketOf(tokens, at + 1);
      const args = splitList(tokens.slice(at + 2, end));
      let text = body;
      params.forEach((param, index) => {
        text = inlined(text, { name: param, body: args[index] ?? [], params: null });
      });
      result.push(...bracketed(inlined(text, { name, body, params: null }), token.spaced));
      at = end;
    }
  }
  return result;
}

function isUse(token: Token, name: string): boolean {
  return (token.kind === 'BareWord' || token.kind === 'QuotedIdentifier') && nameOf(token) === name;
}

function bracketed(body: Tokens, spaced: boolean): Tokens {
  return [{ ...symbol('('), spaced }, ...body, symbol(')')];
}
