/**
 * Checks the tokens of a text. This runs before the engine sees the text, so a refused text is never evaluated and the
 * message can point at the token. Pure.
 */
import type { SqlToken } from '../../../sql/sql-lexer.ts';
import { positionOf } from '../../../sql/text-position.ts';
import {
  isSymbol,
  type LexedText,
  nameAt,
  positionOfToken,
  unquoteName,
} from './parse/lexed-text.ts';
import { whyNotCalled } from './rules/functions.ts';

/**
 * @param dictionaries dictionaries that the project is bound to.
 * @returns a sentence for the author, or null when the tokens are accepted.
 */
export function refusalOfTokens(
  text: LexedText,
  dictionaries: readonly string[] = [],
): string | null {
  for (const [index, token] of text.tokens.entries()) {
    const refusal =
      refusalOfName(text, token) ??
      refusalOfPattern(text, index) ??
      refusalOfParameter(text, index) ??
      refusalOfCall(text, index, dictionaries) ??
      refusalOfSettings(text, index);
    if (refusal !== null) return refusal;
  }
  return null;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for.
const CONTROL = /^(?:[^\\]|\\[^a-zA-Z0-9])*?(?:[\0-\x1f\x7f]|\\[a-zA-Z0-9])/;

/** The engine's dumps, parsed by later steps, print names unescaped, so a line break in a name would forge a line. */
function refusalOfName({ sql }: LexedText, token: SqlToken): string | null {
  if (token.kind !== 'name') return null;
  const written = sql.slice(token.start, token.end);
  if (CONTROL.test(written)) {
    return `The quoted name${positionOf(sql, token.start)} contains a control character or an escape sequence: names must be plain text.`;
  }
  const [label] = DUMP_LABEL.exec(unquoteName(written)) ?? [];
  if (label === undefined) return null;
  return `The quoted name${positionOf(sql, token.start)} contains “${label.trim()}”, which is reserved for the engine. Use another name.`;
}

/** Attribute labels in the engine's dumps, which a name must not forge. */
const DUMP_LABEL =
  /, (?:id|alias|identifier|function_name|function_type|table_name|final|sample_size|sample_offset|table_expression_modifiers|table_function_name|column_name|result_type|source_id|constant_value|constant_value_type): |^ *[A-Z][A-Z_ ]* id: (?=\d)|\b(?:result_type|constant_value_type): /;

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for.
const BROKEN = /[\0-\x1f\x7f]|\\[abefnrtvxN0]|^[^']/;

/** `COLUMNS('…')` and `* EXCEPT('…')`: the dumps print these patterns unescaped as well. */
function refusalOfPattern(text: LexedText, index: number): string | null {
  const token = text.tokens[index];
  if (token?.kind !== 'text') return null;
  const before = isSymbol(text, index - 1, '(') ? index - 2 : index - 1;
  if (!/^(?:columns|except|strict)$/i.test(nameAt(text, before))) return null;
  const written = text.sql.slice(token.start, token.end).replaceAll('\\\\', '');
  if (!BROKEN.test(written)) return null;
  return `The pattern${positionOf(text.sql, token.start)} contains a control character or an escape sequence that is not accepted: write it on one line, in single quotes, with each backslash doubled.`;
}

/** `{x:Identifier}` would make a caller's value part of the SQL. */
function refusalOfParameter(text: LexedText, index: number): string | null {
  if (!isSymbol(text, index, '{') || !isSymbol(text, index + 2, ':')) return null;
  if (nameAt(text, index + 3).toLowerCase() !== 'identifier') return null;
  const name = nameAt(text, index + 1);
  return `The variable ${name}${positionOfToken(text, index)} cannot be the name of a table or a column: write the name in the query.`;
}

/** The engine validates the values before it returns a syntax tree, so its own error would come first. */
function refusalOfSettings(text: LexedText, index: number): string | null {
  const isClause =
    text.tokens[index]?.kind === 'word' && nameAt(text, index).toLowerCase() === 'settings';
  if (!isClause || nameAt(text, index + 1) === '' || !isSymbol(text, index + 2, '=')) return null;
  return `The SETTINGS clause${positionOfToken(text, index)} is not accepted: the service sets the limits.`;
}

function refusalOfCall(
  text: LexedText,
  index: number,
  dictionaries: readonly string[],
): string | null {
  const name = nameAt(text, index);
  if (name === '' || !isSymbol(text, index + 1, '(')) return null;
  const reason = whyNotCalled(name, dictionaries);
  if (reason === null) return null;
  return `The function ${name}${positionOfToken(text, index)} is not accepted: ${reason}.`;
}
