/** Searches and splits token lists. The text is in the engine's formatting, which parenthesizes operators. */
import type { Token } from '../../../sql/sql-analysis.ts';

export type Tokens = readonly Token[];

const opening = new Set(['(', '[', '{']);
const closing = new Set([')', ']', '}']);

export function textOf(tokens: Tokens): string {
  return tokens
    .map((token, at) => (at > 0 && token.spaced ? ` ${token.text}` : token.text))
    .join('');
}

export const keyword = (text: string): Token => ({ kind: 'BareWord', text, spaced: true });
export const symbol = (text: string): Token => ({ kind: 'Symbol', text, spaced: false });

/** The opposite of `splitList`. */
export function joinList(parts: readonly Tokens[]): Tokens {
  return parts.flatMap((part, at) => (at === 0 ? part : [symbol(','), ...part]));
}

/** Whether the tokens are the same, ignoring white space. */
export function hasSameText(a: Tokens, b: Tokens): boolean {
  return a.length === b.length && a.every((token, at) => token.text === b[at]?.text);
}

/** The index of the expression in the list, to which it is added unless it is there. */
export function addedAt(expression: Tokens, list: Tokens[]): number {
  const found = list.findIndex((other) => hasSameText(other, expression));
  return found >= 0 ? found : list.push(expression) - 1;
}

export function isKeyword(token: Token | undefined, ...words: readonly string[]): boolean {
  return token?.kind === 'BareWord' && words.includes(token.text.toUpperCase());
}

export function isName(token: Token | undefined): token is Token {
  return token?.kind === 'BareWord' || token?.kind === 'QuotedIdentifier';
}

/** The name without identifier quotes. */
export function nameOf(token: Token): string {
  if (token.kind !== 'QuotedIdentifier') return token.text;
  const quote = token.text[0] ?? '`';
  return token.text.slice(1, -1).replaceAll(`${quote}${quote}`, quote).replace(/\\(.)/g, '$1');
}

/** Bracket depth of each token; a bracket has the depth outside it. */
export function bracketDepths(tokens: Tokens): readonly number[] {
  let depth = 0;
  return tokens.map(({ text }) => {
    if (closing.has(text)) depth -= 1;
    const own = depth;
    if (opening.has(text)) depth += 1;
    return own;
  });
}

/** Index of the bracket that closes the one at `open`; the list's length if there is none. */
export function closingBracketOf(tokens: Tokens, open: number): number {
  let depth = 0;
  for (let at = open; at < tokens.length; at += 1) {
    const text = tokens[at]?.text ?? '';
    if (opening.has(text)) depth += 1;
    if (closing.has(text)) depth -= 1;
    if (depth === 0) return at;
  }
  return tokens.length;
}

/** The parts between separators outside brackets; none for an empty list. */
export function splitBy(tokens: Tokens, isSeparator: (token: Token) => boolean): readonly Tokens[] {
  if (tokens.length === 0) return [];
  const depth = bracketDepths(tokens);
  const pieces: Tokens[] = [];
  let start = 0;
  tokens.forEach((token, at) => {
    if (depth[at] !== 0 || !isSeparator(token)) return;
    pieces.push(tokens.slice(start, at));
    start = at + 1;
  });
  return [...pieces, tokens.slice(start)];
}

export function splitList(tokens: Tokens): readonly Tokens[] {
  return splitBy(tokens, (token) => token.text === ',');
}

/** Without enclosing parentheses, unless they form a tuple. */
export function unwrapped(tokens: Tokens): Tokens {
  const wraps = tokens[0]?.text === '(' && closingBracketOf(tokens, 0) === tokens.length - 1;
  const isTuple = wraps && splitList(tokens.slice(1, -1)).length !== 1;
  return wraps && !isTuple ? unwrapped(tokens.slice(1, -1)) : tokens;
}

/** The operands of AND, including nested ANDs. */
export function conjuncts(tokens: Tokens): readonly Tokens[] {
  const pieces = splitBy(unwrapped(tokens), (token) => isKeyword(token, 'AND'));
  return pieces.length > 1 ? pieces.flatMap(conjuncts) : pieces;
}

export function hasKeyword(tokens: Tokens, ...words: readonly string[]): boolean {
  return tokens.some((token) => isKeyword(token, ...words));
}

/** Whether `COLUMNS('…')` starts here, which stands for all columns that match. */
export function isColumnPattern(tokens: Tokens, at: number): boolean {
  return isKeyword(tokens[at], 'COLUMNS') && tokens[at + 1]?.text === '(';
}

const expressionKeywords =
  'AND OR NOT IN LIKE ILIKE AS OVER BY IS DISTINCT FROM NULL TRUE FALSE GLOBAL'.split(' ');

/** Whether the word is an operator or a literal within expressions, so not a name. */
export function isExpressionKeyword(token: Token | undefined): boolean {
  return isKeyword(token, ...expressionKeywords);
}

/** Indexes of column and alias names; for a qualified name, its first part: `t` of `t.a`. */
export function identifiersIn(tokens: Tokens): readonly number[] {
  return tokens.flatMap((token, at) => {
    if (!isName(token) || isExpressionKeyword(token)) return [];
    if (tokens[at + 1]?.text === '(' || isInParameter(tokens, at)) return [];
    return tokens[at - 1]?.text === '.' ? [] : [at];
  });
}

/** Whether the token is within `{name:Type}`, where names belong to the parameter and its type. */
function isInParameter(tokens: Tokens, at: number): boolean {
  const bracket = tokens.slice(0, at + 1).findLast(({ text }) => text === '{' || text === '}');
  return bracket?.text === '{';
}
