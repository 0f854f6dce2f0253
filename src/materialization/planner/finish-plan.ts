/** The last step of a plan: its columns and its meaning are checked with the engine. */
import {
  type MaterializationPlan,
  type PlannedPredicate,
  storedTable,
} from '../../model/materialization-plan.ts';
import type { DescribedColumn } from '../../sql/sql-analysis.ts';
import { isIndexable, isSortable, matchesOneValue, requireStorable } from './column-types.ts';
import { hasWindow } from './layout/windows.ts';
import {
  comparedExpressions,
  type PlanContext,
  type PlanDraft,
  storedColumn,
} from './plan-context.ts';
import { refuse } from './refusal.ts';
import { type PredicateKind, requireNoFloatSets } from './text/predicates.ts';
import { textOf } from './text/tokens.ts';
import { requireFilterSafe } from './tree/exactness.ts';
import { findDifference, substituteStoredQuery } from './tree/plan-equivalence.ts';

export interface FinishContext extends PlanContext {
  /** What the author wrote for a column that was moved up. */
  readonly labels: ReadonlyMap<string, string>;
}

/** Checks the draft's columns with the engine, and puts the author's spelling of the variables back. */
export async function finishPlan(
  context: FinishContext,
  draft: PlanDraft,
): Promise<MaterializationPlan> {
  const { analysis, parameters, condition, columns } = context;
  const kept = await analysis.describe(draft.storedQuery, parameters.samples);
  const typeOf = (column: string) => kept.find(({ name }) => name === column)?.type ?? '';
  if (hasWindow(context)) {
    requireNoFloatSets(condition.predicates, (at) => typeOf(storedColumn.variable(at)));
  }
  requireStorable(columns);
  requireStorable(kept.map((column) => ({ ...column, name: `stored ${column.name}` })));
  const checked = draft.readQuery.replace(storedTable, () => `(${draft.storedQuery})`);
  requireSameColumns(columns, await analysis.describe(checked, parameters.samples));
  const given = await givenTypes(context);
  const single = condition.predicates.filter(
    ({ kind, column }, at) =>
      kind === 'equal' && matchesOneValue(typeOf(storedColumn.variable(column)), given[at] ?? ''),
  );
  const chosen = new Set(single.map(({ column }) => storedColumn.variable(column)));
  await requireSameMeaning(context, checked, chosen);
  const predicates = plannedPredicates(context);
  return {
    storedQuery: draft.storedQuery,
    sortingKey: sortingKeyOf(context, kept, given),
    readQuery: parameters.restore(draft.readQuery),
    requiredVariables: [...new Set(predicates.map(({ variable }) => variable))],
    predicates,
    aggregates: draft.aggregates,
  };
}

function plannedPredicates({
  parameters: { names },
  condition,
  labels,
}: FinishContext): readonly PlannedPredicate[] {
  return condition.predicates.flatMap(({ variables, left, operator, column }) =>
    variables.map((variable) => ({
      variable: names[variable] ?? '',
      expression: labels.get(textOf(left)) ?? textOf(left),
      operator,
      column: storedColumn.variable(column),
    })),
  );
}

/** @param single the stored columns of which a run takes one value each. */
async function requireSameMeaning(
  { analysis, parameters, names, original }: PlanContext,
  checked: string,
  single: ReadonlySet<string>,
): Promise<void> {
  const composed = substituteStoredQuery(await analysis.tree(checked, parameters.samples), names);
  const part = composed === null ? 'FROM' : findDifference(original, composed);
  if (composed !== null && part === null) {
    requireFilterSafe(original, composed, single);
    return;
  }
  refuse(
    `The engine understands ${part} of this query in another way than its stored table could answer it; give every expression a name that no column and no other expression has, and use it after it is given.`,
  );
}

const rank: Readonly<Record<PredicateKind, number>> = { equal: 0, set: 1, range: 2, scan: 3 };

/** The types of the right sides, by predicate. */
async function givenTypes({
  analysis,
  parameters,
  condition,
}: PlanContext): Promise<readonly string[]> {
  const given = condition.predicates.map(({ right }, at) => `${textOf(right)} AS g${at}`);
  if (given.length === 0) return [];
  const columns = await analysis.describe(`SELECT ${given.join(', ')}`, parameters.samples);
  return columns.map(({ type }) => type);
}

/** Columns that one value chooses first, then sets, then ranges, so that a read is one stretch of the table. */
function sortingKeyOf(
  { condition: { predicates } }: PlanContext,
  kept: readonly DescribedColumn[],
  given: readonly string[],
): readonly string[] {
  const types = new Map(kept.map(({ name, type }) => [name, type]));
  const isFound = (at: number) => {
    const type = types.get(storedColumn.variable(at)) ?? '';
    const fits = predicates.map((p, i) => p.column !== at || isIndexable(type, given[i] ?? ''));
    return isSortable(type) && fits.every(Boolean);
  };
  return comparedExpressions(predicates)
    .map((_expression, at) => {
      const ranks = predicates.filter((p) => p.column === at).map(({ kind }) => rank[kind]);
      return { name: storedColumn.variable(at), rank: Math.min(...ranks), isFound: isFound(at) };
    })
    .filter((column) => column.isFound)
    .sort((a, b) => a.rank - b.rank)
    .map(({ name }) => name);
}

function requireSameColumns(
  asked: readonly DescribedColumn[],
  read: readonly DescribedColumn[],
): void {
  const at = asked.findIndex(
    ({ name, type }, i) => read[i]?.name !== name || read[i]?.type !== type,
  );
  if (at < 0 && asked.length === read.length) return;
  const column = asked[at]?.name ?? '';
  refuse(
    `The column ${column} would be read back with another type or name than ${asked[at]?.type ?? ''}; give it a type with CAST and a name with AS.`,
  );
}
