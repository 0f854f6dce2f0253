/**
 * What a type written by an author may not contain: the engine's type parser opens the time zones that it names, and
 * the type decides how bytes are read. Pure.
 */
import { matchAt } from '../../../../lib/match-at.ts';
import { unquote } from '../../../../sql/clickhouse-type.ts';
import { lexSql, type SqlToken } from '../../../../sql/sql-lexer.ts';
import { isSymbol, type LexedText, nameAt } from '../parse/lexed-text.ts';

export type TimeZones = ReadonlySet<string>;

const NO_STATES =
  'the state of an aggregate function cannot be parsed from bytes or text; it is created by the function itself, as in uniqState(x)';

/** Clauses beside the type that the engine accepts for a column in a list of columns. */
const columnClauses =
  /^(?:default|materialized|ephemeral|alias|codec|ttl|statistics|settings|comment|collate|primary)$/;
const enums = /^enum(?:8|16)?$/;

/** Why a type is refused, worded to follow a colon; null when it is accepted. */
export function whyNotType(text: string, zones: TimeZones): string | null {
  const lexed: LexedText = { sql: text, tokens: lexSql(text) };
  const around: string[] = [];
  for (const [index, token] of lexed.tokens.entries()) {
    if (isSymbol(lexed, index, '(')) around.push(nameAt(lexed, index - 1).toLowerCase());
    if (isSymbol(lexed, index, ')')) around.pop();
    const reason = whyNotToken(lexed, index, { token, within: around.at(-1) ?? '', zones });
    if (reason !== null) return reason;
  }
  return null;
}

const QUOTED: readonly RegExp[] = [/`((?:[^`\\]|``|\\.)*)`/sy, /"((?:[^"\\]|""|\\.)*)"/sy];

/** In `a.b.:`DateTime('UTC')`` the quoted part is a type as well. One may begin at any quote. */
export function whyNotPath(text: string, zones: TimeZones): string | null {
  for (let at = 0; at < text.length; at += 1) {
    const quoted = QUOTED.map((pattern) => matchAt(pattern, text, at)?.[0]).find(
      (it) => it !== undefined,
    );
    const reason = quoted === undefined ? null : whyNotQuoted(quoted, zones);
    if (reason !== null) return reason;
  }
  return null;
}

function whyNotQuoted(quoted: string, zones: TimeZones): string | null {
  // The engine has more escapes than this code decodes, so a letter may hide behind one.
  if (/\\[a-z0-9]/i.test(quoted))
    return 'a quoted name in a path must be plain text without escape sequences';
  const inner = unquote(quoted);
  return /\(|aggregatefunction/i.test(inner) ? whyNotType(inner, zones) : null;
}

/** The same for a column list such as `a UInt8, b String`, which may only contain names and types. */
export function whyNotStructure(text: string, zones: TimeZones): string | null {
  const lexed: LexedText = { sql: text, tokens: lexSql(text) };
  const clause = lexed.tokens.findIndex(
    ({ kind }, index) =>
      kind === 'word' &&
      columnClauses.test(nameAt(lexed, index).toLowerCase()) &&
      isAfterName(lexed, index),
  );
  if (clause >= 0) return `each column may have a name and a type, but no ${nameAt(lexed, clause)}`;
  return whyNotType(text, zones);
}

/** The first word of a column is its name, whatever it is. */
function isAfterName(lexed: LexedText, index: number): boolean {
  return index > 0 && !isSymbol(lexed, index - 1, ',') && !isSymbol(lexed, index - 1, '(');
}

interface TypeToken {
  readonly token: SqlToken;
  /** The name before the innermost bracket around the token, in lower case. */
  readonly within: string;
  readonly zones: TimeZones;
}

function whyNotToken(
  lexed: LexedText,
  index: number,
  { token, within, zones }: TypeToken,
): string | null {
  if (token.kind === 'error') return 'it has a quote or a comment that does not end';
  if (nameAt(lexed, index).toLowerCase() === 'aggregatefunction') return NO_STATES;
  if (token.kind !== 'text' || enums.test(within)) return null;
  // JSON(SKIP REGEXP '…')
  if (nameAt(lexed, index - 1).toLowerCase() === 'regexp') return null;
  const written = lexed.sql.slice(token.start, token.end);
  const value = written.startsWith("'") ? unquote(written) : null;
  return value !== null && zones.has(value) ? null : whyNotZone(value ?? written);
}

/** The message for an unknown time zone. */
export function whyNotZone(value: string): string {
  const shown = value.length > 60 ? `${value.slice(0, 60)}…` : value;
  return `'${shown}' is not a time zone; give a name such as 'Europe/Berlin' or 'UTC'`;
}
