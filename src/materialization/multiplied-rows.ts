import { lexSql } from '../sql/sql-lexer.ts';

/** JOIN, ARRAY JOIN and arrayJoin; WITH FILL; several sets of keys, and a row of totals. */
const MULTIPLYING = /join|^(?:fill|rollup|cube|sets|totals)$/i;
const CLAUSE =
  /^(?:select|prewhere|where|group|having|window|qualify|order|limit|offset|settings)$/i;

/** Whether a query may give more rows than it reads, by what its text says: that of its views is not looked at. */
export function mayMultiplyRows(sql: string): boolean {
  // For each bracket that is open, and for the query, whether the tokens are of its FROM.
  const inFrom = [false];
  return lexSql(sql).some(({ kind, start, end }) => {
    const text = sql.slice(start, end);
    if (kind === 'word' && MULTIPLYING.test(text)) return true;
    if (kind === 'word' && /^from$/i.test(text)) inFrom[inFrom.length - 1] = true;
    if (kind === 'word' && CLAUSE.test(text)) inFrom[inFrom.length - 1] = false;
    if (kind !== 'symbol') return false;
    if (/[([{]/.test(text)) inFrom.push(false);
    if (/[)\]}]/.test(text)) inFrom.pop();
    return text === ',' && inFrom.at(-1) === true;
  });
}
