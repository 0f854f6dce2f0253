/**
 * The first wall: what the text's own tokens show. It asks nothing of the engine, so nothing of a refused
 * text is ever evaluated, and it can say where the fault stands. Pure.
 */
import type { SqlToken } from '../../../sql/sql-lexer.ts';
import { whyNotCalled } from './rules/functions.ts';

/** A text and its tokens. */
export interface LexedText {
  readonly sql: string;
  readonly tokens: readonly SqlToken[];
}

/** Of a dump of the engine that is no tree as it writes them. */
export const UNREADABLE =
  'The engine reads this query in a way that cannot be checked; write its names and aliases in plain words.';

/** @returns a sentence for the author, or null when nothing is wrong. */
export function refusalOfText(text: LexedText): string | null {
  for (const [index, token] of text.tokens.entries()) {
    const refusal =
      refusalOfName(text, token) ??
      refusalOfPattern(text, index) ??
      refusalOfParameter(text, index) ??
      refusalOfCall(text, index) ??
      refusalOfSettings(text, index);
    if (refusal !== null) return refusal;
  }
  return null;
}

/** ` at line 1, column 8` of the first token that `isIt` says yes to; empty when there is none. */
export function placeWhere(
  { sql, tokens }: LexedText,
  isIt: (text: LexedText, index: number) => boolean,
): string {
  const found = tokens.find((_token, index) => isIt({ sql, tokens }, index));
  return found === undefined ? '' : placeOf(sql, found.start);
}

/** Where it is called; else where it stands at all. */
export function placeOfName(text: LexedText, name: string): string {
  const lower = name.toLowerCase();
  const isNamed = (given: LexedText, index: number) => nameAt(given, index).toLowerCase() === lower;
  const called = placeWhere(text, (t, at) => isNamed(t, at) && isSymbol(t, at + 1, '('));
  return called === '' ? placeWhere(text, isNamed) : called;
}

/** The word or the quoted name that stands at `index`; empty for another token. */
export function nameAt({ sql, tokens }: LexedText, index: number): string {
  const token = tokens[index];
  if (token?.kind === 'word') return sql.slice(token.start, token.end);
  return token?.kind === 'name' ? unquote(sql.slice(token.start, token.end)) : '';
}

export function isSymbol({ sql, tokens }: LexedText, index: number, symbol: string): boolean {
  const token = tokens[index];
  return token?.kind === 'symbol' && sql.slice(token.start, token.end) === symbol;
}

/** Where the bracket that opens at `open` closes; -1 when it does not. */
export function closeOf(lexed: LexedText, open: number): number {
  let depth = 0;
  for (let at = open; at < lexed.tokens.length; at += 1) {
    if (isSymbol(lexed, at, '(')) depth += 1;
    if (isSymbol(lexed, at, ')')) depth -= 1;
    if (depth === 0) return at;
  }
  return -1;
}

/** ` at line 1, column 8` of a character. */
export function placeOf(sql: string, at: number): string {
  const before = sql.slice(0, at).split('\n');
  return ` at line ${before.length}, column ${(before.at(-1) ?? '').length + 1}`;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
const CONTROL = /^(?:[^\\]|\\[^a-zA-Z0-9])*?(?:[\0-\x1f\x7f]|\\[a-zA-Z0-9])/;

/**
 * The engine's dumps, which the other walls read, write names as they are: a line break in one would begin a
 * line of its own.
 */
function refusalOfName({ sql }: LexedText, token: SqlToken): string | null {
  if (token.kind !== 'name') return null;
  const written = sql.slice(token.start, token.end);
  if (CONTROL.test(written)) {
    return `The quoted name${placeOf(sql, token.start)} has a control character or an escape in it: names are plain text.`;
  }
  const [label] = DUMPED.exec(unquote(written)) ?? [];
  if (label === undefined) return null;
  return `The quoted name${placeOf(sql, token.start)} has “${label.trim()}” in it, which only the engine writes: names are plain text.`;
}

/** How the engine's dumps tell the parts of a node: a name must not add one. */
const DUMPED =
  /, (?:id|alias|identifier|function_name|function_type|table_name|table_function_name|column_name|result_type|source_id|constant_value|constant_value_type): |^ *[A-Z][A-Z_ ]* id: (?=\d)|\b(?:result_type|constant_value_type): /;

function unquote(written: string): string {
  const quote = written[0] ?? '';
  const inner = written.slice(1, -1);
  return inner.replaceAll(`${quote}${quote}`, quote).replace(/\\(.)/g, '$1');
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
const BROKEN = /[\0-\x1f\x7f]|\\[abefnrtvxN0]|^[^']/;

/** `COLUMNS('…')` and `* EXCEPT('…')`: the dumps write these patterns as they are, too. */
function refusalOfPattern({ sql, tokens }: LexedText, index: number): string | null {
  const token = tokens[index];
  if (token?.kind !== 'text') return null;
  const before = isSymbol({ sql, tokens }, index - 1, '(') ? index - 2 : index - 1;
  if (!/^(?:columns|except|strict)$/i.test(nameAt({ sql, tokens }, before))) return null;
  const written = sql.slice(token.start, token.end).replaceAll('\\\\', '');
  if (!BROKEN.test(written)) return null;
  return `The pattern${placeOf(sql, token.start)} has a control character or an escape in it that is not accepted: write it on one line, in single quotes, with each backslash doubled.`;
}

/** `{x:Identifier}` would put a caller's value into the text. */
function refusalOfParameter(text: LexedText, index: number): string | null {
  if (!isSymbol(text, index, '{') || !isSymbol(text, index + 2, ':')) return null;
  if (nameAt(text, index + 3).toLowerCase() !== 'identifier') return null;
  const name = nameAt(text, index + 1);
  const place = placeOf(text.sql, text.tokens[index]?.start ?? 0);
  return `The variable ${name}${place} cannot name a table or a column: write the name in the query.`;
}

/** The engine looks at the values before anybody sees the syntax tree, so its words would come first. */
function refusalOfSettings(text: LexedText, index: number): string | null {
  const token = text.tokens[index];
  if (token?.kind !== 'word' || nameAt(text, index).toLowerCase() !== 'settings') return null;
  if (nameAt(text, index + 1) === '' || !isSymbol(text, index + 2, '=')) return null;
  const place = placeOf(text.sql, token.start);
  return `The SETTINGS clause${place} is not accepted: the service sets the limits.`;
}

function refusalOfCall(text: LexedText, index: number): string | null {
  const name = nameAt(text, index);
  if (name === '' || !isSymbol(text, index + 1, '(')) return null;
  const reason = whyNotCalled(name);
  const place = placeOf(text.sql, text.tokens[index]?.start ?? 0);
  return reason === null ? null : `The function ${name}${place} is not accepted: ${reason}.`;
}
