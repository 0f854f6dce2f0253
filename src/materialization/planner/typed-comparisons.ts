/** The types that predicates compare, and what follows from them for the rows of a run. */
import { matchesOneValue } from './column-types.ts';
import type { TypedComparison } from './key-conditions.ts';
import type { QueryContext } from './plan-context.ts';
import { stored } from './stored-columns.ts';
import { type Comparison, comparisonsIn } from './text/comparisons.ts';
import { variablesIn } from './text/parameters.ts';
import { type Tokens, textOf } from './text/tokens.ts';

interface Compared {
  /** Predicates over stored columns. */
  readonly predicates: readonly Tokens[];
  /** The type of a stored column. */
  readonly typeOf: (column: number) => string;
}

export async function typedComparisons(
  context: Pick<QueryContext, 'analysis' | 'parameters'>,
  { predicates, typeOf }: Compared,
): Promise<readonly TypedComparison[]> {
  const comparisons = predicates.flatMap(comparisonsIn);
  const given = await givenTypes(context, comparisons);
  return comparisons.map((comparison, at) => ({
    comparison,
    columnType: typeOf(comparison.column),
    givenType: given[at] ?? '',
    isTypeOpen: variablesIn(comparison.right).some(context.parameters.isTypeOpen),
  }));
}

async function givenTypes(
  { analysis, parameters }: Pick<QueryContext, 'analysis' | 'parameters'>,
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
