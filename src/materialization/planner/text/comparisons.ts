/** Comparisons of columns with variables, as whole predicates or parts of them. */
import { usesTime } from './determinism.ts';
import { hasVariable, variablesIn } from './parameters.ts';
import { storedColumnAt, storedColumnsIn } from './stored-expressions.ts';
import {
  bracketDepths,
  closingBracketOf,
  conjuncts,
  identifiersIn,
  isKeyword,
  splitBy,
  splitList,
  type Tokens,
  unwrapped,
} from './tokens.ts';

/** How a read uses the comparison: lookup of one value or a set, range of the sort order, or scan. */
export type PredicateKind = 'equal' | 'set' | 'range' | 'scan';

/** The left side contains columns, the right side none. */
export interface Sides {
  readonly left: Tokens;
  readonly operator: string;
  readonly right: Tokens;
}

/** A comparison of a stored column with an expression without columns. */
export interface Comparison {
  readonly column: number;
  readonly operator: string;
  readonly right: Tokens;
  readonly kind: PredicateKind;
  /**
   * `whole`: the whole predicate. `choice`: one of several values of the same column, as in `a = {x} OR a = {y}`.
   * `optional`: the variables alone decide whether it applies, as in `{x} IS NULL OR a = {x}`. `part`: any other part
   * of a predicate.
   */
  readonly role: 'whole' | 'choice' | 'optional' | 'part';
}

export function kindOf(operator: string): PredicateKind | null {
  if (operator === '=' || operator === '<=>') return 'equal';
  if (operator === 'IN') return 'set';
  if (/^[<>]=?$/.test(operator)) return 'range';
  return /^(!=|NOT IN|(NOT )?I?LIKE)$/.test(operator) ? 'scan' : null;
}

/** The operator for swapped sides; null if there is none. */
function mirrored(operator: string): string | null {
  if (!/^(!?=|[<>]=?)$/.test(operator)) return null;
  return operator.replace(/[<>]/, (sign) => (sign === '<' ? '>' : '<'));
}

/** A comparison of columns without variables to an expression without columns; null for other predicates. */
export function splitComparison(condition: Tokens): Sides | null {
  return columnsLeft(
    parseComparison(condition),
    (side) => !hasVariable(side) && identifiersIn(side).length > 0 && !usesTime(side),
  );
}

/** The comparisons of stored columns in a predicate over stored columns. */
export function comparisonsIn(condition: Tokens): readonly Comparison[] {
  return comparisonsOf(condition, 'whole');
}

/**
 * The element of a tuple, from 1, that a variable is compared with: `{y}` in `(a, b) > ({x}, {y})` with the second. None for
 * other expressions.
 */
export function comparedElement(
  { left, right }: Pick<Sides, 'left' | 'right'>,
  variable: number,
): { readonly element?: number } {
  if (elementsOf(left).length < 2) return {};
  const elements = elementsOf(unwrapped(right));
  const at = elements.findIndex((element) => variablesIn(element).includes(variable));
  const given = elements[at];
  if (given === undefined) return {};
  return elementsOf(given).length > 1
    ? comparedElement({ left, right: given }, variable)
    : { element: at + 1 };
}

/** Of a tuple or a list; none of other expressions. */
export function elementsOf(side: Tokens): readonly Tokens[] {
  const list = side[0]?.text === 'tuple' ? side.slice(1) : side;
  const isList = list[0]?.text === '(' && closingBracketOf(list, 0) === list.length - 1;
  return isList ? splitList(list.slice(1, -1)) : [];
}

function comparisonsOf(condition: Tokens, role: Comparison['role']): readonly Comparison[] {
  const tokens = unwrapped(condition);
  const isColumn = (side: Tokens) => side.length === 1 && storedColumnAt(side[0]) !== null;
  const sides = columnsLeft(parseComparison(tokens), isColumn);
  if (sides !== null) {
    const { left, operator, right } = sides;
    const column = storedColumnAt(left[0]) ?? 0;
    return [{ column, operator, right, kind: kindOf(operator) ?? 'scan', role }];
  }
  const either = splitBy(tokens, (token) => isKeyword(token, 'OR'));
  if (either.length > 1) {
    const values = role === 'whole' ? either.flatMap((one) => comparisonsOf(one, 'choice')) : [];
    if (values.length === either.length && areOfOneColumn(values)) return values;
    const isOptional = either.filter((one) => storedColumnsIn(one).length > 0).length === 1;
    const inner = isOptional && role !== 'part' ? 'optional' : 'part';
    return either.flatMap((one) => comparisonsOf(one, inner));
  }
  const all = conjuncts(tokens);
  if (all.length > 1) return all.flatMap((one) => comparisonsOf(one, role));
  return bracketed(tokens).flatMap((one) => comparisonsOf(one, 'part'));
}

/** Whether a row must match one of several values of one column. */
function areOfOneColumn(values: readonly Comparison[]): boolean {
  return values.every(
    ({ column, kind, role }) =>
      role === 'choice' && column === values[0]?.column && (kind === 'equal' || kind === 'set'),
  );
}

/** The list elements within the outermost brackets. */
function bracketed(tokens: Tokens): readonly Tokens[] {
  const found: Tokens[] = [];
  for (let at = 0; at < tokens.length; at += 1) {
    const isOpen = tokens[at]?.text === '(' || tokens[at]?.text === '[';
    if (!isOpen) continue;
    const end = closingBracketOf(tokens, at);
    found.push(...splitList(tokens.slice(at + 1, end)));
    at = end;
  }
  return found;
}

/** Puts the column on the left; null unless one side is a column and the other has no columns. */
function columnsLeft(sides: Sides | null, isColumn: (side: Tokens) => boolean): Sides | null {
  if (sides === null) return null;
  const { left, operator, right } = sides;
  const isGiven = (side: Tokens) =>
    identifiersIn(side).length === 0 && storedColumnsIn(side).length === 0;
  if (isColumn(left)) return isGiven(right) ? sides : null;
  const swapped = mirrored(operator);
  if (swapped === null || !isColumn(unwrapped(right)) || !isGiven(left)) return null;
  return { left: unwrapped(right), operator: swapped, right: left };
}

/** Null if the predicate is not a single comparison. */
function parseComparison(condition: Tokens): Sides | null {
  const depth = bracketDepths(condition);
  const found = condition.flatMap((token, at): Sides[] => {
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
    return null;
  }
  return { ...comparison, left: unwrapped(comparison.left) };
}
