/** The conditions on variables, taken out of WHERE. */
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

/** How reads narrow by it: one value, a set of values, a stretch of the order, or a look at each value. */
export type PredicateKind = 'equal' | 'set' | 'range' | 'scan';

export interface Predicate {
  /** Numbers of the variables on its right side. */
  readonly variables: readonly number[];
  /** The side that is stored. */
  readonly left: Tokens;
  readonly operator: string;
  readonly right: Tokens;
  readonly kind: PredicateKind;
  /** Which stored column holds `left`: predicates over the same expression share one. */
  readonly column: number;
}

export interface Condition {
  readonly predicates: readonly Predicate[];
  /** The conditions without a variable, each as it was written. */
  readonly rest: readonly string[];
}

const kindOfOperator: ReadonlyMap<string, PredicateKind> = new Map([
  ['=', 'equal'],
  ['IN', 'set'],
  ['<', 'range'],
  ['<=', 'range'],
  ['>', 'range'],
  ['>=', 'range'],
  ['!=', 'scan'],
  ['NOT IN', 'scan'],
  ['LIKE', 'scan'],
  ['ILIKE', 'scan'],
  ['NOT LIKE', 'scan'],
  ['NOT ILIKE', 'scan'],
]);

const mirroredOperator: ReadonlyMap<string, string> = new Map([
  ['=', '='],
  ['!=', '!='],
  ['<', '>'],
  ['<=', '>='],
  ['>', '<'],
  ['>=', '<='],
]);

/** Throws Refusal for a condition on a variable that no stored column can answer. */
export function parseCondition(where: Tokens, names: readonly string[]): Condition {
  const rest: string[] = [];
  const predicates: Predicate[] = [];
  const columns: Tokens[] = [];
  for (const condition of conjuncts(where)) {
    if (!hasVariable(condition)) {
      rest.push(`(${textOf(condition)})`);
      continue;
    }
    const read = parsePredicate(unwrapped(condition), names);
    let column = columns.findIndex((known) => hasSameText(known, read.left));
    if (column < 0) column = columns.push(read.left) - 1;
    predicates.push({ ...read, column });
  }
  requireOneColumnEach(predicates, names);
  return { predicates, rest };
}

function parsePredicate(condition: Tokens, names: readonly string[]): Omit<Predicate, 'column'> {
  const name = names[variablesIn(condition)[0] ?? 0] ?? '';
  requireComparison(condition, name);
  const { left, operator, right } = parseComparison(condition, name);
  if (hasVariable(left) && hasVariable(right)) refuse(notPlainReason(name));
  const isTurned = hasVariable(left);
  const turned = isTurned ? mirroredOperator.get(operator) : operator;
  if (turned === undefined) {
    refuse(`The variable ${name} stands left of ${operator}; write the column on the left side.`);
  }
  const [stored, given] = isTurned ? [right, left] : [left, right];
  requireSides(stored, given, name);
  const kind = kindOfOperator.get(turned) ?? 'scan';
  return { variables: variablesIn(given), left: stored, operator: turned, right: given, kind };
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

interface Comparison {
  readonly left: Tokens;
  readonly operator: string;
  readonly right: Tokens;
}

function parseComparison(condition: Tokens, name: string): Comparison {
  const level = bracketDepths(condition);
  const cuts = condition.flatMap((token, at): Comparison[] => {
    if (level[at] !== 0) return [];
    const isWordy = isKeyword(token, 'IN', 'LIKE', 'ILIKE');
    const operator = isWordy ? token.text.toUpperCase() : token.text;
    if (token.kind === 'StringLiteral' || !kindOfOperator.has(operator)) return [];
    const isNegated = isWordy && isKeyword(condition[at - 1], 'NOT');
    const left = condition.slice(0, isNegated ? at - 1 : at);
    const right = condition.slice(at + 1);
    return [{ left, operator: isNegated ? `NOT ${operator}` : operator, right }];
  });
  const [cut] = cuts;
  if (cut === undefined || cuts.length > 1 || isKeyword(cut.left.at(-1), 'GLOBAL')) {
    throw new Refusal(notPlainReason(name));
  }
  return { ...cut, left: unwrapped(cut.left) };
}

function requireSides(stored: Tokens, given: Tokens, name: string): void {
  if (identifiersIn(given).length > 0) {
    refuse(
      `The variable ${name} is mixed with a column on one side of its comparison; write the column alone on the other side.`,
    );
  }
  if (identifiersIn(stored).length === 0) {
    refuse(`The variable ${name} is compared with a constant; compare it with a column.`);
  }
  if (hasKeyword(stored, 'AS')) {
    refuse(
      `The variable ${name} is compared with an expression that is given a name in WHERE; name it in SELECT.`,
    );
  }
  if (usesTime(stored)) {
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
 * Throws Refusal for a set of floating point numbers beside windows: IN tells 0 from -0, and the partitions of a
 * window do not.
 *
 * @param typeOf the type of the expression that a predicate's column holds.
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
