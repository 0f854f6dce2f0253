/**
 * Whether a JOIN compares something with a value that is NULL for some variables or rows: that of a function, as in
 * `b.plan = nullIf({plan:String}, '')`, or the one value of a subquery, which may find no row. Pure.
 */
import { LRUCache } from 'lru-cache';
import { lexSql } from './sql-lexer.ts';

const BEHIND_ON =
  /^(?:where|prewhere|group|having|order|limit|offset|window|qualify|union|intersect|except|settings|join|using)$/;
const OF_SETS = /^(?:in|exists|any|all|some)$/;

/** Every read asks. */
const known = new LRUCache<string, boolean>({ max: 2000, maxSize: 16_777_216, sizeCalculation });

function sizeCalculation(_found: boolean, sql: string): number {
  return 2 * sql.length + 100;
}

export function mayJoinNull(sql: string): boolean {
  if (!/\(\s*(?:select|with)\b|\bnull|ornull\b/i.test(sql)) return false;
  const found = known.get(sql) ?? search(sql);
  known.set(sql, found);
  return found;
}

function search(sql: string): boolean {
  const tokens = lexSql(sql).map(({ start, end }) => sql.slice(start, end));
  const isQuery = (at: number) =>
    tokens[at] === '(' && /^(?:select|with)$/i.test(tokens[at + 1] ?? '');
  const named = tokens.some((_token, at) => isNull(tokens, at)) ? aliases(tokens) : [];
  const names = new Set([...namedSubqueries(tokens, isQuery), ...named]);
  // The depth of each ON that has not ended.
  let open: number[] = [];
  let depth = 0;
  for (const [at, token] of tokens.entries()) {
    const isInOn = open.length > 0;
    if (isInOn && isNull(tokens, at)) return true;
    if (isInOn && isQuery(at) && !OF_SETS.test(tokens[at - 1]?.toLowerCase() ?? '')) return true;
    if (isInOn && names.has(unquoted(token)) && tokens[at + 1] !== '.') return true;
    if (token === '(') depth += 1;
    if (token === ')') depth -= 1;
    const ends = BEHIND_ON.test(token.toLowerCase());
    open = open.filter((own) => depth > own || (depth === own && !ends));
    if (/^on$/i.test(token)) open.push(depth);
  }
  return false;
}

/** Not of `IS NULL`, which is never NULL. */
function isNull(tokens: readonly string[], at: number): boolean {
  const token = tokens[at] ?? '';
  if (/^null$/i.test(token)) return !/^(?:is|not)$/i.test(tokens[at - 1] ?? '');
  return tokens[at + 1] === '(' && /^nullif$|ornull$/i.test(token);
}

/** Any of them may name such a value. */
function aliases(tokens: readonly string[]): readonly string[] {
  return tokens.flatMap((token, at) =>
    /^as$/i.test(token) ? [unquoted(tokens[at + 1] ?? '')] : [],
  );
}

/** Names of WITH and SELECT for the one value of a subquery; those in FROM name tables. */
function namedSubqueries(
  tokens: readonly string[],
  isQuery: (at: number) => boolean,
): ReadonlySet<string> {
  const names = new Set<string>();
  const brackets: number[] = [];
  for (const [at, token] of tokens.entries()) {
    if (token === '(') brackets.push(at);
    if (token !== ')') continue;
    const from = brackets.pop() ?? 0;
    const isValue = isQuery(from) && /^(?:with|,|select|distinct)$/i.test(tokens[from - 1] ?? '');
    if (isValue && /^as$/i.test(tokens[at + 1] ?? '')) names.add(unquoted(tokens[at + 2] ?? ''));
  }
  return names;
}

function unquoted(token: string): string {
  return /^[`"]/.test(token) ? token.slice(1, -1) : token;
}
