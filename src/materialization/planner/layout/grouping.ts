/** A grouping SELECT with variables, as what its stored table holds: keys, values of variables, aggregates. */
import { comparedExpressions, type PlanContext, storedColumn } from '../plan-context.ts';
import { refuse } from '../refusal.ts';
import {
  aggregateCalls,
  requireOrderInsensitive,
  requireSorted,
  type StoredAggregate,
  toStoredAggregate,
} from '../text/aggregates.ts';
import { clauseTexts, type Item, isStar, renderSelect } from '../text/select.ts';
import {
  hasKeyword,
  hasSameText,
  identifiersIn,
  isKeyword,
  nameOf,
  splitList,
  type Tokens,
  textOf,
} from '../text/tokens.ts';
import { resultColumnOf, sortElements } from './ordering.ts';

/** A SELECT to group by, of which nobody need know what the engine makes of it. */
type GroupingContext = Omit<PlanContext, 'original'>;

export interface GroupKey {
  readonly expression: Tokens;
  /** The stored column. */
  readonly column: string;
}

export interface Grouping {
  /** Empty for a SELECT of aggregates alone, which has one row whatever it reads. */
  readonly keys: readonly GroupKey[];
  readonly aggregates: readonly StoredAggregate[];
  /** By item: computed from aggregates; the same in every row; or else a function of the keys. */
  readonly kinds: readonly ('aggregated' | 'constant' | 'keyed')[];
  /** The stored table's SELECT, with a row per group and value of the variables' expressions. */
  readonly inner: string;
  /** Names of its columns, in order. */
  readonly columns: readonly string[];
}

/** The aggregate calls of the SELECT, each once. Throws Refusal for one that cannot be put together. */
function listAggregates({ select, names }: GroupingContext): readonly StoredAggregate[] {
  const orderBy = sortElements(select.clauses.get('ORDER BY') ?? []).map((e) => e.expression);
  const tokenLists = [
    ...select.items.map(({ expression }) => expression),
    select.clauses.get('HAVING') ?? [],
    select.clauses.get('LIMIT BY') ?? [],
    ...orderBy,
  ];
  const found = new Map<string, StoredAggregate>();
  for (const tokens of tokenLists) {
    for (const call of aggregateCalls(tokens, names)) {
      if (hasKeyword(call.tokens, 'AS')) {
        refuse(
          `Something inside of ${textOf(call.tokens)} is given a name; name it in an item of its own.`,
        );
      }
      requireSorted(tokens, call);
      const aggregate = toStoredAggregate(call);
      found.set(aggregate.text, aggregate);
    }
  }
  return [...found.values()];
}

/** Throws Refusal for a grouping that a read cannot do again. */
export function analyzeGrouping(context: GroupingContext): Grouping {
  const { select } = context;
  const groupBy = select.clauses.get('GROUP BY') ?? [];
  requirePlainGrouping(groupBy);
  const kinds = itemKinds(context);
  const written = splitList(groupBy);
  const expressions = written.map((key) => {
    const item =
      key[0]?.kind === 'Number' && key.length === 1 ? resultColumnOf(key, select.items) : null;
    return item === null ? key : (select.items[item]?.expression ?? key);
  });
  const keys = expressions.map((expression, at): GroupKey => {
    const item = resultColumnOf(expression, select.items);
    const isStored = item !== null && kinds[item] === 'keyed';
    return { expression, column: isStored ? storedColumn.result(item) : storedColumn.key(at) };
  });
  if (keys.length === 0 && kinds.includes('keyed')) {
    refuse(
      'A SELECT without GROUP BY mixes aggregates with a named value; write the value itself.',
    );
  }
  const aggregates = listAggregates(context);
  return { keys, aggregates, kinds, ...renderStoredSelect(context, { keys, aggregates, kinds }) };
}

function requirePlainGrouping(groupBy: Tokens): void {
  if (hasKeyword(groupBy, 'WITH', 'ROLLUP', 'CUBE', 'SETS')) {
    refuse(
      'GROUP BY with ROLLUP, CUBE, TOTALS or GROUPING SETS cannot be materialized with variables; group by plain expressions.',
    );
  }
  if (groupBy.length === 1 && isKeyword(groupBy[0], 'ALL')) {
    refuse('GROUP BY ALL cannot be materialized with variables; list the expressions.');
  }
}

