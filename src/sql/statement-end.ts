/** Where a statement ends: at its first semicolon outside of quotes and comments. Pure. */
import { lexSql, type SqlToken } from './sql-lexer.ts';

export function isStatementEnd(sql: string, { kind, start }: SqlToken): boolean {
  return kind === 'symbol' && sql[start] === ';';
}

/** The text without semicolons and comments after them. */
export function withoutEnd(sql: string): string {
  const end = lexSql(sql).find((token) => isStatementEnd(sql, token));
  return end === undefined ? sql : sql.slice(0, end.start);
}
