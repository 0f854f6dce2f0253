/** Rewrites PREWHERE to WHERE, which the planner supports. */
import { bracketDepths, isKeyword, isName, type Tokens, textOf } from './tokens.ts';

/**
 * Moves each PREWHERE condition in front of its WHERE conditions; null if there is nothing to move. For a single
 * table, PREWHERE affects how it is read but not the result. It stays with joins, ARRAY JOIN, FINAL and SAMPLE, since
 * it is evaluated before them.
 */
export function withoutPrewhere(tokens: Tokens): string | null {
  const depth = bracketDepths(tokens);
  const inserted = new Map<number, string>();
  const dropped = new Set<number>();
  tokens.forEach((token, at) => {
    if (!isKeyword(token, 'PREWHERE') || !isOfOneTable(tokens.slice(0, at))) return;
    const end = endOfCondition(tokens, depth, at);
    dropped.add(at);
    inserted.set(at, 'WHERE (');
    inserted.set(end, ')');
    if (!isKeyword(tokens[end], 'WHERE')) return;
    dropped.add(end);
    inserted.set(end, ') AND (');
    inserted.set(endOfCondition(tokens, depth, end), ')');
  });
  if (dropped.size === 0) return null;
  const all = tokens.flatMap((token, at) => [
    ...written(inserted.get(at)),
    ...(dropped.has(at) ? [] : [token]),
  ]);
  return textOf([...all, ...written(inserted.get(tokens.length))]);
}

/** The conditions of every PREWHERE, also in subqueries. */
export function prewhereConditions(tokens: Tokens): readonly Tokens[] {
  const depth = bracketDepths(tokens);
  return tokens.flatMap((token, at) =>
    isKeyword(token, 'PREWHERE') ? [tokens.slice(at + 1, endOfCondition(tokens, depth, at))] : [],
  );
}

const written = (text: string | undefined): Tokens =>
  text === undefined ? [] : [{ kind: 'Written', text, spaced: true }];

/** @param before the tokens in front of PREWHERE. */
function isOfOneTable(before: Tokens): boolean {
  const depth = bracketDepths(before);
  const own = depth.at(-1);
  const from = before.findLastIndex((token, at) => depth[at] === own && isKeyword(token, 'FROM'));
  const [name, ...rest] = before.slice(from + 1);
  if (from < 0 || !isName(name)) return false;
  const shape = rest.map((token) => {
    if (isKeyword(token, 'AS')) return 'AS';
    return token.text === '.' ? '.' : 'name';
  });
  return /^(\. name)?( ?AS name)?$/.test(shape.join(' '));
}

const behind =
  'WHERE GROUP HAVING WINDOW QUALIFY ORDER LIMIT OFFSET FETCH SETTINGS UNION INTERSECT EXCEPT'.split(
    ' ',
  );

/** Index after the clause that starts at `start`. */
function endOfCondition(tokens: Tokens, depth: readonly number[], start: number): number {
  const own = depth[start] ?? 0;
  const end = tokens.findIndex((token, at) => {
    if (at <= start) return false;
    return (depth[at] ?? 0) < own || (depth[at] === own && isKeyword(token, ...behind));
  });
  return end < 0 ? tokens.length : end;
}
