/** The conditions of WHERE: those on variables, and the others. */
import type { Token } from '../../../sql/sql-analysis.ts';
import { refuse } from '../refusal.ts';
import { type Comparison, kindOf, splitComparison } from './comparisons.ts';
import { hasVariable, variablesIn } from './parameters.ts';
import { overStoredColumns, storedColumnsIn, storedColumnToken } from './stored-expressions.ts';
import { conjuncts, hasKeyword, hasSameText, type Tokens, textOf, unwrapped } from './tokens.ts';

/** An expression of columns that a condition on variables uses, and the number of its stored column. */
export interface StoredExpression {
  readonly expression: Tokens;
  readonly column: number;
}

/** One condition on variables; a read evaluates the whole of it over stored columns. */
export interface Predicate {
  /** Numbers of its variables. */
  readonly variables: readonly number[];
  /** None in a condition between variables and constants. */
  readonly columns: readonly StoredExpression[];
  /** What a read repeats; its stored columns are tokens of `storedColumnToken`. */
  readonly condition: Tokens;
  /** As it is in the query. */
  readonly written: Tokens;
  /** The comparison that is the whole of the condition; null for any other condition. */
  readonly comparison: Comparison | null;
}

export interface Condition {
  readonly predicates: readonly Predicate[];
  /** The conditions without a variable, each as it was written. */
  readonly rest: readonly string[];
}

/** Throws Refusal for a condition on a variable that cannot be evaluated over stored columns. */
export function parseCondition(where: Tokens, names: readonly string[]): Condition {
  const rest: string[] = [];
  const predicates: Predicate[] = [];
  const expressions: Tokens[] = [];
  const columnOf = (expression: Tokens) => {
    const found = expressions.findIndex((other) => hasSameText(other, expression));
    return found >= 0 ? found : expressions.push(expression) - 1;
  };
  for (const written of conjuncts(where)) {
    if (!hasVariable(written)) {
      rest.push(`(${textOf(written)})`);
      continue;
    }
    requireEvaluable(written, names);
    const { condition, comparison } = toStored(unwrapped(written), columnOf);
    const columns = storedColumnsIn(condition).map((column) => ({
      column,
      expression: expressions[column] ?? [],
    }));
    predicates.push({
      variables: variablesIn(written),
      columns,
      condition,
      written: unwrapped(written),
      comparison,
    });
  }
  return { predicates, rest };
}

function requireEvaluable(condition: Tokens, names: readonly string[]): void {
  const name = names[variablesIn(condition)[0] ?? 0] ?? '';
  if (hasKeyword(condition, 'SELECT')) {
    refuse(
      `The variable ${name} is used in a condition with a subquery; compare it with a column of the query’s own table.`,
    );
  }
  if (hasKeyword(condition, 'AS')) {
    refuse(
      `The variable ${name} is compared with an expression that is given a name in WHERE; name it in SELECT.`,
    );
  }
}

type StoredCondition = Pick<Predicate, 'condition' | 'comparison'>;

/** A comparison keeps its columns on the left; of any other condition each part is stored. */
function toStored(written: Tokens, columnOf: (expression: Tokens) => number): StoredCondition {
  const sides = splitComparison(written);
  if (sides === null) return { condition: overStoredColumns(written, columnOf), comparison: null };
  const { left, operator, right } = sides;
  const column = columnOf(left);
  const words = operator
    .split(' ')
    .map((text): Token => ({ kind: 'BareWord', text, spaced: true }));
  const [first, ...others] = right;
  const behind = first === undefined ? [] : [{ ...first, spaced: true }, ...others];
  return {
    condition: [storedColumnToken(column), ...words, ...behind],
    comparison: { column, operator, right, kind: kindOf(operator) ?? 'scan', role: 'whole' },
  };
}

/**
 * Throws Refusal for floating point numbers that windows are partitioned by: partitions do not tell 0 from -0, which
 * other conditions than comparisons may do.
 *
 * @param typeOf the type of a stored column, by its number.
 */
export function requireNoFloatSets(
  predicates: readonly Predicate[],
  typeOf: (column: number) => string,
): void {
  for (const { comparison, columns } of predicates) {
    if (comparison !== null && !comparison.operator.endsWith('IN')) continue;
    for (const { column, expression } of columns) {
      if (!/Float/.test(typeOf(column))) continue;
      refuse(
        `The floating point expression ${textOf(expression)} stands beside windows in a condition that tells 0 from -0, as IN does; convert it, as in toDecimal64(x, 4).`,
      );
    }
  }
}
