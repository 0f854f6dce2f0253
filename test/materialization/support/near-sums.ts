/** Sums of floating point numbers: in another order they may have other last digits, and nothing else may differ. */

/** Of the value, as the service promises; and of the numbers that are added up, where they cancel out. */
const TOLERANCE = 1e-9;

/** Whether an aggregate adds up floating point numbers where its result holds any. */
export function isSum(expression: string): boolean {
  return /^(sum|avg|stddev|var|covar|corr|skew|kurt|entropy|simpleLinear)/.test(expression);
}

/**
 * The lines of a read, with the inline run's numbers in place of those that are near to them.
 *
 * @param read names, types, rows. So is `inline`.
 * @param sums names of columns that may be near.
 */
export function withNearSums(
  read: readonly string[],
  inline: readonly string[],
  sums: ReadonlySet<string>,
): readonly string[] {
  const [names = [], types = []] = inline.slice(0, 2).map((line) => JSON.parse(line) as string[]);
  const mayBeNear = names.map((name, at) => sums.has(name) && /Float/.test(types[at] ?? ''));
  return read.map((line, row) => {
    const other = inline[row];
    if (row < 2 || line === other || other === undefined) return line;
    const [a, b] = [cellsOf(line), cellsOf(other)];
    const isSame = a.every((cell, at) => isNear(cell, b[at], mayBeNear[at] ?? false));
    return isSame && a.length === b.length ? other : line;
  });
}

/** Numbers as they are written, in an object each, so that none loses digits. */
function cellsOf(line: string): readonly unknown[] {
  return JSON.parse(line, (_key, value, context?: { readonly source?: string }) =>
    typeof value === 'number' ? { number: context?.source } : value,
  ) as unknown[];
}

const numberOf = (cell: unknown): number =>
  typeof cell === 'object' && cell !== null && 'number' in cell ? Number(cell.number) : Number.NaN;

function isNear(a: unknown, b: unknown, mayBeNear: boolean): boolean {
  if (JSON.stringify(a) === JSON.stringify(b)) return true;
  if (!mayBeNear) return false;
  if (Array.isArray(a) && Array.isArray(b) && a.length === b.length) {
    return a.every((one, at) => isNear(one, b[at], true));
  }
  const [x, y] = [numberOf(a), numberOf(b)];
  return Math.abs(x - y) <= TOLERANCE * Math.max(1, Math.abs(x), Math.abs(y));
}
