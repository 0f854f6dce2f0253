/** What the stored table of a grouping SELECT contains: keys, compared expressions, aggregates. */
import { comparedExpressions, type PlanContext } from '../plan-context.ts';
import { refuse } from '../refusal.ts';
import { stored, storedClauses } from '../stored-columns.ts';
import {
  aggregateCalls,
  requireOrderInsensitive,
  requireSorted,
  type StoredAggregate,
  toStoredAggregate,
} from '../text/aggregates.ts';
import { type Item, isStar, renderSelect } from '../text/select.ts';
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

type GroupingContext = Pick<PlanContext, 'select' | 'condition' | 'names'>;

interface GroupKey {
  readonly expression: Tokens;
  /** The stored column. */
  readonly column: string;
}

export interface Grouping {
  /** Empty for a SELECT of aggregates alone, which always has one row. */
  readonly keys: readonly GroupKey[];
  readonly aggregates: readonly StoredAggregate[];
  /** By item: computed from aggregates, the same in every row, or a function of the keys. */
  readonly kinds: readonly ('aggregated' | 'constant' | 'keyed')[];
  /** The stored table's SELECT, with a row per group and value of the compared expressions. */
  readonly inner: string;
  /** Names of its columns, in order. */
  readonly columns: readonly string[];
}

/** The aggregate calls of the SELECT, each once. Throws Refusal for one that cannot be merged. */
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

/** Throws Refusal for a grouping that a read cannot repeat. */
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
    return { expression, column: isStored ? stored.result(item) : stored.key(at) };
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

/** An item that uses the alias of an aggregated one is aggregated too. */
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
  context: GroupingContext,
  { keys, aggregates, kinds }: Pick<Grouping, 'keys' | 'aggregates' | 'kinds'>,
): Pick<Grouping, 'inner' | 'columns'> {
  const expressions = comparedExpressions(context.condition.predicates);
  const added: [column: string, item: string][] = [];
  context.select.items.forEach((item, at) => {
    if (kinds[at] === 'keyed') added.push([stored.result(at), textOf(item.tokens)]);
    // Aggregates may use its alias, also where a column has the same name.
    const isNamed = kinds[at] === 'constant' && item.alias !== null;
    if (isNamed) added.push([stored.constant(at), textOf(item.tokens)]);
  });
  const add = (column: string, text: string) => added.push([column, `${text} AS ${column}`]);
  for (const { expression, column } of keys) {
    if (!added.some(([other]) => other === column)) add(column, textOf(expression));
  }
  for (const [at, tokens] of expressions.entries()) add(stored.variable(at), textOf(tokens));
  for (const [at, aggregate] of aggregates.entries()) add(stored.aggregate(at), aggregate.stored);
  const texts = storedClauses(context);
  texts.set('SELECT', added.map(([, item]) => item).join(', '));
  const groupBy = [...keys.map(({ expression }) => expression), ...expressions];
  texts.set('GROUP BY', groupBy.map(textOf).join(', '));
  texts.delete('HAVING');
  return { inner: renderSelect(texts), columns: added.map(([column]) => column) };
}

/** Throws Refusal for an aggregate whose result depends on the order of the rows. */
export async function requireOrderInsensitiveGroups(
  { analysis, parameters }: Pick<PlanContext, 'analysis' | 'parameters'>,
  { inner, aggregates }: Grouping,
): Promise<void> {
  const columns = await analysis.describe(inner, parameters.samples);
  aggregates.forEach((aggregate, at) => {
    requireOrderInsensitive(aggregate, columns.at(at - aggregates.length)?.type ?? '');
  });
}

/** The longest key whose expression starts at this token. */
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
