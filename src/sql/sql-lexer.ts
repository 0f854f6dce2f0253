/**
 * A copy of the engine's lexer, which alone decides what is code and what is a quoted text or a comment. A test
 * compares its tokens with the engine's. Source: ClickHouse's Lexer.
 */

export interface SqlToken {
  readonly kind: SqlTokenKind;
  readonly start: number;
  readonly end: number;
}

/**
 * `name`: a quoted identifier. `text`: a string literal or heredoc. `symbol`: one punctuation character, or `\\G`,
 * which ends a statement. `error`: an unterminated quote or comment, up to the end of the text.
 */
type SqlTokenKind = 'word' | 'name' | 'text' | 'number' | 'symbol' | 'error';

/** The engine accepts more white space characters than JavaScript. */
const SPACE = /[\s\u0085\u180E\u200B-\u200D\u2060]+/y;
const LINE_COMMENT: readonly string[] = ['--', '//', '# ', '#!'];
const TO_LINE_END = /[^\n]*/y;
const COMMENT_EDGE = /\/\*|\*\//g;
const WORD = /[A-Za-z_$][\w$]*/y;
const WORD_REST = /\w+/y;
const HEREDOC = /\$\w*\$/y;
/** Adjacent tags may share a dollar sign. */
const TAG = /\$(?=(\w*)\$)/g;
const BYTES_LITERAL = /[xXbB]'/y;
const INTEGER = /\d+(?:_\d+)*/y;
const NUMBER =
  /(?:0[xX](?=[\da-fA-F])[\da-fA-F]*(?:_[\da-fA-F]+)*(?:\.(?:[\da-fA-F]+(?:_[\da-fA-F]+)*)?)?(?:[pP](?!$)(?:[+-](?!$))?(?:\d+(?:_\d+)*)?)?|0[bB](?=[01])\d+(?:_\d+)*(?:\.(?:\d+(?:_\d+)*)?)?(?:[eE](?!$)(?:[+-](?!$))?(?:\d+(?:_\d+)*)?)?|\d+(?:_\d+)*(?:\.(?:\d+(?:_\d+)*)?)?(?:[eE](?!$)(?:[+-](?!$))?(?:\d+(?:_\d+)*)?)?)/y;
const FRACTION = /\.\d+(?:_\d+)*(?:[eE](?!$)(?:[+-](?!$))?(?:\d+(?:_\d+)*)?)?/y;

/** Every token in order, without white space and comments; linear time. */
export function lexSql(sql: string): readonly SqlToken[] {
  const tokens: SqlToken[] = [];
  const text = { sql, lastTags: findTags(sql) };
  for (let at = skipBlank(sql, 0); at < sql.length; ) {
    const token = tokenAt(text, at, tokens.at(-1));
    tokens.push(token);
    at = token.kind === 'error' ? sql.length : skipBlank(sql, token.end);
  }
  return tokens;
}

interface Text {
  readonly sql: string;
  /** The last position of each heredoc tag. */
  readonly lastTags: ReadonlyMap<string, number>;
}

/** Found in one pass, so that a text full of unmatched tags is not searched for each of them. */
function findTags(sql: string): ReadonlyMap<string, number> {
  const last = new Map<string, number>();
  for (const match of sql.matchAll(TAG)) last.set(`$${match[1]}$`, match.index);
  return last;
}

/** The end of the white space and comments at `from`; stops before an unterminated comment. */
function skipBlank(sql: string, from: number): number {
  for (let at = from; ; ) {
    const next = endOfBlank(sql, at);
    if (next === at || next === null) return at;
    at = next;
  }
}

function endOfBlank(sql: string, at: number): number | null {
  const space = endOf(SPACE, sql, at);
  if (space !== null) return space;
  if (LINE_COMMENT.some((opening) => sql.startsWith(opening, at))) {
    return endOf(TO_LINE_END, sql, at);
  }
  return sql.startsWith('/*', at) ? endOfComment(sql, at) : at;
}

