/** Factors predicates repeated in every branch of an OR: `(a AND b) OR (a AND c)` becomes `a AND (b OR c)`. */
import { hasVariable } from './parameters.ts';
import { parseSelect, renderSelect } from './select.ts';
import {
  conjuncts,
  hasKeyword,
  hasSameText,
  isKeyword,
  splitBy,
  type Tokens,
  textOf,
  unwrapped,
} from './tokens.ts';

/**
 * Moves predicates without variables that all branches of an OR in WHERE share in front of the OR; null if there are
 * none. Both forms accept the same rows, also if a predicate is NULL. Otherwise the join condition of `FROM a, b`
 * could not be recognized, and the cross product would have to be stored.
 */
export function withCommonConditions(tokens: Tokens): string | null {
  const { clauses } = parseSelect(tokens);
  const where = conjuncts(clauses.get('WHERE') ?? []);
  const written = where.map(factored);
  if (written.every((text) => text === null)) return null;
  const texts = new Map([...clauses].map(([name, body]) => [name, textOf(body)]));
  const condition = where.map((one, at) => written[at] ?? `(${textOf(one)})`).join(' AND ');
  return renderSelect(texts.set('WHERE', condition));
}

/** The factored condition; null if its branches have nothing in common. */
function factored(condition: Tokens): string | null {
  if (!hasVariable(condition) || hasKeyword(condition, 'SELECT', 'AS', 'CASE')) return null;
  const branches = disjuncts(condition).map(conjuncts);
  const [first = [], ...others] = branches;
  if (others.length === 0) return null;
  const common = first.filter(
    (one) =>
      !hasVariable(one) && others.every((branch) => branch.some((other) => isSame(other, one))),
  );
  if (common.length === 0) return null;
  const isCommon = (one: Tokens) => common.some((other) => isSame(other, one));
  const rests = branches.map((branch) => branch.filter((one) => !isCommon(one)));
  // A branch with no other predicates is true whenever the common ones are.
  if (rests.some((rest) => rest.length === 0)) return null;
  const all = (conditions: readonly Tokens[]) =>
    conditions.map((one) => `(${textOf(one)})`).join(' AND ');
  return `${all(common)} AND (${rests.map((rest) => `(${all(rest)})`).join(' OR ')})`;
}

function isSame(a: Tokens, b: Tokens): boolean {
  return hasSameText(unwrapped(a), unwrapped(b));
}

/** The operands of OR, including nested ORs. */
function disjuncts(tokens: Tokens): readonly Tokens[] {
  const pieces = splitBy(unwrapped(tokens), (token) => isKeyword(token, 'OR'));
  return pieces.length > 1 ? pieces.flatMap(disjuncts) : pieces;
}
