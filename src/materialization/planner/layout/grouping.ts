/** The contents of a grouping SELECT's stored table: keys, compared expressions, aggregates. */
import { comparedExpressions, type PlanContext } from '../plan-context.ts';
import { refuse, refuseClause } from '../refusal.ts';
import { stored, storedClauses, withColumnNames } from '../stored-columns.ts';
import {
  type AggregateName,
  type AggregateNames,
  aggregateCalls,
  groupedCalls,
  requireOrderInsensitive,
  requireSorted,
  type StoredAggregate,
  toStoredAggregate,
} from '../text/aggregates.ts';
import { hasVariable, variablesIn } from '../text/parameters.ts';
import { type Item, isStar, renderSelect } from '../text/select.ts';
import { overStoredColumns } from '../text/stored-expressions.ts';
import { addedAt, hasKeyword, identifiersIn, nameOf, type Tokens, textOf } from '../text/tokens.ts';
import type { GroupKey } from './group-keys.ts';
import { resultColumnOf, sortElements } from './ordering.ts';
import { parseGroupBy } from './parse-group-by.ts';
import { guardColumns } from './zero-guards.ts';

interface GroupingContext
  extends Pick<PlanContext, 'select' | 'condition' | 'names' | 'parameters' | 'zeroGuards'> {
  /** Absent: every aggregate has to be stored. */
  readonly isStored?: (name: AggregateName) => boolean;
}

/** A column name and its item, with that name unless the item has an alias. */
export type StoredItem = readonly [column: string, item: string];

export interface Grouping {
  /** Empty for a SELECT of aggregates without GROUP BY, which always has one row. */
  readonly keys: readonly GroupKey[];
  readonly aggregates: readonly StoredAggregate[];
  /** Per item: computed at read time from aggregates and keys, the same in every row, or a function of the keys. */
  readonly kinds: readonly ('aggregated' | 'constant' | 'keyed')[];
  /** Expressions that conditions of aggregates compare with variables, besides keys and those that predicates compare. */
  readonly dimensions: readonly Tokens[];
  /** The conditions with variables of some aggregates, over stored columns. */
  readonly conditions: ReadonlyMap<StoredAggregate, Tokens>;
  /** The name of a stored column by its number in conditions and predicates. */
  readonly nameOf: (column: number) => string;
  /** The stored table's SELECT, with a row per group and value of the compared expressions. */
  readonly inner: string;
  /** Names of its columns, in order. */
  readonly columns: readonly string[];
  /** SELECT of the grouping columns and the given further items, with one row per source row. */
  readonly ungrouped: (more?: readonly StoredItem[]) => string;
  /** GROUP BY of a merging read. */
  readonly groupBy: string;
  /** Without ROLLUP, CUBE and GROUPING SETS. */
  readonly isPlain: boolean;
}

