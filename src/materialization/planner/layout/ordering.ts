/** ORDER BY and LIMIT BY of a query whose rows are stored: over which stored columns a read does them. */
import { storedColumn } from '../plan-context.ts';
import { refuse } from '../refusal.ts';
import { type Item, isStar, type Select } from '../text/select.ts';
import {
  bracketDepths,
  hasKeyword,
  hasSameText,
  isKeyword,
  isName,
  nameOf,
  splitBy,
  splitList,
  type Tokens,
  textOf,
} from '../text/tokens.ts';
import { type Node, partOf } from '../tree/canonical-node.ts';

export const distinctReason =
  'SELECT DISTINCT is ordered by an expression that it does not select; select it too.';

export interface SortElement {
  readonly expression: Tokens;
  /** Direction, nulls, collation. */
  readonly modifiers: string;
}

/** Throws Refusal for what a read cannot do again. */
export function sortElements(orderBy: Tokens): readonly SortElement[] {
  if (hasKeyword(orderBy, 'FILL', 'INTERPOLATE')) {
    refuse(
      'ORDER BY … WITH FILL cannot be materialized with variables; fill the gaps in your own code.',
    );
  }
  return splitList(orderBy).map((tokens) => {
    const level = bracketDepths(tokens);
    const at = tokens.findLastIndex(
      (token, i) => level[i] === 0 && isKeyword(token, 'ASC', 'DESC'),
    );
    const expression = at < 0 ? tokens : tokens.slice(0, at);
    if (expression.length === 1 && isKeyword(expression[0], 'ALL')) {
      refuse('ORDER BY ALL cannot be materialized with variables; list the expressions.');
    }
    return { expression, modifiers: at < 0 ? '' : ` ${textOf(tokens.slice(at))}` };
  });
}

export interface Ordering {
  /** Expressions that the stored table holds for the order alone. */
  readonly extra: readonly Tokens[];
  readonly orderBy: string;
  readonly limitBy: string;
}

/**
 * The order in nodes of stored columns: those of the result where they hold the expression already. Which these are is
 * what the engine says: a name may be an alias or a column, and a number counts what `*` stands for.
 */
export function storedOrdering({ clauses }: Select, original: Node): Ordering {
  const extra: Tokens[] = [];
  const columnOf = (expression: Tokens, at: number | null): string => {
    if (at !== null) return storedColumn.result(at);
    const known = extra.findIndex((other) => hasSameText(other, expression));
    return storedColumn.sort(known >= 0 ? known : extra.push(expression) - 1);
  };
  const elements = sortElements(clauses.get('ORDER BY') ?? []);
  const places = resultColumns(original, 'ORDER BY', elements.length);
  const orderBy = elements
    .map(({ expression, modifiers }, i) => `${columnOf(expression, places[i] ?? null)}${modifiers}`)
    .join(', ');
  const limitBy = clauses.get('LIMIT BY') ?? [];
  const [head, by] = splitBy(limitBy, (token) => isKeyword(token, 'BY'));
  if (head === undefined || by === undefined) return { extra, orderBy, limitBy: '' };
  if (by.length === 1 && isKeyword(by[0], 'ALL')) {
    refuse('LIMIT BY ALL cannot be materialized with variables; list the expressions.');
  }
  const list = splitList(by);
  const limited = resultColumns(original, 'LIMIT BY', list.length);
  const columns = list.map((expression, i) => columnOf(expression, limited[i] ?? null));
  return { extra, orderBy, limitBy: `${textOf(head)} BY ${columns.join(', ')}` };
}

/** For each expression of the part the number of the result column that holds it, or null. */
function resultColumns(
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

/** The number of the result column that an expression of ORDER BY, GROUP BY or LIMIT BY names; or null. */
export function resultColumnOf(expression: Tokens, items: readonly Item[]): number | null {
  const [token] = expression;
  const isOne = expression.length === 1 && token !== undefined;
  const hasStar = items.some(isStar);
  if (isOne && token.kind === 'Number') {
    const at = Number(token.text) - 1;
    const isPlace = Number.isInteger(at) && at >= 0 && at < items.length;
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
