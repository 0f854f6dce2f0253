/** What a query's text shows without asking the engine: where it ends and which parameters it has. */
import { matchAt } from '../../../../lib/match-at.ts';
import { applyEdits } from '../../../../sql/edits.ts';
import { lexSql, type SqlToken } from '../../../../sql/sql-lexer.ts';
import { isStatementEnd } from '../../../../sql/statement-end.ts';
import type { LexedText } from './lexed-text.ts';

export interface SqlText extends LexedText {
  /** The text without trailing semicolons and comments after them. */
  readonly statement: string;
  /** True when the text has only white space, comments and semicolons. */
  readonly isEmpty: boolean;
  /** Where a second statement begins; null when there is none. */
  readonly moreAt: number | null;
  /** The `{name:Type}` parameters outside quotes and comments, in order. */
  readonly substitutions: readonly Substitution[];
}

export interface Substitution {
  readonly name: string;
  readonly type: string;
  /** From the opening brace to just after the closing one. */
  readonly start: number;
  readonly end: number;
}

const SUBSTITUTION = /\{\s*([A-Za-z_]\w*)\s*:\s*((?:[^{}'"`]|'(?:[^'\\]|\\.)*')+?)\s*\}/y;

export function readSqlText(sql: string): SqlText {
  const tokens = lexSql(sql);
  const isEnd = (token: SqlToken) => isStatementEnd(sql, token);
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

/** The statement with each parameter replaced by what `replace` returns for it. */
export function replaceSubstitutions(
  text: SqlText,
  replace: (substitution: Substitution, written: string) => string,
): string {
  const edits = text.substitutions.map((substitution) => {
    const { start, end } = substitution;
    return { start, end, text: replace(substitution, text.statement.slice(start, end)) };
  });
  return applyEdits(text.statement, edits);
}
