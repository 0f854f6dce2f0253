/** Expands ALL and window names. */
import type { Token } from '../../../sql/sql-analysis.ts';
import type { AggregateNames } from './aggregates.ts';
import { aggregateCalls } from './aggregates.ts';
import { isStar, parseSelect, renderSelect, type Select } from './select.ts';
import { isKeyword, isName, nameOf, splitBy, splitList, type Tokens, textOf } from './tokens.ts';

/**
 * The expanded text; null if there is nothing to expand. The caller must check with the engine that both texts are
 * the same query.
 */
export function expandClauses(tokens: Tokens, names: AggregateNames): string | null {
  const select = parseSelect(tokens);
  const { clauses } = select;
  const texts = new Map([...clauses].map(([name, body]) => [name, textOf(body)]));
  const before = renderSelect(texts);
  if (!select.items.some(isStar)) expandAll(select, texts, names);
  const windows = new Map(
    splitList(clauses.get('WINDOW') ?? []).flatMap((part): [string, Tokens][] => {
      const [name] = part;
      return isName(name) && isKeyword(part[1], 'AS') ? [[nameOf(name), part.slice(2)]] : [];
    }),
  );
  if (windows.size > 0) {
    for (const name of ['SELECT', 'ORDER BY', 'QUALIFY'] as const) {
      const body = clauses.get(name);
      if (body !== undefined) texts.set(name, textOf(withWindows(body, windows)));
    }
    texts.delete('WINDOW');
  }
  const text = renderSelect(texts);
  return text === before ? null : text;
}

function expandAll(select: Select, texts: Map<string, string>, names: AggregateNames): void {
  const { items, clauses } = select;
  const numbers = items.map((_item, at) => String(at + 1));
  const keys = items.flatMap(({ expression }, at) =>
    aggregateCalls(expression, names).length === 0 ? [String(at + 1)] : [],
  );
  if (isAll(clauses.get('GROUP BY') ?? [])) texts.set('GROUP BY', keys.join(', '));
  const orderBy = clauses.get('ORDER BY') ?? [];
  if (isAll(orderBy.slice(0, 1)) && splitList(orderBy).length === 1) {
    const modifiers = textOf(orderBy.slice(1));
    texts.set('ORDER BY', numbers.map((number) => `${number} ${modifiers}`).join(', '));
  }
  const [limit, by] = splitBy(clauses.get('LIMIT BY') ?? [], (token) => isKeyword(token, 'BY'));
  if (limit !== undefined && by !== undefined && isAll(by)) {
    texts.set('LIMIT BY', `${textOf(limit)} BY ${numbers.join(', ')}`);
  }
}

const isAll = (tokens: Tokens) => tokens.length === 1 && isKeyword(tokens[0], 'ALL');

function withWindows(tokens: Tokens, windows: ReadonlyMap<string, Tokens>): Tokens {
  return tokens.flatMap((token, at): readonly Token[] => {
    const isUse = isKeyword(tokens[at - 1], 'OVER') && isName(token);
    const body = isUse ? windows.get(nameOf(token)) : undefined;
    if (body === undefined) return [token];
    return body.map((one, i) => (i === 0 ? { ...one, spaced: true } : one));
  });
}
