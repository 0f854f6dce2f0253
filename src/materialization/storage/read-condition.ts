import { storedTable } from '../../model/materialization-plan.ts';
import { lexSql } from '../../sql/sql-lexer.ts';

/** The predicate on stored rows; null if the read has none. */
export function readCondition(readQuery: string): string | null {
  const start = readQuery.indexOf(`${storedTable} WHERE `);
  if (start < 0) return null;
  const text = readQuery.slice(start + storedTable.length + ' WHERE '.length);
  let depth = 0;
  for (const token of lexSql(text)) {
    const written = text.slice(token.start, token.end);
    if (token.kind === 'symbol' && '([{'.includes(written)) depth += 1;
    if (token.kind === 'symbol' && ')]}'.includes(written)) depth -= 1;
    const isNext = /^(GROUP|HAVING|ORDER|LIMIT|OFFSET)$/.test(written);
    if (depth === 0 && token.kind === 'word' && isNext) return text.slice(0, token.start);
  }
  return text;
}
