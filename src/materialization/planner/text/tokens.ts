/** Cutting a text of tokens. The text is the engine's own formatting, where operators stand in brackets. */
import type { Token } from '../../../sql/sql-analysis.ts';

export type Span = readonly Token[];

const opening = new Set(['(', '[', '{']);
const closing = new Set([')', ']', '}']);

export function textOf(span: Span): string {
  return span.map((token, at) => (at > 0 && token.spaced ? ` ${token.text}` : token.text)).join('');
}

/** The same tokens, whatever stands between them. */
export function isSame(a: Span, b: Span): boolean {
  return a.length === b.length && a.every((token, at) => token.text === b[at]?.text);
}

export function isWord(token: Token | undefined, ...words: readonly string[]): boolean {
  return token?.kind === 'BareWord' && words.includes(token.text.toUpperCase());
}

export function isName(token: Token | undefined): token is Token {
  return token?.kind === 'BareWord' || token?.kind === 'QuotedIdentifier';
}

/** The name that a token spells: without the quotes of a quoted one. */
export function nameOf(token: Token): string {
  if (token.kind !== 'QuotedIdentifier') return token.text;
  const quote = token.text[0] ?? '`';
  return token.text.slice(1, -1).replaceAll(`${quote}${quote}`, quote).replace(/\\(.)/g, '$1');
}

/** For each token how many brackets are open around it; a bracket counts as outside of itself. */
export function depths(span: Span): readonly number[] {
  let depth = 0;
  return span.map(({ text }) => {
    if (closing.has(text)) depth -= 1;
    const own = depth;
    if (opening.has(text)) depth += 1;
    return own;
  });
}

/** Where the bracket that opens at `open` closes; the end of the span when it does not. */
export function closeOf(span: Span, open: number): number {
  let depth = 0;
  for (let at = open; at < span.length; at += 1) {
    const text = span[at]?.text ?? '';
    if (opening.has(text)) depth += 1;
    if (closing.has(text)) depth -= 1;
    if (depth === 0) return at;
  }
  return span.length;
}

/** The pieces between the tokens outside brackets that `isSeparator` takes; none for an empty span. */
export function splitAt(span: Span, isSeparator: (token: Token) => boolean): readonly Span[] {
  if (span.length === 0) return [];
  const level = depths(span);
  const pieces: Span[] = [];
  let start = 0;
  span.forEach((token, at) => {
    if (level[at] !== 0 || !isSeparator(token)) return;
    pieces.push(span.slice(start, at));
    start = at + 1;
  });
  return [...pieces, span.slice(start)];
}

export function splitList(span: Span): readonly Span[] {
  return splitAt(span, (token) => token.text === ',');
}

/** Without the round brackets that stand around the whole. */
export function stripBrackets(span: Span): Span {
  const wraps = span[0]?.text === '(' && closeOf(span, 0) === span.length - 1;
  const isTuple = wraps && splitList(span.slice(1, -1)).length !== 1;
  return wraps && !isTuple ? stripBrackets(span.slice(1, -1)) : span;
}

/** The conditions of which all must hold, nested ANDs included. */
export function conjuncts(span: Span): readonly Span[] {
  const inner = stripBrackets(span);
  const pieces = splitAt(inner, (token) => isWord(token, 'AND'));
  return pieces.length > 1 ? pieces.flatMap(conjuncts) : pieces;
}

export function hasWord(span: Span, ...words: readonly string[]): boolean {
  return span.some((token) => isWord(token, ...words));
}

/** Indexes of the first tokens of calls: a name with a round bracket behind it. */
export function callsIn(span: Span): readonly number[] {
  return span.flatMap((token, at) => {
    const isCall = isName(token) && span[at + 1]?.text === '(' && !isOperatorWord(token);
    return isCall ? [at] : [];
  });
}

const operatorWords = ['AND', 'OR', 'NOT', 'IN', 'LIKE', 'ILIKE', 'AS', 'OVER', 'BY'];
const expressionWords = [...operatorWords, 'IS', 'NULL', 'TRUE', 'FALSE', 'GLOBAL'];

export function isOperatorWord(token: Token): boolean {
  return isWord(token, ...operatorWords);
}

/** Indexes of the names that stand for columns or aliases: the first part of each, `t` of `t.a`. */
export function identifiersIn(span: Span): readonly number[] {
  return span.flatMap((token, at) => {
    if (!isName(token) || isWord(token, ...expressionWords)) return [];
    if (span[at + 1]?.text === '(' || isInParameter(span, at)) return [];
    const isPart = span[at - 1]?.text === '.';
    return isPart ? [] : [at];
  });
}

/** Within `{name:Type}`, where names are the parameter's and its type's. */
function isInParameter(span: Span, at: number): boolean {
  for (let i = at; i >= 0; i -= 1) {
    if (span[i]?.text === '}') return false;
    if (span[i]?.text === '{') return true;
  }
  return false;
}
