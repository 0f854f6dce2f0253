/** ORDER BY and LIMIT BY over stored columns. */
import { takeWhile } from '../../../lib/take-while.ts';
import type { ReadOrder } from '../plan-context.ts';
import { refuse, refuseClause } from '../refusal.ts';
import { stored } from '../stored-columns.ts';
import { type Item, isStar, type Select } from '../text/select.ts';
import {
  addedAt,
  bracketDepths,
  hasKeyword,
  hasSameText,
  identifiersIn,
  isKeyword,
  isName,
  nameOf,
  splitBy,
  splitList,
  type Tokens,
  textOf,
} from '../text/tokens.ts';
import { type Node, partOf } from '../tree/canonical-node.ts';

interface SortElement {
  readonly expression: Tokens;
  /** Direction, NULLS, collation. */
  readonly modifiers: string;
}

/** Throws Refusal for an ORDER BY that a read cannot reproduce. */
export function sortElements(orderBy: Tokens): readonly SortElement[] {
  if (hasKeyword(orderBy, 'INTERPOLATE')) {
    refuseClause(
      'INTERPOLATE cannot be materialized with these variables; leave it out, or fill the gaps in your own code.',
    );
  }
  return splitList(orderBy).map((tokens) => {
    const depth = bracketDepths(tokens);
    const at = tokens.findLastIndex(
      (token, i) => depth[i] === 0 && isKeyword(token, 'ASC', 'DESC'),
    );
    const expression = at < 0 ? tokens : tokens.slice(0, at);
    if (isAll(expression)) {
      refuse('ORDER BY ALL cannot be materialized with variables; list the expressions.');
    }
    return { expression, modifiers: at < 0 ? '' : ` ${textOf(tokens.slice(at))}` };
  });
}

interface Ordering {
  /** Expressions stored only for sorting. */
  readonly extra: readonly Tokens[];
  readonly orderBy: string;
  readonly limitBy: string;
  /** Null unless a table sorted by these columns returns its rows in the order of the query. */
  readonly order: ReadOrder | null;
}

/** LIMIT BY split into its counts and expressions; null if there is none. */
export function parseLimitBy({ clauses }: Select) {
  const [limit, by] = splitBy(clauses.get('LIMIT BY') ?? [], (token) => isKeyword(token, 'BY'));
  if (limit === undefined || by === undefined) return null;
  return { limit: textOf(limit), expressions: splitList(by) };
}

/**
 * ORDER BY and LIMIT BY over stored columns, preferring those that variables are compared with, then result columns. The
 * engine's tree tells which result column an expression refers to: a name may be an alias or a column, and a number
 * counts the columns `*` expands to.
 *
 * @param compared the expressions that are stored because variables are compared with them.
 */
export function storedOrdering(
  select: Select,
  original: Node,
  compared: readonly Tokens[],
): Ordering {
  const extra: Tokens[] = [];
  const hasStar = select.items.some(isStar);
  const itemAt = (at: number | null) => (at === null || hasStar ? undefined : select.items[at]);
  const columnOf = (expression: Tokens, at: number | null): string => {
    const item = itemAt(at);
    const same = [expression, ...(item === undefined ? [] : [item.expression])];
    const variable = compared.findIndex((other) => same.some((each) => hasSameText(each, other)));
    if (variable >= 0) return stored.variable(variable);
    if (at !== null) return stored.result(at);
    return stored.sort(addedAt(expression, extra));
  };
  const elements = sortElements(select.clauses.get('ORDER BY') ?? []);
  const sorted = resultColumns(original, 'ORDER BY', elements.length);
  const sorts = elements.map(({ expression, modifiers }, i) => ({
    column: columnOf(expression, sorted[i] ?? null),
    modifiers,
    written: writtenAs(expression, itemAt(sorted[i] ?? null), select.items),
  }));
  const orderBy = sorts.map(({ column, modifiers }) => `${column}${modifiers}`).join(', ');
  const order = orderOf(select, sorts);
  const limitBy = parseLimitBy(select);
  if (limitBy === null) return { extra, orderBy, limitBy: '', order };
  const { limit, expressions } = limitBy;
  if (expressions.length === 1 && isAll(expressions[0] ?? [])) {
    refuse('LIMIT BY ALL cannot be materialized with variables; list the expressions.');
  }
  const limited = resultColumns(original, 'LIMIT BY', expressions.length);
  const columns = expressions.map((expression, i) => columnOf(expression, limited[i] ?? null));
  return { extra, orderBy, limitBy: `${limit} BY ${columns.join(', ')}`, order: null };
}

