/** Last planning step: validates the draft's columns and its equivalence to the query with the engine. */
import { takeWhile } from '../../lib/take-while.ts';
import {
  type MaterializationPlan,
  type SourceCheck,
  storedTable,
} from '../../model/materialization-plan.ts';
import type { DescribedColumn } from '../../sql/sql-analysis.ts';
import { isSortable, requireStorable } from './column-types.ts';
import { findDistinctCounts } from './distinct-counts.ts';
import { keyedRead } from './key-conditions.ts';
import { groupChecks } from './layout/group-checks.ts';
import { hasWindow } from './layout/windows.ts';
import type { PlanContext, PlanDraft, ReadOrder } from './plan-context.ts';
import { comparedInConditions, plannedPredicates } from './planned-predicates.ts';
import { refuse } from './refusal.ts';
import { findRollUps } from './roll-ups.ts';
import { boundedRead } from './row-bounds.ts';
import { anyOrderOf } from './sorting-key.ts';
import { stored } from './stored-columns.ts';
import type { Comparison } from './text/comparisons.ts';
import { requireNoFloatSets } from './text/predicates.ts';
import { storedColumnAt } from './text/stored-expressions.ts';
import type { Tokens } from './text/tokens.ts';
import { findTopGroups } from './top-groups.ts';
import { requireFilterSafe } from './tree/filter-safety.ts';
import { findDifference, substituteStoredQuery } from './tree/plan-equivalence.ts';
import { chosenColumns, typedComparisons } from './typed-comparisons.ts';

/** Validates the draft with the engine and restores the author's spelling of variables. */
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
  const predicates = condition.predicates.map((predicate) => predicate.condition);
  const typed = await typedComparisons(context, {
    predicates,
    typeOf: (at) => typeOf(stored.variable(at)),
  });
  const comparisons = typed.map(({ comparison }) => comparison);
  const chosen = chosenColumns(typed);
  await requireSameMeaning(context, checked, new Set(chosen));
  const indexed = typed.filter(({ comparison }) =>
    isOnlyCompared(context, comparison.column, comparisons),
  );
  const order = sortableOrder(draft, typeOf);
  const keyed = keyedRead(draft.readQuery, indexed, order);
  const { sortingKey, anyOrder } = keyed;
  const readQuery =
    order === null || !sortingKey.includes(order.columns[0] ?? '')
      ? keyed.readQuery
      : boundedRead(
          { readQuery: keyed.readQuery, order, typeOf, expressionOf: expressionIn(condition) },
          typed,
        );
  const { storedQuery, merged } = draft;
  const rollUps =
    merged === undefined
      ? []
      : await findRollUps(context, {
          ...{ ...merged, table: 0, sortingKey },
          selects: [
            { source: storedTable, predicates, ...merged.conditions, typeOf, isRead: () => false },
          ],
        });
  const conditions =
    merged === undefined ? [] : comparedInConditions(merged.conditions, parameters);
  const checks = await checksOf(context, draft, chosen);
  const aggregates = draft.aggregates.map(({ expression, stored: column }) => ({
    expression: parameters.restore(expression),
    stored: parameters.restore(column),
  }));
  const distinctCounts = await findDistinctCounts(context, indexed, {
    ...{ merged, storedQuery, storedColumns, chosen, aggregates },
    keyed: (text) => keyedRead(text, indexed).readQuery,
  });
  const topGroups = findTopGroups({ merged, storedColumns, chosen });
  return {
    storedQuery,
    sortingKey,
    readQuery: parameters.restore(readQuery),
    predicates: plannedPredicates(context),
    ...(conditions.length === 0 ? {} : { conditions }),
    aggregates,
    ...anyOrderOf([{ sortingKey, anyOrder }]),
    ...(rollUps.length === 0 ? {} : { rollUps }),
    ...(distinctCounts === null ? {} : { distinctCounts }),
    ...(topGroups === null ? {} : { topGroups }),
    ...(checks.length === 0 ? {} : { sourceChecks: checks }),
  };
}

/** What each sync checks of the draft's groups. Throws Refusal if it cannot. */
async function checksOf(
  { analysis, parameters }: PlanContext,
  { checked }: PlanDraft,
  chosen: readonly string[],
): Promise<readonly SourceCheck[]> {
  if (checked === undefined) return [];
  const columns = await analysis.describe(checked.ungrouped, parameters.samples);
  const checks = groupChecks(checked, parameters, { columns, chosen });
  for (const { countFaults } of checks) await analysis.describe(countFaults, {});
  return checks;
}

/**
 * The columns that reads sort by, as far as a sorting key can hold them. A key has NULL last, so reading it backwards is
 * not the order of DESC, which also has NULL last.
 */
function sortableOrder({ order }: PlanDraft, typeOf: (column: string) => string): ReadOrder | null {
  if (order === undefined) return null;
  const isInOrder = (type: string) =>
    isSortable(type) && !(order.isDescending && /\bNullable\b/.test(type));
  return { ...order, columns: takeWhile(order.columns, (column) => isInOrder(typeOf(column))) };
}

/** @param single stored columns for which every run chooses one value. */
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

/** Whether predicates use the column in indexed comparisons only; the index might evaluate other uses differently. */
function isOnlyCompared(
  { condition: { predicates } }: PlanContext,
  column: number,
  comparisons: readonly Comparison[],
): boolean {
  const uses = predicates.flatMap(({ condition }) => condition).map(storedColumnAt);
  const compared = comparisons.filter((one) => one.column === column);
  return uses.filter((other) => other === column).length === compared.length;
}

function expressionIn({ predicates }: PlanContext['condition']): (column: number) => Tokens {
  const used = predicates.flatMap(({ columns }) => columns);
  return (at) => used.find(({ column }) => column === at)?.expression ?? [];
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