/** Comments nest. Null when it is unterminated. */
function endOfComment(sql: string, at: number): number | null {
  COMMENT_EDGE.lastIndex = at;
  let level = 0;
  for (let edge = COMMENT_EDGE.exec(sql); edge !== null; edge = COMMENT_EDGE.exec(sql)) {
    level += edge[0] === '/*' ? 1 : -1;
    if (level === 0) return COMMENT_EDGE.lastIndex;
  }
  return null;
}

function tokenAt(text: Text, at: number, before: SqlToken | undefined): SqlToken {
  const { sql } = text;
  return (
    quotedAt(sql, at) ?? heredocAt(text, at) ?? numberAt(sql, at, before) ?? wordOrSymbolAt(sql, at)
  );
}

/** Typographic quotes are quotes too; they have no escapes. */
const closing: Readonly<Record<string, string>> = {
  "'": "'",
  '"': '"',
  '`': '`',
  '\u2018': '\u2019',
  '\u201C': '\u201D',
};

function quotedAt(sql: string, at: number): SqlToken | null {
  const opening = sql[at] ?? '';
  if (endOf(BYTES_LITERAL, sql, at) !== null) {
    const end = endOfPlain(sql, at + 2, "'");
    return end === null ? null : { kind: 'text', start: at, end };
  }
  const close = closing[opening];
  if (close === undefined) return null;
  const kind = opening === "'" || opening === '\u2018' ? 'text' : 'name';
  const end = close === opening ? endOfQuoted(sql, at) : endOfPlain(sql, at + 1, close);
  return upTo(kind, at, end, sql);
}

function endOfPlain(sql: string, from: number, close: string): number | null {
  const found = sql.indexOf(close, from);
  return found < 0 ? null : found + close.length;
}

function endOfQuoted(sql: string, at: number): number | null {
  const quote = sql[at];
  for (let i = at + 1; i < sql.length; i += 1) {
    if (sql[i] === '\\') i += 1;
    else if (sql[i] === quote) {
      if (sql[i + 1] !== quote) return i + 1;
      i += 1;
    }
  }
  return null;
}

/** Also null for a tag without a matching one, which is a word then. */
function heredocAt({ sql, lastTags }: Text, at: number): SqlToken | null {
  const open = endOf(HEREDOC, sql, at);
  if (open === null) return null;
  const tag = sql.slice(at, open);
  if ((lastTags.get(tag) ?? -1) < open) return null;
  return { kind: 'text', start: at, end: sql.indexOf(tag, open) + tag.length };
}

function numberAt(sql: string, at: number, before: SqlToken | undefined): SqlToken | null {
  const previous = before === undefined ? '' : sql.slice(before.end - 1, before.end);
  const isMember = before?.kind === 'symbol' && previous === '.';
  const isBehindValue =
    before !== undefined && (before.kind !== 'symbol' || previous === ')' || previous === ']');
  const end = endOf(isMember ? INTEGER : NUMBER, sql, at);
  if (end === null) {
    const isMore = isBehindValue && before.kind !== 'text';
    const fraction = isMore ? null : endOf(FRACTION, sql, at);
    return fraction === null ? null : { kind: 'number', start: at, end: fraction };
  }
  // A word may begin with a digit.
  const wordEnd = endOf(WORD_REST, sql, end);
  return { kind: wordEnd === null ? 'number' : 'word', start: at, end: wordEnd ?? end };
}

function wordOrSymbolAt(sql: string, at: number): SqlToken {
  const word = sql[at] === '$' && !/\w/.test(sql[at + 1] ?? '') ? null : endOf(WORD, sql, at);
  if (word !== null) return { kind: 'word', start: at, end: word };
  if (sql.startsWith('/*', at)) return upTo('error', at, null, sql);
  const isPair = sql.startsWith('\\G', at) || (sql.codePointAt(at) ?? 0) > 0xffff;
  return { kind: 'symbol', start: at, end: at + (isPair ? 2 : 1) };
}

function upTo(kind: SqlTokenKind, start: number, end: number | null, sql: string): SqlToken {
  return end === null ? { kind: 'error', start, end: sql.length } : { kind, start, end };
}

function endOf(pattern: RegExp, text: string, at: number): number | null {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : null;
}
