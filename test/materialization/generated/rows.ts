/** Results as CSV, in which NULL and the empty text, NaN and infinities differ, and whether they are the same. */

/** Null: NULL. */
export type Row = readonly (string | null)[];

export interface Result {
  readonly names: readonly string[];
  readonly rows: readonly Row[];
}

/** RFC 4180; a cell without quotes and without a character is NULL. */
export function parseCsv(text: string): Result {
  const rows: (string | null)[][] = [];
  let row: (string | null)[] = [];
  const cell = /("(?:[^"]|"")*"|[^,\r\n]*)(,|\r?\n|$)/gy;
  while (cell.lastIndex < text.length) {
    const [, written = '', end = ''] = cell.exec(text) ?? [];
    const isQuoted = written.startsWith('"');
    row.push(
      isQuoted ? written.slice(1, -1).replaceAll('""', '"') : written === '' ? null : written,
    );
    if (end === ',') continue;
    rows.push(row);
    row = [];
  }
  const [names = [], ...rest] = rows;
  return { names: names.map((name) => name ?? ''), rows: rest };
}

/** Whether two rows are the same, floating point numbers to 1e-9 of the value where that is allowed. */
export function isSameRow(a: Row, b: Row, isTolerant: boolean): boolean {
  return (
    a.length === b.length && a.every((cell, at) => isSameCell(cell, b[at] ?? null, isTolerant))
  );
}

function isSameCell(a: string | null, b: string | null, isTolerant: boolean): boolean {
  if (a === b) return true;
  if (a === null || b === null || !isTolerant) return false;
  if (FLOAT.test(a) && FLOAT.test(b)) return isClose(Number(a), Number(b));
  const [one, other] = [a.split(NUMBER), b.split(NUMBER)];
  if (!/^[[{]/.test(a) || one.join() !== other.join()) return false;
  const [ones, others] = [a.match(NUMBER) ?? [], b.match(NUMBER) ?? []];
  return ones.every((number, at) => isClose(Number(number), Number(others[at])));
}

const FLOAT = /^-?\d+(\.\d+)?(e[+-]?\d+)?$/;
const NUMBER = /-?\d+(?:\.\d+)?(?:e[+-]?\d+)?/g;

function isClose(a: number, b: number): boolean {
  // Sums that cancel out leave what the largest of the added numbers rounds to.
  return Math.abs(a - b) <= 1e-9 * Math.max(Math.abs(a), Math.abs(b), 1e-3);
}

/** Rows that one list has more often than the other; null: they hold the same rows. */
export function findSurplus(
  expected: readonly Row[],
  actual: readonly Row[],
  isTolerant: boolean,
): { readonly missing: readonly Row[]; readonly extra: readonly Row[] } | null {
  const counts = new Map<string, number>();
  const keyOf = (row: Row) => JSON.stringify(row);
  for (const row of expected) counts.set(keyOf(row), (counts.get(keyOf(row)) ?? 0) + 1);
  const extra = actual.filter((row) => {
    const left = counts.get(keyOf(row)) ?? 0;
    counts.set(keyOf(row), left - 1);
    return left <= 0;
  });
  const missing = [...counts].flatMap(([key, left]) =>
    Array.from({ length: Math.max(0, left) }, () => JSON.parse(key) as Row),
  );
  const rest: Row[] = [];
  for (const row of extra) {
    const at = isTolerant ? missing.findIndex((other) => isSameRow(other, row, true)) : -1;
    if (at < 0) rest.push(row);
    else missing.splice(at, 1);
  }
  return rest.length + missing.length === 0 ? null : { missing, extra: rest };
}
