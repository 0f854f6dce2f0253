/** Finds grouping keys and columns in expressions. */
import { hasSameText, identifiersIn, type Tokens } from '../text/tokens.ts';

export interface GroupKey {
  readonly expression: Tokens;
  readonly column: string;
}

/** The longest key whose expression starts at this token. */
export function groupKeyAt(tokens: Tokens, at: number, keys: readonly GroupKey[]): GroupKey | null {
  const found = keys
    .filter(({ expression }) => {
      const isWritten = hasSameText(tokens.slice(at, at + expression.length), expression);
      const next = tokens[at + expression.length]?.text;
      const isPart = tokens[at - 1]?.text === '.' || next === '.' || next === '(';
      return isWritten && !isPart && expression.length > 0;
    })
    .sort((a, b) => b.expression.length - a.expression.length);
  return found[0] ?? null;
}

/** The columns in an expression that are outside any key, as written: `t.a`. */
export function columnsIn(tokens: Tokens, keys: readonly GroupKey[]): readonly Tokens[] {
  const identifiers = new Set(identifiersIn(tokens));
  const found: Tokens[] = [];
  for (let at = 0; at < tokens.length; at += 1) {
    const key = groupKeyAt(tokens, at, keys);
    if (key !== null) at += key.expression.length - 1;
    else if (identifiers.has(at)) found.push(columnAt(tokens, at));
  }
  return found;
}

/** The qualified name that starts at this token. */
export function columnAt(tokens: Tokens, at: number): Tokens {
  let end = at + 1;
  while (tokens[end]?.text === '.') end += 2;
  return tokens.slice(at, end);
}
