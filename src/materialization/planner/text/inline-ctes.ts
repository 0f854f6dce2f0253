/** Chains of CTEs as subqueries, which is how the engine evaluates them. */
import { parseSelect } from './select.ts';
import { isKeyword, isName, nameOf, splitList, type Tokens, textOf } from './tokens.ts';

/** CTEs that read each other over and over are left as they are beyond this size. */
const maxLength = 60_000;

/**
 * The text with each CTE in the place of every FROM and JOIN that reads it; null where the main WITH has none. A table may have the
 * name of a CTE, so the caller has to compare what the engine makes of both texts.
 */
export function withoutCtes(tokens: Tokens): string | null {
  if (!isKeyword(tokens[0], 'WITH') || isKeyword(tokens[1], 'RECURSIVE')) return null;
  const { clauses } = parseSelect(tokens);
  const parts = splitList(clauses.get('WITH') ?? []);
  const ctes = new Map<string, string>();
  const others: string[] = [];
  for (const part of parts) {
    const [name, as, bracket] = part;
    const isCte = isName(name) && isKeyword(as, 'AS') && bracket?.text === '(';
    if (isCte) ctes.set(nameOf(name), written(part.slice(2), ctes));
    else others.push(written(part, ctes));
  }
  if (ctes.size === 0) return null;
  const select = tokens.slice(1 + parts.flat().length + (parts.length - 1));
  const text = `${others.length === 0 ? '' : `WITH ${others.join(', ')} `}${written(select, ctes)}`;
  return text.length > maxLength ? null : text;
}

/** With the CTEs that it reads in their place. */
function written(tokens: Tokens, ctes: ReadonlyMap<string, string>): string {
  return textOf(
    tokens.map((token, at) => {
      const [before, next] = [tokens[at - 1], tokens[at + 1]];
      const isSource = isName(token) && isKeyword(before, 'FROM', 'JOIN') && next?.text !== '.';
      const body = isSource ? ctes.get(nameOf(token)) : undefined;
      if (body === undefined) return token;
      const alias = isKeyword(next, 'AS') ? '' : ` AS ${token.text}`;
      return { ...token, text: `${body}${alias}` };
    }),
  );
}
