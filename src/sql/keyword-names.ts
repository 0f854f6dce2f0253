/**
 * Quoted names that are also keywords, such as `from` or `order`. The engine's formatting leaves out their quotes, after
 * which a text can no longer be split at its keywords. Pure.
 */
import { applyEdits } from './edits.ts';
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
  const mark = unusedMark(sql);
  const edits = names.map(({ name, ...at }) => ({ ...at, text: `\`${name}${mark}\`` }));
  const formatted = await format(applyEdits(sql, edits));
  return formatted.replaceAll(new RegExp(`\`(\\w+)${mark}\``, 'g'), '`$1`');
}

/** Ends with a number that follows no other dot in the text. The engine quotes names with such a dot. */
function unusedMark(sql: string): string {
  const used = new Set(Array.from(sql.matchAll(/·(\d+)/g), ([, digits]) => digits));
  let number = 0;
  while (used.has(String(number))) number += 1;
  return `·${number}`;
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
