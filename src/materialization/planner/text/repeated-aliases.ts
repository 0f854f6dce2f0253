/** Aliases that GROUP BY and ORDER BY give again, as query builders write: `GROUP BY toDate(ts) AS day`. */
import { clauseTexts, parseSelect, renderSelect } from './select.ts';
import {
  bracketDepths,
  hasSameText,
  isKeyword,
  isName,
  nameOf,
  splitList,
  type Tokens,
  textOf,
} from './tokens.ts';

/**
 * Leaves out the aliases of GROUP BY and ORDER BY that SELECT gives to the same expressions; null if there are none.
 *
 * @param tokens a SELECT without UNION.
 */
export function withoutRepeatedAliases(tokens: Tokens): string | null {
  const select = parseSelect(tokens);
  const texts = clauseTexts(select);
  let isChanged = false;
  const isGiven = (name: string, expression: Tokens) =>
    select.items.some((item) => item.alias === name && hasSameText(item.expression, expression));
  for (const clause of ['GROUP BY', 'ORDER BY'] as const) {
    const elements = splitList(select.clauses.get(clause) ?? []).map((element) => {
      const depth = bracketDepths(element);
      const at = element.findIndex((token, i) => depth[i] === 0 && isKeyword(token, 'AS'));
      const name = at < 0 ? undefined : element[at + 1];
      const expression = element.slice(0, at);
      if (!isName(name) || !isGiven(nameOf(name), expression)) return element;
      isChanged = true;
      return [...expression, ...element.slice(at + 2)];
    });
    if (elements.length > 0) texts.set(clause, elements.map(textOf).join(', '));
  }
  return isChanged ? renderSelect(texts) : null;
}
