/** A generated SELECT as clauses that can be dropped one by one, and its text. */

export interface Item {
  readonly text: string;
  /** Null: none. */
  readonly alias: string | null;
}

export type Condition =
  | { readonly kind: 'atom'; readonly text: string }
  | { readonly kind: 'all' | 'any'; readonly parts: readonly Condition[] }
  | { readonly kind: 'not'; readonly part: Condition };

export type Source =
  | { readonly kind: 'table'; readonly name: string; readonly alias: string }
  | { readonly kind: 'select'; readonly select: Select; readonly alias: string };

export interface Join {
  /** As `LEFT JOIN`. */
  readonly kind: string;
  readonly source: Source;
  /** As `ON a.id = b.id` or `USING (id)`. */
  readonly on: string;
}

export interface SortKey {
  readonly text: string;
  /** As ` DESC NULLS FIRST`. */
  readonly direction: string;
}

export interface Select {
  readonly ctes: readonly { readonly name: string; readonly select: Select }[];
  /** `expression AS name` of WITH. */
  readonly named: readonly string[];
  readonly isDistinct: boolean;
  readonly items: readonly Item[];
  readonly from: Source;
  readonly joins: readonly Join[];
  /** As `ARRAY JOIN tags AS tag`. */
  readonly arrayJoin: string;
  readonly where: Condition | null;
  readonly groupBy: readonly string[];
  /** As ` WITH ROLLUP`; ` ALL` replaces the keys. */
  readonly grouping: string;
  readonly having: Condition | null;
  readonly orderBy: readonly SortKey[];
  /** As `LIMIT 2 BY channel`. */
  readonly limitBy: string;
  readonly limit: string | null;
  readonly isWithTies: boolean;
  readonly offset: string | null;
  /** What follows, as `UNION ALL`. */
  readonly unions: readonly { readonly kind: string; readonly select: Select }[];
}

export const emptySelect: Omit<Select, 'items' | 'from'> = {
  ctes: [],
  named: [],
  isDistinct: false,
  joins: [],
  arrayJoin: '',
  where: null,
  groupBy: [],
  grouping: '',
  having: null,
  orderBy: [],
  limitBy: '',
  limit: null,
  isWithTies: false,
  offset: null,
  unions: [],
};

export function render(select: Select): string {
  const { orderBy, limit, offset, limitBy, isWithTies } = select;
  const sorted = orderBy.map(({ text, direction }) => `${text}${direction}`).join(', ');
  const cut = limit === null ? '' : `LIMIT ${limit}${isWithTies ? ' WITH TIES' : ''}`;
  return [
    renderWith(select),
    `SELECT ${select.isDistinct ? 'DISTINCT ' : ''}${select.items.map(renderItem).join(', ')}`,
    `FROM ${renderSource(select.from)}`,
    ...select.joins.map(({ kind, source, on }) => `${kind} ${renderSource(source)} ${on}`),
    select.arrayJoin,
    select.where === null ? '' : `WHERE ${renderCondition(select.where)}`,
    renderGroupBy(select),
    select.having === null ? '' : `HAVING ${renderCondition(select.having)}`,
    sorted === '' ? '' : `ORDER BY ${sorted}`,
    limitBy,
    // OFFSET stands before WITH TIES only as the first number of LIMIT.
    offset !== null && isWithTies ? cut.replace('LIMIT ', `LIMIT ${offset}, `) : cut,
    offset === null || isWithTies ? '' : `OFFSET ${offset}`,
    ...select.unions.map(({ kind, select: next }) => `${kind} ${render(next)}`),
  ]
    .filter((part) => part !== '')
    .join(' ');
}

function renderWith({ ctes, named }: Select): string {
  const all = [...named, ...ctes.map(({ name, select }) => `${name} AS (${render(select)})`)];
  return all.length === 0 ? '' : `WITH ${all.join(', ')}`;
}

function renderItem({ text, alias }: Item): string {
  return alias === null ? text : `${text} AS ${alias}`;
}

function renderSource(source: Source): string {
  if (source.kind === 'select') return `(${render(source.select)}) AS ${source.alias}`;
  return source.alias === '' ? source.name : `${source.name} AS ${source.alias}`;
}

function renderGroupBy({ groupBy, grouping }: Select): string {
  if (grouping === ' ALL') return 'GROUP BY ALL';
  return groupBy.length === 0 ? '' : `GROUP BY ${groupBy.join(', ')}${grouping}`;
}

export function renderCondition(condition: Condition): string {
  if (condition.kind === 'atom') return condition.text;
  if (condition.kind === 'not') return `NOT (${renderCondition(condition.part)})`;
  const inner = condition.parts.map((part) => {
    const text = renderCondition(part);
    return part.kind === 'any' && condition.kind === 'all' ? `(${text})` : text;
  });
  return inner.join(condition.kind === 'all' ? ' AND ' : ' OR ');
}
