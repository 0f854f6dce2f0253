/** What can be stored of a grouping SELECT of which variables select rows, so that reads merge it. */
import { isRefusal } from '../refusal.ts';
import { toStoredAggregate } from '../text/aggregates.ts';
import { isExactForCheckedGroups } from '../text/checked-aggregates.ts';
import type { Select } from '../text/select.ts';
import { mayFailForRows, overStoredColumns } from '../text/stored-expressions.ts';
import { addedAt, hasKeyword, hasSameText, isName, nameOf, type Tokens } from '../text/tokens.ts';
import { groupedParts } from './groups-piece.ts';
import { type PartialResults, type Splitting, written } from './pieces.ts';

/**
 * Null if there are none, or if they would not be exact.
 *
 * @param left the predicates of WHERE that the read evaluates.
 */
export function partialResults(
  select: Select,
  left: readonly Tokens[],
  splitting: Splitting,
): PartialResults | null {
  const parts = groupedParts(select, splitting);
  const clauses = [...select.clauses.values()].flat();
  const isOdd = left.some((condition) => hasKeyword(condition, 'SELECT', 'AS'));
  if (parts === null || isOdd || clauses.some(isArrayJoin)) return null;
  if (parts.calls.some(({ name }) => isExactForCheckedGroups(name) || isList(name.base)))
    return null;
  const { keys } = parts;
  // Rows that conditions with variables leave out would be evaluated.
  if (left.length > 0 && [...keys, ...parts.calls.map(({ tokens }) => tokens)].some(mayFailForRows))
    return null;
  const grouped: Tokens[] = [...keys];
  const columnOf = (expression: Tokens) => addedAt(expression, grouped);
  const over = (condition: Tokens) =>
    overStoredColumns(withoutAliases(condition, select), columnOf);
  try {
    const aggregates = parts.calls.map((call) => {
      const aggregate = toStoredAggregate(call);
      const { condition } = aggregate;
      return { stored: aggregate, condition: condition === null ? null : over(condition) };
    });
    const conditions = left.map(over);
    const isSelecting = conditions.length > 0 || aggregates.some((one) => one.condition !== null);
    return isSelecting ? { grouped, keys: keys.length, conditions, aggregates } : null;
  } catch (error) {
    if (isRefusal(error)) return null;
    throw error;
  }
}

const isArrayJoin = (token: Tokens[number]) =>
  isName(token) && /^(?:arrayjoin|unnest)$/i.test(nameOf(token));

const isList = (aggregate: string) => /^group(?:Uniq)?Array/.test(aggregate);

/** With the expressions of the SELECT's aliases in place, which are not columns of its sources. */
function withoutAliases(condition: Tokens, { items }: Select): Tokens {
  return condition.flatMap((token, at) => {
    const isPart = condition[at - 1]?.text === '.' || condition[at + 1]?.text === '.';
    const item =
      isName(token) && !isPart ? items.find(({ alias }) => alias === nameOf(token)) : undefined;
    if (item === undefined || hasSameText(item.expression, [token])) return [token];
    return [written('(', token.spaced), ...item.expression, written(')', false)];
  });
}
