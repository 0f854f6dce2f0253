/** What can be said of a query's text without the engine: where it ends and which parameters it names. */
import { lexSql, type SqlToken } from '../../../../sql/sql-lexer.ts';

export interface SqlText {
  /** As it was given. */
  readonly sql: string;
  readonly tokens: readonly SqlToken[];
  /** The statement without the semicolons that end it; comments behind them are dropped too. */
  readonly statement: string;
  /** Nothing but white space, comments and semicolons. */
  readonly isEmpty: boolean;
  /** Where what follows a semicolon begins; null when nothing does. */
  readonly moreAt: number | null;
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

export function readSqlText(sql: string): SqlText {
  const tokens = lexSql(sql);
  const isEnd = (token: SqlToken) => token.kind === 'symbol' && sql[token.start] === ';';
  const end = tokens.find(isEnd)?.start ?? null;
  return {
    sql,
    tokens,
    statement: end === null ? sql : sql.slice(0, end),
    isEmpty: tokens.every(isEnd),
    moreAt:
      end === null
        ? null
        : (tokens.find((token) => token.start > end && !isEnd(token))?.start ?? null),
    substitutions: findSubstitutions(sql, tokens),
  };
}

function findSubstitutions(sql: string, tokens: readonly SqlToken[]): readonly Substitution[] {
  const substitutions: Substitution[] = [];
  let behind = 0;
  for (const { kind, start } of tokens) {
    if (kind !== 'symbol' || sql[start] !== '{' || start < behind) continue;
    const match = matchAt(SUBSTITUTION, sql, start);
    if (match === null) continue;
    const [written, name = '', type = ''] = match;
    behind = start + written.length;
    substitutions.push({ name, type, start, end: behind });
  }
  return substitutions;
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
