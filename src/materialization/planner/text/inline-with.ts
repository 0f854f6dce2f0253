/** Inlines WITH definitions: named expressions where they are used, a CTE in the FROM that reads it. */
import type { Token } from '../../../sql/sql-analysis.ts';
import { refuseClause } from '../refusal.ts';
import { hasVariable } from './parameters.ts';
import { parseSelect } from './select.ts';
import {
  bracketDepths,
  closingBracketOf,
  hasKeyword,
  identifiersIn,
  isKeyword,
  isName,
  joinList,
  keyword,
  nameOf,
  splitBy,
  splitList,
  symbol,
  type Tokens,
  textOf,
  unwrapped,
} from './tokens.ts';

const spaced = ([first, ...rest]: Tokens): Tokens =>
  first === undefined ? [] : [{ ...first, spaced: true }, ...rest];

function withClause(parts: readonly Tokens[]): Tokens {
  const list = spaced(joinList(parts));
  return list.length === 0 ? [] : [keyword('WITH'), ...list];
}

function indexOfSelect(tokens: Tokens): number {
  const depth = bracketDepths(tokens);
  return tokens.findIndex((token, at) => isKeyword(token, 'SELECT') && depth[at] === 0);
}

/**
 * Replaces the use of the CTE that has variables by a subquery; null if no CTE has any. Throws Refusal unless the CTE
 * is read exactly once, by the main SELECT.
 */
export function inlineCte(tokens: Tokens): Tokens | null {
  const { clauses } = parseSelect(tokens);
  const parts = splitList(clauses.get('WITH') ?? []);
  const cte = parts.find(hasVariable);
  const name = cte?.[0];
  const isCte = isName(name) && isKeyword(cte?.[1], 'AS') && cte?.[2]?.text === '(';
  if (cte === undefined || !isCte) return null;
  const from = clauses.get('FROM') ?? [];
  const isRead = isName(from[0]) && nameOf(from[0]) === nameOf(name) && from[1]?.text !== '.';
  const uses = tokens.filter(
    (token, at) => isName(token) && nameOf(token) === nameOf(name) && tokens[at + 1]?.text !== '.',
  );
  // Its definition and its use in FROM.
  if (uses.length !== 2 || parts.filter(hasVariable).length > 1 || !isRead) {
    refuseClause(
      'The variables are used in a CTE that is not read exactly once, by the main SELECT, or in several CTEs; use them in one CTE or in the main WHERE.',
    );
  }
  const hasAlias = isKeyword(from[1], 'AS');
  const alias = hasAlias ? [] : [keyword('AS'), ...spaced([name])];
  const start = indexOfSelect(tokens);
  const fromAt = tokens.findIndex((token, at) => at > start && token === from[0]);
  return [
    ...withClause(parts.filter((part) => part !== cte)),
    ...tokens.slice(start, fromAt),
    ...spaced(cte.slice(2)),
    ...alias,
    ...tokens.slice(fromAt + 1),
  ];
}

interface NamedExpression {
  readonly name: string;
  readonly body: Tokens;
  /** Parameters of a lambda; null for an expression. */
  readonly params: readonly string[] | null;
}

/** Limits the expansion of expressions that repeatedly use each other. */
const maxTokens = 10_000;

/**
 * The text with named expressions inlined; null if WITH has none or the text gets too long. A column may have the
 * name of an expression, so the caller must check with the engine that both texts are the same query.
 */
export function inlineWithExpressions(tokens: Tokens): string | null {
  const text = inlinedWhere(tokens, () => true);
  return text === null ? null : textOf(text);
}

/**
 * The same for named expressions of variables, such as `{from:Date} AS start, start + 7 AS end`, alone, and for those with
 * variables that WHERE uses, such as `ts >= start AS is_recent`.
 */
export function inlineNamedVariables(tokens: Tokens): string | null {
  let text = tokens;
  // Each may use those that are inlined already.
  for (let next: Tokens | null = tokens; next !== null; next = inlinedWhere(text, isGiven(text)))
    text = next;
  return text === tokens ? null : textOf(text);
}

