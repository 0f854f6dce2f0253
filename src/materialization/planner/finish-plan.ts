/** The last step of planning: the engine checks the draft's columns and its meaning. */
import {
  type MaterializationPlan,
  type PlannedPredicate,
  storedTable,
} from '../../model/materialization-plan.ts';
import type { DescribedColumn } from '../../sql/sql-analysis.ts';
import { isIndexable, isSortable, matchesOneValue, requireStorable } from './column-types.ts';
import { hasWindow } from './layout/windows.ts';
import { comparedExpressions, type PlanContext, type PlanDraft } from './plan-context.ts';
import { refuse } from './refusal.ts';
import { stored } from './stored-columns.ts';
import { type PredicateKind, requireNoFloatSets } from './text/predicates.ts';
import { textOf } from './text/tokens.ts';
import { requireFilterSafe } from './tree/filter-safety.ts';
import { findDifference, substituteStoredQuery } from './tree/plan-equivalence.ts';

/** Checks the draft with the engine, and restores the author's spelling of the variables. */
export async function finishPlan(
  context: PlanContext,
  draft: PlanDraft,
): Promise<MaterializationPlan> {
  const { analysis, parameters, condition, columns } = context;
  const storedColumns = await analysis.describe(draft.storedQuery, parameters.samples);
  const typeOf = (column: string) => storedColumns.find(({ name }) => name === column)?.type ?? '';
  if (hasWindow(context)) {
    requireNoFloatSets(condition.predicates, (at) => typeOf(stored.variable(at)));
  }
  requireStorable(columns);
  requireStorable(storedColumns.map((column) => ({ ...column, name: `stored ${column.name}` })));
  const checked = draft.readQuery.replace(storedTable, () => `(${draft.storedQuery})`);
  requireSameColumns(columns, await analysis.describe(checked, parameters.samples));
  const given = await givenTypes(context);
  const single = condition.predicates.filter(
    ({ kind, column }, at) =>
      kind === 'equal' && matchesOneValue(typeOf(stored.variable(column)), given[at] ?? ''),
  );
  const chosen = new Set(single.map(({ column }) => stored.variable(column)));
  await requireSameMeaning(context, checked, chosen);
  const predicates = plannedPredicates(context);
  return {
    storedQuery: draft.storedQuery,
    sortingKey: sortingKeyOf(context, typeOf, given),
    readQuery: parameters.restore(draft.readQuery),
    predicates,
    aggregates: draft.aggregates,
  };
}

function plannedPredicates(context: PlanContext): readonly PlannedPredicate[] {
  const { parameters, condition, authorExpressions } = context;
  return condition.predicates.flatMap(({ variables, left, operator, column }) =>
    variables.map((variable) => ({
      variable: parameters.names[variable] ?? '',
      expression: authorExpressions.get(textOf(left)) ?? textOf(left),
      operator,
      column: stored.variable(column),
    })),
  );
}

/** @param single stored columns of which a run chooses one value each. */
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

/** The types of the predicates' right sides. */
async function givenTypes(context: PlanContext): Promise<readonly string[]> {
  const { analysis, parameters, condition } = context;
  const given = condition.predicates.map(({ right }, at) => `${textOf(right)} AS g${at}`);
  if (given.length === 0) return [];
  const columns = await analysis.describe(`SELECT ${given.join(', ')}`, parameters.samples);
  return columns.map(({ type }) => type);
}

/** Sorted by equality columns first, then sets, then ranges, so that a read is one range of the table. */
function sortingKeyOf(
  { condition: { predicates } }: PlanContext,
  typeOf: (column: string) => string,
  given: readonly string[],
): readonly string[] {
  return comparedExpressions(predicates)
    .flatMap((_expression, at) => {
      const name = stored.variable(at);
      const type = typeOf(name);
      const usesIndex = predicates.every(
        ({ column }, i) => column !== at || isIndexable(type, given[i] ?? ''),
      );
      const ranks = predicates.filter(({ column }) => column === at).map(({ kind }) => rank[kind]);
      return isSortable(type) && usesIndex ? [{ name, rank: Math.min(...ranks) }] : [];
    })
    .sort((a, b) => a.rank - b.rank)
    .map(({ name }) => name);
}

function requireSameColumns(
  expected: readonly DescribedColumn[],
  read: readonly DescribedColumn[],
): void {
  const at = expected.findIndex(
    ({ name, type }, i) => read[i]?.name !== name || read[i]?.type !== type,
  );
  if (at < 0 && expected.length === read.length) return;
  const column = expected[at]?.name ?? '';
  refuse(
    `The column ${column} would be read back with another type or name than ${expected[at]?.type ?? ''}; give it a type with CAST and a name with AS.`,
  );
}
