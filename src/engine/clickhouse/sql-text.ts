/** What can be said of a query's text without the engine: where it ends and which parameters it names. */

export interface SqlText {
  /** The statement without the semicolons that end it; comments behind them are dropped too. */
  readonly statement: string;
  /** Nothing but white space, comments and semicolons. */
  readonly isEmpty: boolean;
  /** Something follows a semicolon. */
  readonly hasMore: boolean;
  /** The `{name:Type}` parameters outside quotes and comments, in order. */
  readonly substitutions: readonly Substitution[];
}

export interface Substitution {
  readonly name: string;
  readonly type: string;
  /** Where it stands: from the opening brace to behind the closing one. */
  readonly start: number;
  readonly end: number;
}

const SUBSTITUTION = /\{\s*([A-Za-z_]\w*)\s*:\s*((?:[^{}'"`]|'(?:[^'\\]|\\.)*')+?)\s*\}/y;
const HEREDOC = /\$\w*\$/y;
/** Comments and white space: what may follow the statement. */
const BLANK = /(?:\s+|--[^\n]*|#[ !][^\n]*|\/\*[\s\S]*?\*\/)+/y;

export function readSqlText(sql: string): SqlText {
  const substitutions: Substitution[] = [];
  let end: number | null = null;
  let lastToken = 0;
  for (let at = 0; at < sql.length; ) {
    const blank = matchAt(BLANK, sql, at);
    if (blank !== null) {
      at += blank[0].length;
      continue;
    }
    const next = endOfToken(sql, at);
    if (sql[at] === ';') end ??= at;
    else if (end !== null) return { ...parts(sql, end, lastToken), hasMore: true, substitutions };
    else lastToken = next;
    const substitution = sql[at] === '{' ? matchAt(SUBSTITUTION, sql, at) : null;
    if (substitution !== null) {
      lastToken = at + substitution[0].length;
      const [, name = '', type = ''] = substitution;
      substitutions.push({ name, type, start: at, end: lastToken });
    }
    at = substitution === null ? next : lastToken;
  }
  return { ...parts(sql, end, lastToken), hasMore: false, substitutions };
}

function parts(sql: string, end: number | null, lastToken: number) {
  return { statement: end === null ? sql : sql.slice(0, end), isEmpty: lastToken === 0 };
}

/** Behind the quoted text that begins at `at`, or behind the one character there. */
function endOfToken(sql: string, at: number): number {
  const char = sql[at] ?? '';
  if (char === "'" || char === '"' || char === '`') return endOfQuoted(sql, at);
  const heredoc = char === '$' ? matchAt(HEREDOC, sql, at) : null;
  if (heredoc === null) return at + 1;
  const close = sql.indexOf(heredoc[0], at + heredoc[0].length);
  return close < 0 ? at + heredoc[0].length : close + heredoc[0].length;
}

function endOfQuoted(sql: string, at: number): number {
  const quote = sql[at];
  for (let i = at + 1; i < sql.length; i += 1) {
    if (sql[i] === '\\') i += 1;
    else if (sql[i] === quote) {
      if (sql[i + 1] !== quote) return i + 1;
      i += 1;
    }
  }
  return sql.length;
}

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}

/** The text with each parameter replaced by what `replace` answers for it. */
export function replaceSubstitutions(
  text: SqlText,
  replace: (substitution: Substitution, written: string) => string,
): string {
  let result = '';
  let at = 0;
  for (const substitution of text.substitutions) {
    const written = text.statement.slice(substitution.start, substitution.end);
    result += text.statement.slice(at, substitution.start) + replace(substitution, written);
    at = substitution.end;
  }
  return result + text.statement.slice(at);
}
