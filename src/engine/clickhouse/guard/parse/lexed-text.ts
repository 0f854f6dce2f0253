/** A text with its tokens, and lookups of positions in it. Pure. */
import type { SqlToken } from '../../../../sql/sql-lexer.ts';
import { positionOf } from '../../../../sql/text-position.ts';

export interface LexedText {
  readonly sql: string;
  readonly tokens: readonly SqlToken[];
}

/** Refuses a dump of the engine that does not have the expected shape. */
export const UNREADABLE =
  'The engine parses this query in a way that cannot be checked; use plain identifiers for its names and aliases.';

/** ` at line 1, column 8` of the first token that matches; empty when none does. */
export function positionWhere(
  { sql, tokens }: LexedText,
  matches: (text: LexedText, index: number) => boolean,
): string {
  const found = tokens.find((_token, index) => matches({ sql, tokens }, index));
  return found === undefined ? '' : positionOf(sql, found.start);
}

/** The position where the name is called, or else where it first appears. Scans every token. */
export function positionOfName(text: LexedText, name: string): string {
  const lower = name.toLowerCase();
  const isNamed = (given: LexedText, index: number) => nameAt(given, index).toLowerCase() === lower;
  const called = positionWhere(text, (t, at) => isNamed(t, at) && isSymbol(t, at + 1, '('));
  return called === '' ? positionWhere(text, isNamed) : called;
}

/** The subject of a message about a column, with its position; `otherwise` where there is no name. */
export function columnOrElse(text: LexedText, name: string, otherwise: string): string {
  return name === '' ? otherwise : `The column ${name}${positionOfName(text, name)}`;
}

/** The same as `positionOfName` for a call. `x::T` is a CAST as well. */
export function positionOfCall(text: LexedText, name: string): string {
  const position = positionOfName(text, name);
  if (position !== '' || !/cast$/i.test(name)) return position;
  const isCast = (given: LexedText, at: number) =>
    (isSymbol(given, at, ':') && isSymbol(given, at + 1, ':')) ||
    nameAt(given, at).toUpperCase() === 'CAST';
  return positionWhere(text, isCast);
}

export function positionOfToken({ sql, tokens }: LexedText, index: number): string {
  return positionOf(sql, tokens[index]?.start ?? 0);
}

/** The word or the quoted name at `index`; empty for any other token. */
export function nameAt({ sql, tokens }: LexedText, index: number): string {
  const token = tokens[index];
  if (token?.kind === 'word') return sql.slice(token.start, token.end);
  return token?.kind === 'name' ? unquoteName(sql.slice(token.start, token.end)) : '';
}

export function isSymbol({ sql, tokens }: LexedText, index: number, symbol: string): boolean {
  const token = tokens[index];
  return token?.kind === 'symbol' && sql.slice(token.start, token.end) === symbol;
}

/** The index of the bracket that closes the one at `open`; -1 when there is none. */
export function closingBracket(text: LexedText, open: number): number {
  let depth = 0;
  for (let at = open; at < text.tokens.length; at += 1) {
    if (isSymbol(text, at, '(')) depth += 1;
    if (isSymbol(text, at, ')')) depth -= 1;
    if (depth === 0) return at;
  }
  return -1;
}

/** A name that the engine has written, quoted where it must be. */
export function plainName(written: string): string {
  return written.startsWith('`') ? unquoteName(written) : written;
}

export function unquoteName(written: string): string {
  const quote = written[0] ?? '';
  const inner = written.slice(1, -1);
  return inner.replaceAll(`${quote}${quote}`, quote).replace(/\\(.)/g, '$1');
}
