/** The conditions of WHERE: those on variables, and the others. */
import { Refusal, refuse } from '../refusal.ts';
import { usesTime } from './determinism.ts';
import { hasVariable, variablesIn } from './parameters.ts';
import {
  bracketDepths,
  conjuncts,
  hasKeyword,
  hasSameText,
  identifiersIn,
  isKeyword,
  splitBy,
  type Tokens,
  textOf,
  unwrapped,
} from './tokens.ts';

/** How a read uses it: a lookup of one value or a set, a range of the sort order, or a scan. */
export type PredicateKind = 'equal' | 'set' | 'range' | 'scan';

export interface Predicate {
  /** Numbers of the variables on its right side. */
  readonly variables: readonly number[];
  /** The side that is stored in a column. */
  readonly left: Tokens;
  readonly operator: string;
  readonly right: Tokens;
  readonly kind: PredicateKind;
  /** The number of the stored column of `left`: predicates over the same expression share one. */
  readonly column: number;
}

export interface Condition {
  readonly predicates: readonly Predicate[];
  /** The conditions without a variable, each as it was written. */
  readonly rest: readonly string[];
}

function kindOf(operator: string): PredicateKind | null {
  if (operator === '=') return 'equal';
  if (operator === 'IN') return 'set';
  if (/^[<>]=?$/.test(operator)) return 'range';
  return /^(!=|NOT IN|(NOT )?I?LIKE)$/.test(operator) ? 'scan' : null;
}

/** The operator with its sides swapped; null where it has none. */
function mirrored(operator: string): string | null {
  if (!/^(!?=|[<>]=?)$/.test(operator)) return null;
  return operator.replace(/[<>]/, (sign) => (sign === '<' ? '>' : '<'));
}

/** Throws Refusal for a condition on a variable that is no comparison with a stored column. */
export function parseCondition(where: Tokens, names: readonly string[]): Condition {
  const rest: string[] = [];
  const predicates: Predicate[] = [];
  const columns: Tokens[] = [];
  for (const condition of conjuncts(where)) {
    if (!hasVariable(condition)) {
      rest.push(`(${textOf(condition)})`);
      continue;
    }
    const predicate = parsePredicate(unwrapped(condition), names);
    let column = columns.findIndex((other) => hasSameText(other, predicate.left));
    if (column < 0) column = columns.push(predicate.left) - 1;
    predicates.push({ ...predicate, column });
  }
  requireOneColumnEach(predicates, names);
  return { predicates, rest };
}

function parsePredicate(condition: Tokens, names: readonly string[]): Omit<Predicate, 'column'> {
  const name = names[variablesIn(condition)[0] ?? 0] ?? '';
  requireComparison(condition, name);
  const { left, operator, right } = parseComparison(condition, name);
  if (hasVariable(left) && hasVariable(right)) refuse(notPlainReason(name));
  if (!hasVariable(left)) return toPredicate({ left, operator, right }, name);
  const swapped = mirrored(operator);
  if (swapped === null) {
    refuse(`The variable ${name} stands left of ${operator}; write the column on the left side.`);
  }
  return toPredicate({ left: right, operator: swapped, right: left }, name);
}

function toPredicate(comparison: Comparison, name: string): Omit<Predicate, 'column'> {
  const { left, operator, right } = comparison;
  requireSides(left, right, name);
  return { ...comparison, variables: variablesIn(right), kind: kindOf(operator) ?? 'scan' };
}

function requireComparison(condition: Tokens, name: string): void {
  if (splitBy(condition, (token) => isKeyword(token, 'OR')).length > 1) {
    refuse(
      `The variable ${name} is used in an OR; only conditions that are joined by AND can be materialized.`,
    );
  }
  if (isKeyword(condition[0], 'NOT')) {
    refuse(`The variable ${name} is used under NOT; turn the comparison around, as in a != {x}.`);
  }
  if (hasKeyword(condition, 'SELECT')) {
    refuse(
      `The variable ${name} is used in a condition with a subquery; compare it with a column of the query’s own table.`,
    );
  }
}

type Comparison = Pick<Predicate, 'left' | 'operator' | 'right'>;

function parseComparison(condition: Tokens, name: string): Comparison {
  const depth = bracketDepths(condition);
  const found = condition.flatMap((token, at): Comparison[] => {
    if (depth[at] !== 0) return [];
    const isWord = isKeyword(token, 'IN', 'LIKE', 'ILIKE');
    const operator = isWord ? token.text.toUpperCase() : token.text;
    if (token.kind === 'StringLiteral' || kindOf(operator) === null) return [];
    const isNegated = isWord && isKeyword(condition[at - 1], 'NOT');
    const left = condition.slice(0, isNegated ? at - 1 : at);
    const right = condition.slice(at + 1);
    return [{ left, operator: isNegated ? `NOT ${operator}` : operator, right }];
  });
  const [comparison] = found;
  if (comparison === undefined || found.length > 1 || isKeyword(comparison.left.at(-1), 'GLOBAL')) {
    throw new Refusal(notPlainReason(name));
  }
  return { ...comparison, left: unwrapped(comparison.left) };
}

function requireSides(left: Tokens, right: Tokens, name: string): void {
  if (identifiersIn(right).length > 0) {
    refuse(
      `The variable ${name} is mixed with a column on one side of its comparison; write the column alone on the other side.`,
    );
  }
  if (identifiersIn(left).length === 0) {
    refuse(`The variable ${name} is compared with a constant; compare it with a column.`);
  }
  if (hasKeyword(left, 'AS')) {
    refuse(
      `The variable ${name} is compared with an expression that is given a name in WHERE; name it in SELECT.`,
    );
  }
  if (usesTime(left)) {
    refuse(
      `The variable ${name} is compared with an expression of the current time; move the time to the variable’s side.`,
    );
  }
}

function notPlainReason(name: string): string {
  return `The variable ${name} is not used in a plain comparison; write the column, one of =, !=, <, <=, >, >=, BETWEEN, IN, NOT IN, LIKE, ILIKE, and the variable.`;
}

function requireOneColumnEach(predicates: readonly Predicate[], names: readonly string[]): void {
  const columnOf = new Map<number, number>();
  for (const { variables, column } of predicates) {
    for (const variable of variables) {
      if ((columnOf.get(variable) ?? column) !== column) {
        refuse(
          `The variable ${names[variable] ?? ''} is compared with two columns; use a variable for each.`,
        );
      }
      columnOf.set(variable, column);
    }
  }
}

/**
 * Throws Refusal for a set of floating point numbers beside windows: IN distinguishes 0 and -0, and the partitions of a
 * window do not.
 *
 * @param typeOf the type of a stored column, by its number.
 */
export function requireNoFloatSets(
  predicates: readonly Predicate[],
  typeOf: (column: number) => string,
): void {
  for (const { operator, left, column } of predicates) {
    if (!operator.endsWith('IN') || !/Float/.test(typeOf(column))) continue;
    refuse(
      `The floating point expression ${textOf(left)} is looked up in a set, which tells 0 from -0; convert it, as in toDecimal64(x, 4).`,
    );
  }
}
