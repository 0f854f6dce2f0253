/** Why a query cannot be planned in any way, where the last way that was tried says something else. */
import { namesLookup } from './lookups.ts';
import { Refusal } from './refusal.ts';
import { type Parameters, variablesIn } from './text/parameters.ts';
import { prewhereConditions } from './text/prewhere.ts';
import { prewhereReason } from './text/supported-clauses.ts';
import { hasKeyword, type Tokens } from './text/tokens.ts';

const nothingToStore =
  'The query reads no table, so there are no rows to store: its runs only compute with their variables.';

/**
 * @param written the query with each PREWHERE in WHERE where that means the same.
 * @returns null where the last way says it.
 */
export function clearerRefusal(
  formatted: Tokens,
  written: Tokens,
  { names }: Pick<Parameters, 'names'>,
): Refusal | null {
  if (readsNothing(formatted)) return new Refusal(nothingToStore);
  const [variable] = prewhereConditions(written).flatMap(variablesIn);
  return variable === undefined ? null : new Refusal(prewhereReason(names[variable] ?? ''));
}

/** False for a lookup, and after IN, where a name alone may be a table. */
function readsNothing(tokens: Tokens): boolean {
  return !hasKeyword(tokens, 'FROM', 'IN') && !namesLookup(tokens);
}
