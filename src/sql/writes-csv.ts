import { unquote } from './clickhouse-type.ts';
import { lexSql } from './sql-lexer.ts';

/**
 * Whether a call of `formatRow` in the query writes rows as CSV. The settings of a response in CSV would also apply to
 * it: NULL would be empty, and lines would end in CRLF. Calls in views and in ALIAS columns are not seen.
 */
export function writesCsv(sql: string): boolean {
  // Few queries name it, and every run in CSV is checked.
  if (!/formatRow/i.test(sql)) return false;
  const tokens = lexSql(sql).map(({ kind, start, end }) => ({ kind, text: sql.slice(start, end) }));
  return tokens.some(({ kind, text }, at) => {
    const isCall =
      (kind === 'word' || kind === 'name') && /^.?formatRow(NoNewline)?.?$/i.test(text);
    const format = tokens[at + 2];
    if (!isCall || tokens[at + 1]?.text !== '(' || format === undefined) return false;
    return format.kind !== 'text' || /^csv/i.test(unquote(format.text));
  });
}
