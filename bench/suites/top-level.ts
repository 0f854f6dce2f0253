/** Looks into SQL, outside of parentheses and quotes. */

/** The first place of the words, in capital letters; -1 if there is none. */
export function findWord(sql: string, words: string): number {
  return find(sql, (at) => sql.startsWith(words, at) && isApart(sql, at, words.length));
}

export function splitAtCommas(sql: string): readonly string[] {
  const comma = find(sql, (at) => sql[at] === ',');
  if (comma === -1) return [sql.trim()];
  return [sql.slice(0, comma).trim(), ...splitAtCommas(sql.slice(comma + 1))];
}

function find(sql: string, isThere: (at: number) => boolean): number {
  let depth = 0;
  let isQuoted = false;
  for (let at = 0; at < sql.length; at += 1) {
    if (sql[at] === "'") isQuoted = !isQuoted;
    if (isQuoted) continue;
    if (sql[at] === '(') depth += 1;
    if (sql[at] === ')') depth -= 1;
    if (depth === 0 && isThere(at)) return at;
  }
  return -1;
}

function isApart(sql: string, at: number, length: number): boolean {
  return (
    !/\w/.test(sql.slice(Math.max(0, at - 1), at)) &&
    !/\w/.test(sql.slice(at + length, at + length + 1))
  );
}
