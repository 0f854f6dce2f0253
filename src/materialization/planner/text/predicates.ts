/** Splits WHERE into predicates on variables and other conditions. */
import type { Token } from '../../../sql/sql-analysis.ts';
import { refuse, refuseClause } from '../refusal.ts';
import { type Comparison, kindOf, splitComparison } from './comparisons.ts';
import { hasVariable, variablesIn } from './parameters.ts';
import { overStoredColumns, storedColumnsIn, storedColumnToken } from './stored-expressions.ts';
import { addedAt, conjuncts, hasKeyword, type Tokens, textOf, unwrapped } from './tokens.ts';

/** An expression of columns used by a predicate on variables, and the number of its stored column. */
export interface StoredExpression {
  readonly expression: Tokens;
  readonly column: number;
}

/** A predicate on variables, which reads evaluate entirely over stored columns. */
export interface Predicate {
  /** Numbers of its variables. */
  readonly variables: readonly number[];
  /** Empty for a condition between variables and constants. */
  readonly columns: readonly StoredExpression[];
  /** The predicate of the read, with stored columns as `storedColumnToken`. */
  readonly condition: Tokens;
  /** As in the query. */
  readonly written: Tokens;
  /** Set if the whole predicate is one comparison, otherwise null. */
  readonly comparison: Comparison | null;
}

export interface Condition {
  readonly predicates: readonly Predicate[];
  /** Conditions without variables, as written. */
  readonly rest: readonly string[];
}

/** Throws Refusal for a predicate on a variable that cannot be evaluated over stored columns. */
export function parseCondition(where: Tokens, names: readonly string[]): Condition {
  const rest: string[] = [];
  const predicates: Predicate[] = [];
  const expressions: Tokens[] = [];
  const columnOf = (expression: Tokens) => addedAt(expression, expressions);
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
    refuseClause(
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

/** A comparison keeps its column on the left; other predicates are replaced part by part. */
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
 * Throws Refusal for floats used as partition keys of windows: partitions treat 0 and -0 as equal, which predicates
 * other than comparisons may not do.
 *
 * @param typeOf type of a stored column, by its number.
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