/**
 * The texts that mean the sorted expression in WHERE as well. Not its place; and not `-n` of `-n AS n`, because the `n` of
 * WHERE is the alias.
 */
function writtenAs(
  expression: Tokens,
  item: Item | undefined,
  items: readonly Item[],
): readonly Tokens[] {
  const isPlace = identifiersIn(expression).length === 0;
  const own = isPlace ? [] : [expression];
  return item === undefined || usesAliases(item, items) ? own : [...own, item.expression];
}

function usesAliases({ expression }: Item, items: readonly Item[]): boolean {
  const aliases = items.filter(({ alias, expression: selected }) => {
    const [only, ...others] = selected;
    return alias !== null && !(others.length === 0 && isName(only) && nameOf(only) === alias);
  });
  const names = new Set(aliases.map(({ alias }) => alias));
  return identifiersIn(expression).some((at) => {
    const token = expression[at];
    return token !== undefined && names.has(nameOf(token));
  });
}

/** The first columns of ORDER BY that have the direction of the first one. */
function orderOf(
  { isDistinct, clauses }: Select,
  sorts: readonly {
    readonly column: string;
    readonly modifiers: string;
    readonly written: readonly Tokens[];
  }[],
): ReadOrder | null {
  const [first] = sorts;
  const isPlain = sorts.every(({ modifiers }) => /^ (ASC|DESC)$/.test(modifiers));
  if (first === undefined || !isPlain || isDistinct) return null;
  const direction = first.modifiers;
  const same = takeWhile(sorts, ({ modifiers }) => modifiers === direction);
  return {
    columns: same.map(({ column }) => column),
    first: first.written,
    isDescending: direction === ' DESC',
    isLimited: clauses.has('LIMIT'),
  };
}

const isAll = (tokens: Tokens) => tokens.length === 1 && isKeyword(tokens[0], 'ALL');

/** For each expression of the clause, the index of the result column that holds it, or null. */
export function resultColumns(
  original: Node,
  part: 'ORDER BY' | 'LIMIT BY',
  count: number,
): readonly (number | null)[] {
  const projection = partOf(original, 'PROJECTION').map(({ key }) => key);
  const nodes = partOf(original, part).map((node) =>
    node.kind === 'SORT' ? partOf(node, 'EXPRESSION')[0] : node,
  );
  if (nodes.length !== count) {
    refuse(
      `${part} with * or a tuple cannot be materialized with variables; list the expressions.`,
    );
  }
  return nodes.map((node) => {
    const at = projection.indexOf(node?.key ?? '');
    return at < 0 ? null : at;
  });
}

/** The index of the result column that an expression of ORDER BY, GROUP BY or LIMIT BY refers to, or null. */
export function resultColumnOf(expression: Tokens, items: readonly Item[]): number | null {
  const [token] = expression;
  const isOne = expression.length === 1 && token !== undefined;
  const hasStar = items.some(isStar);
  if (isOne && token.kind === 'Number') {
    const at = Number(token.text) - 1;
    const isPlace = /^\d+$/.test(token.text) && at >= 0 && at < items.length;
    if (hasStar || !isPlace) {
      refuse(
        'ORDER BY, GROUP BY or LIMIT BY with a column’s number needs a SELECT without *; write the column.',
      );
    }
    return at;
  }
  if (hasStar) return null;
  const byAlias = isOne && isName(token) ? items.findIndex((i) => i.alias === nameOf(token)) : -1;
  const at = byAlias >= 0 ? byAlias : items.findIndex((i) => hasSameText(i.expression, expression));
  return at < 0 ? null : at;
}
