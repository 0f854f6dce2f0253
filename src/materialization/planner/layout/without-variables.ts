/** Parts of a SELECT without the variables in them, for checks that hold whatever values these have. */
import { hasVariable } from '../text/parameters.ts';
import type { Select } from '../text/select.ts';
import {
  conjuncts,
  hasKeyword,
  isKeyword,
  isName,
  joinList,
  keyword,
  nameOf,
  splitList,
  type Tokens,
} from '../text/tokens.ts';
import { resultColumnOf } from './ordering.ts';

/**
 * Without the definitions of WITH that have variables, those that mention these, and the conditions of WHERE that mention
 * any of them, so that there may be more rows. Null if the rest mentions them: a table may have the same name.
 */
export function withoutVariablesInWith(select: Select): Select | null {
  const parts = splitList(select.clauses.get('WITH') ?? []);
  let left = parts.filter((part) => !hasVariable(part));
  const dropped = () => parts.filter((part) => !left.includes(part)).flatMap(namesOf);
  for (let size = -1; size !== left.length; ) {
    size = left.length;
    const names = dropped();
    left = left.filter((part) => !mentions(part, names));
  }
  const names = dropped();
  const written = conjuncts(select.clauses.get('WHERE') ?? []);
  const conditions = written.filter((condition) => !mentions(condition, names));
  const clauses = new Map(select.clauses).set('WITH', joinList(left));
  if (conditions.length < written.length) clauses.set('WHERE', allOf(conditions));
  const others = [...clauses].filter(([name]) => name !== 'WITH');
  return others.some(([, tokens]) => mentions(tokens, names)) ? null : { ...select, clauses };
}

/** The names that a definition gives: of a CTE, and after every AS. */
function namesOf(definition: Tokens): readonly string[] {
  const named = definition.filter((_token, at) => isKeyword(definition[at - 1], 'AS'));
  const cte = definition.at(-1)?.text === ')' ? definition.slice(0, 1) : [];
  return [...cte, ...named].filter(isName).map(nameOf);
}

function mentions(tokens: Tokens, names: readonly string[]): boolean {
  return tokens.some((token) => isName(token) && names.includes(nameOf(token)));
}

/** Groups of fewer keys have all rows of several groups, whatever values the variables in the other keys have. */
export function withoutVariableKeys(select: Select): Select {
  const written = select.clauses.get('GROUP BY') ?? [];
  if (hasKeyword(written, 'WITH', 'ROLLUP', 'CUBE', 'GROUPING')) return select;
  const parts = splitList(written);
  const left = parts.filter((key) => {
    const item = select.items[resultColumnOf(key, select.items) ?? -1];
    return !hasVariable(key) && (item === undefined || !hasVariable(item.expression));
  });
  if (left.length === parts.length) return select;
  const clauses = new Map(select.clauses);
  clauses.delete('GROUP BY');
  if (left.length > 0) clauses.set('GROUP BY', joinList(left));
  return { ...select, clauses };
}

/** Without subqueries with variables among the items, as `(SELECT count() … WHERE a = {x}) AS n`. */
export function withoutVariableItems(select: Select): Select {
  const keys = splitList(select.clauses.get('GROUP BY') ?? []);
  // The number of an item would be that of another one.
  if (keys.some(([key]) => key?.kind === 'Number')) return select;
  const items = select.items.filter(
    ({ tokens }) => !(hasVariable(tokens) && hasKeyword(tokens, 'SELECT')),
  );
  return items.length === 0 ? select : { ...select, items };
}

/** WHERE without the conditions that have a variable within a subquery. */
export function comparedConditions(select: Select): Tokens {
  const written = conjuncts(select.clauses.get('WHERE') ?? []);
  return allOf(written.filter((each) => !(hasVariable(each) && hasKeyword(each, 'SELECT'))));
}

function allOf(conditions: readonly Tokens[]): Tokens {
  return conditions.flatMap((each, at) => (at === 0 ? each : [keyword('AND'), ...each]));
}
