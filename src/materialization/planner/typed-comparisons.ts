/** The types that predicates compare, and what follows from them for the rows of a run. */
import { matchesOneValue } from './column-types.ts';
import type { PlanContext } from './plan-context.ts';
import { stored } from './stored-columns.ts';
import { type Comparison, comparisonsIn } from './text/comparisons.ts';
import { variablesIn } from './text/parameters.ts';
import { textOf } from './text/tokens.ts';

export interface TypedComparison {
  readonly comparison: Comparison;
  readonly columnType: string;
  /** The engine's type of the right-hand side. */
  readonly givenType: string;
  readonly isTypeOpen: boolean;
}

type Compared = Pick<PlanContext, 'analysis' | 'parameters' | 'condition'>;

/** @param typeOf the type of a stored column. */
export async function typedComparisons(
  context: Compared,
  typeOf: (column: string) => string,
): Promise<readonly TypedComparison[]> {
  const { condition, parameters } = context;
  const comparisons = condition.predicates.flatMap((each) => comparisonsIn(each.condition));
  const given = await givenTypes(context, comparisons);
  return comparisons.map((comparison, at) => ({
    comparison,
    columnType: typeOf(stored.variable(comparison.column)),
    givenType: given[at] ?? '',
    isTypeOpen: variablesIn(comparison.right).some(parameters.isTypeOpen),
  }));
}

async function givenTypes(
  { analysis, parameters }: Compared,
  comparisons: readonly Comparison[],
): Promise<readonly string[]> {
  if (comparisons.length === 0) return [];
  const given = comparisons.map(({ right }, at) => `${textOf(right)} AS g${at}`);
  const columns = await analysis.describe(`SELECT ${given.join(', ')}`, parameters.samples);
  return columns.map(({ type }) => type);
}

/** The stored columns for which every run chooses one value. */
export function chosenColumns(typed: readonly TypedComparison[]): readonly string[] {
  return typed.flatMap(({ comparison: { column, kind, role }, columnType, givenType }) => {
    const isOne = kind === 'equal' && matchesOneValue(columnType, givenType);
    return isOne && role === 'whole' ? [stored.variable(column)] : [];
  });
}