/** The distinct aggregate calls to store. Throws Refusal for one that cannot be merged. */
function listAggregates({ select, names, isStored }: GroupingContext): readonly StoredAggregate[] {
  const orderBy = sortElements(select.clauses.get('ORDER BY') ?? []).map((e) => e.expression);
  const tokenLists = [
    ...select.items.map(({ expression }) => expression),
    select.clauses.get('HAVING') ?? [],
    select.clauses.get('LIMIT BY') ?? [],
    select.clauses.get('QUALIFY') ?? [],
    ...orderBy,
  ];
  const found = new Map<string, StoredAggregate>();
  for (const tokens of tokenLists) {
    for (const call of groupedCalls(tokens, names)) {
      if (isStored?.(call.name) === false) continue;
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

/** Throws Refusal for a grouping that a read cannot reproduce. */
export function analyzeGrouping(context: GroupingContext): Grouping {
  const { select } = context;
  const written = parseGroupBy(select.clauses.get('GROUP BY') ?? []);
  const expressionOf = (key: Tokens) => {
    const item =
      key[0]?.kind === 'Number' && key.length === 1 ? resultColumnOf(key, select.items) : null;
    return item === null ? key : (select.items[item]?.expression ?? key);
  };
  const expressions = written.keys.map(expressionOf);
  const selected = expressions.map((expression) => resultColumnOf(expression, select.items));
  const kinds = itemKinds(context).map((kind, at) =>
    kind === 'keyed' && !written.isPlain && !selected.includes(at) ? 'aggregated' : kind,
  );
  const keys = expressions.map((expression, at): GroupKey => {
    const item = selected[at] ?? null;
    const isStored = item !== null && kinds[item] === 'keyed';
    return { expression, column: isStored ? stored.result(item) : stored.key(at) };
  });
  requireNoVariable(keys, context);
  if (keys.length === 0 && kinds.includes('keyed')) {
    refuse(
      'A SELECT without GROUP BY mixes aggregates with a named value; write the value itself.',
    );
  }
  const aggregates = listAggregates(context);
  const { dimensions, conditions, nameOf } = storedConditions(context, { aggregates, keys });
  const { inner, columns, ungrouped } = renderStoredSelect(context, {
    keys,
    aggregates,
    kinds,
    dimensions,
  });
  const keyed = written.isPlain
    ? columns.filter((name) => /^__[ck]/.test(name))
    : keys.map(({ column }) => column);
  const groupBy = written.render(keyed);
  const { isPlain } = written;
  const table = { inner, columns, ungrouped, groupBy };
  return { keys, aggregates, kinds, dimensions, conditions, nameOf, ...table, isPlain };
}

/** Throws Refusal if a key is, or is the alias of, an expression with a variable. */
function requireNoVariable(
  keys: readonly GroupKey[],
  { select, parameters }: GroupingContext,
): void {
  for (const { expression } of keys) {
    const item = resultColumnOf(expression, select.items);
    const written = item === null ? expression : (select.items[item]?.expression ?? expression);
    const [variable] = variablesIn(written);
    if (variable === undefined) continue;
    refuseClause(
      `The variable ${parameters.names[variable] ?? ''} is used in GROUP BY; use it in WHERE alone.`,
    );
  }
}

/** Numbers what conditions compare: first what predicates do, then the keys. */
function storedConditions(
  { condition: { predicates } }: GroupingContext,
  { aggregates, keys }: Pick<Grouping, 'aggregates' | 'keys'>,
): Pick<Grouping, 'dimensions' | 'conditions' | 'nameOf'> {
  const compared = comparedExpressions(predicates);
  const known = [...compared, ...keys.map(({ expression }) => expression)];
  const names = [
    ...compared.map((_tokens, at) => stored.variable(at)),
    ...keys.map(({ column }) => column),
  ];
  const all = [...known];
  const columnOf = (expression: Tokens) => addedAt(expression, all);
  const conditions = new Map<StoredAggregate, Tokens>();
  for (const aggregate of aggregates) {
    const { condition } = aggregate;
    if (condition !== null) conditions.set(aggregate, overStoredColumns(condition, columnOf));
  }
  const nameOf = (at: number) => names[at] ?? stored.dimension(at - known.length);
  return { dimensions: all.slice(known.length), conditions, nameOf };
}

/** Whether the item needs merged aggregates, a window over all groups, or variables. */
function isComputedAtRead({ expression }: Item, names: AggregateNames): boolean {
  const isConstant = identifiersIn(expression).length === 0;
  if (aggregateCalls(expression, names).length > 0 || hasKeyword(expression, 'OVER')) return true;
  return hasVariable(expression) && !isConstant;
}

/** An item that refers to the alias of an aggregated item is aggregated too. */
function itemKinds({ select, names }: GroupingContext): Grouping['kinds'] {
  const aggregated = new Set<Item>();
  const aliases = () => new Set([...aggregated].map(({ alias }) => alias));
  for (let size = -1; size !== aggregated.size; ) {
    size = aggregated.size;
    for (const item of select.items) {
      const isOne = isComputedAtRead(item, names);
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

/** The stored column of an aggregate. Those that differ by their conditions with variables alone share one. */
export function aggregateColumn(aggregates: readonly StoredAggregate[], at: number): string {
  const own = aggregates[at];
  const isSame = (other: StoredAggregate) =>
    other.condition !== null && other.stored === own?.stored;
  const isShared = own !== undefined && own.condition !== null;
  return stored.aggregate(isShared ? aggregates.findIndex(isSame) : at);
}

function renderStoredSelect(
  context: GroupingContext,
  {
    keys,
    aggregates,
    kinds,
    dimensions,
  }: Pick<Grouping, 'keys' | 'aggregates' | 'kinds' | 'dimensions'>,
): Pick<Grouping, 'inner' | 'columns' | 'ungrouped'> {
  const expressions = comparedExpressions(context.condition.predicates);
  const added: StoredItem[] = [];
  context.select.items.forEach((item, at) => {
    if (kinds[at] === 'keyed') added.push([stored.result(at), textOf(item.tokens)]);
    // Aggregates may use its alias, even if a column has the same name.
    const isNamed =
      kinds[at] === 'constant' && item.alias !== null && !hasVariable(item.expression);
    if (isNamed) added.push([stored.constant(at), textOf(item.tokens)]);
  });
  const add = (column: string, text: string) => added.push([column, `${text} AS ${column}`]);
  for (const { expression, column } of keys) {
    if (!added.some(([other]) => other === column)) add(column, textOf(expression));
  }
  for (const [at, tokens] of expressions.entries()) add(stored.variable(at), textOf(tokens));
  for (const [at, tokens] of dimensions.entries()) add(stored.dimension(at), textOf(tokens));
  const grouped = [...added];
  for (const [column, text] of guardColumns(context)) add(column, text);
  for (const [at, aggregate] of aggregates.entries()) {
    const column = aggregateColumn(aggregates, at);
    if (!added.some(([other]) => other === column)) add(column, aggregate.stored);
  }
  const texts = storedClauses(context);
  texts.set('SELECT', added.map(([, item]) => item).join(', '));
  const groupBy = [...keys.map(({ expression }) => expression), ...expressions, ...dimensions];
  texts.set('GROUP BY', groupBy.map(textOf).join(', '));
  texts.delete('HAVING');
  texts.delete('QUALIFY');
  const inner = renderSelect(texts);
  const names = (items: readonly StoredItem[]) => items.map(([column]) => column);
  const ungrouped = (more: readonly StoredItem[] = []) => {
    const items = [...grouped, ...more];
    const own = new Map(texts).set('SELECT', items.map(([, item]) => item).join(', '));
    own.delete('GROUP BY');
    return withColumnNames(renderSelect(own), names(items));
  };
  return { inner, columns: names(added), ungrouped };
}

/** Throws Refusal for an aggregate whose result depends on the order of the rows. */
export async function requireOrderInsensitiveGroups(
  { analysis, parameters }: Pick<PlanContext, 'analysis' | 'parameters'>,
  { inner, columns, aggregates }: Grouping,
): Promise<void> {
  const described = await analysis.describe(withColumnNames(inner, columns), parameters.samples);
  aggregates.forEach((aggregate, at) => {
    const column = described.find(({ name }) => name === aggregateColumn(aggregates, at));
    requireOrderInsensitive(aggregate, column?.type ?? '');
  });
}