/** An item that names an aggregated one is aggregated too. */
function itemKinds({ select, names }: GroupingContext): Grouping['kinds'] {
  const aggregated = new Set<Item>();
  const aliases = () => new Set([...aggregated].map(({ alias }) => alias));
  for (let size = -1; size !== aggregated.size; ) {
    size = aggregated.size;
    for (const item of select.items) {
      const isOne = aggregateCalls(item.expression, names).length > 0;
      const namesOne = identifiersIn(item.expression).some((at) => {
        const token = item.expression[at];
        return token !== undefined && aliases().has(nameOf(token)) && nameOf(token) !== item.alias;
      });
      if (isOne || namesOne) aggregated.add(item);
    }
  }
  return select.items.map((item) => {
    if (isStar(item))
      refuse('SELECT * with aggregates cannot be materialized with variables; list the columns.');
    if (aggregated.has(item)) return 'aggregated';
    const isConstant =
      identifiersIn(item.expression).length === 0 && !hasKeyword(item.expression, 'SELECT');
    return isConstant ? 'constant' : 'keyed';
  });
}

function renderStoredSelect(
  { select, condition }: GroupingContext,
  { keys, aggregates, kinds }: Pick<Grouping, 'keys' | 'aggregates' | 'kinds'>,
): { readonly inner: string; readonly columns: readonly string[] } {
  const expressions = comparedExpressions(condition.predicates);
  const held: [column: string, item: string][] = [];
  select.items.forEach((item, at) => {
    if (kinds[at] === 'keyed') held.push([storedColumn.result(at), textOf(item.tokens)]);
    // Kept for its name alone, which aggregates may use, also where a column is called the same.
    const isNamed = kinds[at] === 'constant' && item.alias !== null;
    if (isNamed) held.push([storedColumn.constant(at), textOf(item.tokens)]);
  });
  const add = (column: string, text: string) => held.push([column, `${text} AS ${column}`]);
  for (const { expression, column } of keys) {
    if (!held.some(([known]) => known === column)) add(column, textOf(expression));
  }
  expressions.forEach((tokens, at) => {
    add(storedColumn.variable(at), textOf(tokens));
  });
  aggregates.forEach((aggregate, at) => {
    add(storedColumn.aggregate(at), aggregate.stored);
  });
  const texts = clauseTexts(select);
  texts.set('SELECT', held.map(([, item]) => item).join(', '));
  texts.set('WHERE', condition.rest.join(' AND '));
  const grouping = [...keys.map(({ expression }) => expression), ...expressions];
  texts.set('GROUP BY', grouping.map(textOf).join(', '));
  for (const name of ['HAVING', 'ORDER BY', 'LIMIT BY', 'LIMIT', 'OFFSET'] as const) {
    texts.delete(name);
  }
  return { inner: renderSelect(texts), columns: held.map(([column]) => column) };
}

/** Throws Refusal for an aggregate that the order of the rows decides. */
export async function requireOrderInsensitiveGroups(
  { analysis, parameters }: PlanContext,
  parts: Grouping,
): Promise<void> {
  const described = await analysis.describe(parts.inner, parameters.samples);
  const types = new Map(parts.columns.map((name, at) => [name, described[at]?.type ?? '']));
  parts.aggregates.forEach((aggregate, at) => {
    requireOrderInsensitive(aggregate, types.get(storedColumn.aggregate(at)) ?? '');
  });
}

/** The longest grouping expression that is written at this place. */
export function groupKeyAt(tokens: Tokens, at: number, keys: readonly GroupKey[]): GroupKey | null {
  const found = keys
    .filter(({ expression }) => {
      const isWritten = hasSameText(tokens.slice(at, at + expression.length), expression);
      const next = tokens[at + expression.length]?.text;
      const isPart = tokens[at - 1]?.text === '.' || next === '.' || next === '(';
      return isWritten && !isPart && expression.length > 0;
    })
    .sort((a, b) => b.expression.length - a.expression.length);
  return found[0] ?? null;
}