function isGiven(tokens: Tokens): (named: NamedExpression) => boolean {
  const where = parseSelect(tokens).clauses.get('WHERE') ?? [];
  const used = new Set(identifiersIn(where).flatMap((at) => (where[at] ? nameOf(where[at]) : [])));
  return ({ name, body, params }) => {
    const isPlain = params === null && hasVariable(body) && !hasKeyword(body, 'SELECT');
    return isPlain && (used.has(name) || identifiersIn(body).length === 0);
  };
}

/** Null if there are no such expressions in WITH. */
function inlinedWhere(
  tokens: Tokens,
  isInlined: (named: NamedExpression) => boolean,
): Tokens | null {
  if (!isKeyword(tokens[0], 'WITH') || isKeyword(tokens[1], 'RECURSIVE')) return null;
  const parts = splitList(parseSelect(tokens).clauses.get('WITH') ?? []);
  const named = parts.map((part) => {
    const one = parseNamed(part);
    return one !== null && isInlined(one) ? one : null;
  });
  if (named.every((part) => part === null)) return null;
  const others = parts.filter((_part, at) => named[at] === null);
  let text: Tokens = [
    ...withClause(others),
    ...withColumnNames(tokens.slice(indexOfSelect(tokens)), named),
  ];
  // Last to first, since each may use earlier ones.
  for (const one of named.toReversed()) {
    if (one === null) continue;
    text = inlined(text, one);
    if (text.length > maxTokens) return null;
  }
  return text;
}

function parseNamed(part: Tokens): NamedExpression | null {
  const name = part.at(-1);
  if (!isName(name) || !isKeyword(part.at(-2), 'AS') || part.length < 3) return null;
  const body = part.slice(0, -2);
  const [head = [], lambdaBody, ...others] = splitBy(unwrapped(body), ({ text }) => text === '->');
  if (lambdaBody === undefined || others.length > 0) {
    return { name: nameOf(name), body, params: null };
  }
  const list = head[0]?.text === '(' ? head.slice(1, closingBracketOf(head, 0)) : head;
  return { name: nameOf(name), body: lambdaBody, params: list.filter(isName).map(nameOf) };
}

/** Adds the name as an alias to items that consist of it alone, so that their columns keep it. */
function withColumnNames(select: Tokens, named: readonly (NamedExpression | null)[]): Tokens {
  const names = new Set(named.flatMap((one) => (one?.params === null ? [one.name] : [])));
  const depth = bracketDepths(select);
  const end = select.findIndex((token, at) => at > 0 && depth[at] === 0 && isClause(token));
  const isEnd = (token: Token | undefined, at: number) =>
    token === undefined || at === end || token.text === ',';
  return select.flatMap((token, at) => {
    const isItem = at > 0 && depth[at] === 0 && (end < 0 || at < end);
    const before = select[at - 1];
    const isAlone = isItem && (isKeyword(before, 'SELECT', 'DISTINCT') || before?.text === ',');
    if (!isAlone || !isName(token) || !isEnd(select[at + 1], at + 1)) return [token];
    return names.has(nameOf(token)) ? [token, keyword('AS'), ...spaced([token])] : [token];
  });
}

const clauses = 'FROM WHERE GROUP HAVING ORDER LIMIT WINDOW QUALIFY OFFSET'.split(' ');
const isClause = (token: Token) => isKeyword(token, ...clauses);

function inlined(tokens: Tokens, { name, body, params }: NamedExpression): Tokens {
  const result: Token[] = [];
  for (let at = 0; at < tokens.length; at += 1) {
    const token = tokens[at];
    if (token === undefined) continue;
    const [before, next] = [tokens[at - 1], tokens[at + 1]];
    const isUse = isName(token) && nameOf(token) === name && !isKeyword(before, 'AS');
    const isMember = before?.text === '.' || before?.text === '{' || next?.text === '.';
    if (!isUse || isMember || (next?.text === '(') !== (params !== null)) {
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

function bracketed(body: Tokens, isSpaced: boolean): Tokens {
  return [{ ...symbol('('), spaced: isSpaced }, ...body, symbol(')')];
}
