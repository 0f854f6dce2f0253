/** Rewrites chains of CTEs to subqueries, which is how the engine evaluates them. */
import { parseSelect } from './select.ts';
import { isKeyword, isName, nameOf, splitList, type Tokens, textOf } from './tokens.ts';

/** Characters. Limits the expansion of CTEs that repeatedly read each other. */
const maxLength = 60_000;

/**
 * Replaces each FROM and JOIN of a CTE by its subquery; null if the main WITH has no CTE or the text gets too long. A
 * table may have the name of a CTE, so the caller must check with the engine that both texts are the same query.
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

/** Replaces the CTEs that the tokens read. */
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
