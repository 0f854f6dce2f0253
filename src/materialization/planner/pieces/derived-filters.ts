/** Finds predicates through which the engine may use a column's index without comparing the column itself. */
import {
  bracketDepths,
  hasKeyword,
  isColumnPattern,
  isExpressionKeyword,
  isKeyword,
  isName,
  nameOf,
  type Tokens,
} from '../text/tokens.ts';
import { isQuery, joinWords } from './query-text.ts';

/**
 * Counts the names in predicates that are the column or may be derived from it, such as `day` after `toDate(ts) AS day`.
 * The engine moves predicates into subqueries and CTEs, so those of the whole read count. Where columns are renamed by
 * position every use of the name counts, and no number is enough where they are selected by a pattern.
 *
 * @param read the whole text of the read.
 */
export function countInPredicates(read: Tokens, column: string): number {
  if (read.some((_token, at) => isColumnPattern(read, at))) return Number.POSITIVE_INFINITY;
  if (hasKeyword(read, 'UNION', 'INTERSECT', 'EXCEPT') || hasColumnList(read)) {
    return countOf(read, column);
  }
  const derived = derivedNames(read, column);
  return predicatesIn(read)
    .flat()
    .filter((token) => isName(token) && !isExpressionKeyword(token))
    .filter((token) => isDerived(nameOf(token), derived)).length;
}

export function countOf(tokens: Tokens, name: string): number {
  return tokens.filter((token) => isName(token) && nameOf(token) === name).length;
}

/** A column without an alias is named by its expression, as in `toDate(ts)`. */
function isDerived(name: string, derived: ReadonlySet<string>): boolean {
  if (derived.has(name)) return true;
  return /\W/.test(name) && [...derived].some((one) => name.includes(one));
}

/** `AS t(a, b)` or `WITH t(a, b) AS (SELECT …)` */
function hasColumnList(tokens: Tokens): boolean {
  return tokens.some((token, at) => {
    if (!isKeyword(token, 'AS')) return false;
    const [before, next, second] = [tokens[at - 1], tokens[at + 1], tokens[at + 2]];
    return (isName(next) && second?.text === '(') || (before?.text === ')' && next?.text === '(');
  });
}

function derivedNames(read: Tokens, column: string): ReadonlySet<string> {
  const named = aliasedExpressions(read);
  const derived = new Set([column]);
  for (let size = 0; size < derived.size; ) {
    size = derived.size;
    for (const { expression, alias } of named) {
      const uses = expression.some((token) => isName(token) && isDerived(nameOf(token), derived));
      if (uses) derived.add(alias);
    }
  }
  return derived;
}

interface Aliased {
  readonly expression: Tokens;
  readonly alias: string;
}

/** Aliases of expressions. The alias of a subquery names a table, or one value for all rows. */
function aliasedExpressions(tokens: Tokens): readonly Aliased[] {
  const depth = bracketDepths(tokens);
  return tokens.flatMap((token, at): Aliased[] => {
    const alias = tokens[at + 1];
    if (!isKeyword(token, 'AS') || !isName(alias)) return [];
    const own = depth[at] ?? 0;
    const isOwn = (other: number) => depth[other] === own;
    const before = tokens.slice(0, at);
    const bracket = before.findLastIndex(({ text }, other) => isOwn(other) && text === '(');
    if (before.at(-1)?.text === ')' && isQuery(tokens.slice(bracket + 1))) return [];
    const start = before.findLastIndex(
      (_, other) => (depth[other] ?? 0) < own || (isOwn(other) && startsItem(tokens, other)),
    );
    return [{ expression: before.slice(start + 1), alias: nameOf(alias) }];
  });
}

/** Whether the next token is the first of an item of SELECT, WITH or FROM. */
function startsItem(tokens: Tokens, at: number): boolean {
  const token = tokens[at];
  const isComparison = isKeyword(tokens[at - 2], 'IS') && isKeyword(tokens[at - 1], 'DISTINCT');
  if (isKeyword(token, 'FROM')) return !isComparison;
  return token?.text === ',' || isKeyword(token, 'SELECT', 'WITH') || isJoin(tokens, at);
}

/** Two words in a row, since a single one may be a name. */
const isJoin = (tokens: Tokens, at: number) =>
  isKeyword(tokens[at], 'JOIN') && isKeyword(tokens[at - 1], ...joinWords);

const starts = ['WHERE', 'PREWHERE', 'HAVING', 'QUALIFY', 'ON', 'USING'] as const;

/** The predicates of all SELECTs and joins, with the subqueries in them and possibly what follows. */
function predicatesIn(tokens: Tokens): readonly Tokens[] {
  const depth = bracketDepths(tokens);
  const found: Tokens[] = [];
  for (let at = 0; at < tokens.length; at += 1) {
    if (!isKeyword(tokens[at], ...starts)) continue;
    const own = depth[at] ?? 0;
    let end = at + 1;
    while (end < tokens.length && (depth[end] ?? 0) >= own) {
      if (depth[end] === own && isBehindPredicate(tokens, end)) break;
      end += 1;
    }
    found.push(tokens.slice(at + 1, end));
    at = end - 1;
  }
  return found;
}

function isBehindPredicate(tokens: Tokens, at: number): boolean {
  const isClause = isKeyword(tokens[at], 'GROUP', 'ORDER') && isKeyword(tokens[at + 1], 'BY');
  return isClause || isJoin(tokens, at);
}
