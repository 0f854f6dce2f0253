/** Gives items with variables the column names that callers see, so that reads can compute them from stored columns. */
import { isTextError, type Token } from '../../sql/sql-analysis.ts';
import { bareWord, quotedName } from './pieces/pieces.ts';
import { splitSetOperations } from './pieces/query-text.ts';
import type { QueryContext } from './plan-context.ts';
import { hasVariable } from './text/parameters.ts';
import { isStar, parseSelect } from './text/select.ts';
import { nameOf, type Tokens, textOf } from './text/tokens.ts';

/**
 * The engine names an item without an alias after its text, including the bound values. Callers see the name with the
 * variables instead, `multiply(sum(amount), {rate})`, whatever the values are.
 *
 * @param written in the engine's formatting. Returned unchanged if no item needs a name or its name cannot be used.
 */
export async function withNamedItems(written: Tokens, query: QueryContext): Promise<Tokens> {
  if (splitSetOperations(written).length > 1) return written;
  const { items } = parseSelect(written);
  const isOpen = items.map(({ alias, expression }) => alias === null && hasVariable(expression));
  if (!isOpen.includes(true) || items.some(isStar)) return written;
  const names = await namesOf(written, query);
  if (names?.length !== items.length || new Set(names).size !== names.length) return written;
  const given = new Map<Token, string>();
  for (const [at, { tokens }] of items.entries()) {
    const [last, name] = [tokens.at(-1), names[at]];
    if (isOpen[at] === true && last !== undefined && name !== undefined) given.set(last, name);
  }
  if (![...given.values()].every((name) => isUsable(name, written))) return written;
  return written.flatMap((token) => {
    const name = given.get(token);
    return name === undefined ? [token] : [token, bareWord('AS'), quotedName(name)];
  });
}

/** Characters allowed in a generated quoted name. */
const PLAIN = /^[\w .,(){}*+'%=<>!-]+$/;

/** False if the query already uses the name for something else. */
function isUsable(name: string, written: Tokens): boolean {
  const isTaken = written.some((token) => token.kind === QUOTED && nameOf(token) === name);
  return PLAIN.test(name) && !isTaken;
}

const QUOTED = 'QuotedIdentifier';

/** Names of all columns; null if the engine rejects the text with named variables. */
async function namesOf(
  written: Tokens,
  { analysis, parameters }: QueryContext,
): Promise<readonly string[] | null> {
  try {
    const named = parameters.nameEach(textOf(written));
    return (await analysis.describe(named, parameters.samples)).map(({ name }) => name);
  } catch (error) {
    if (isTextError(error)) return null;
    throw error;
  }
}
