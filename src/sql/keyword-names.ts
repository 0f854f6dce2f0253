/**
 * Quoted names that are also keywords, such as `from` or `order`. The engine's formatting leaves out their quotes, after
 * which a text can no longer be split at its keywords. Pure.
 */
import { lexSql } from './sql-lexer.ts';

/** Keywords at which formatted texts are split. */
const keywords = new Set(
  (
    'with select distinct from prewhere where group having window qualify order limit offset fetch settings ' +
    'union intersect except and or not in like ilike as asc desc over by is null true false global'
  ).split(' '),
);

export function isKeywordName(name: string): boolean {
  return keywords.has(name.toLowerCase());
}

/** Formats a text so that these names keep their quotes. */
export async function formatWithKeywordNames(
  sql: string,
  format: (sql: string) => Promise<string>,
): Promise<string> {
  const names = keywordNames(sql);
  if (names.length === 0) return format(sql);
  // The engine quotes a name with a character that names without quotes cannot have.
  let mark = '·';
  while (sql.includes(mark)) mark += '·';
  let marked = sql;
  for (const { name, start, end } of names.toReversed())
    marked = `${marked.slice(0, start)}\`${name}${mark}\`${marked.slice(end)}`;
  return (await format(marked)).replaceAll(new RegExp(`\`(\\w+)${mark}\``, 'g'), '`$1`');
}

/** How often each of them occurs in quotes, by the name in lower case. */
export function countKeywordNames(sql: string): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { name } of keywordNames(sql)) {
    const word = name.toLowerCase();
    counts.set(word, (counts.get(word) ?? 0) + 1);
  }
  return counts;
}

function keywordNames(sql: string): readonly { name: string; start: number; end: number }[] {
  return lexSql(sql).flatMap(({ kind, start, end }) => {
    const name = sql.slice(start + 1, end - 1);
    return kind === 'name' && isKeywordName(name) ? [{ name, start, end }] : [];
  });
}
