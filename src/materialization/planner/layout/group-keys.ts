/** Finds grouping keys and columns in expressions. */
import { hasSameText, type Tokens } from '../text/tokens.ts';

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
