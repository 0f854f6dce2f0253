/** What somebody who misspelt a name probably meant. */

/** Longer names are compared with nothing, so that comparing stays cheap. */
const maxLength = 200;

/**
 * The candidate that differs by the fewest insertions, deletions, replacements and swaps of neighbours, whatever its
 * case; null when none is near: at most a third of the name may differ. The first of several that are equally near.
 */
export function nearestName(name: string, candidates: readonly string[]): string | null {
  const wanted = name.toLowerCase();
  if (wanted.length > maxLength) return null;
  let nearest: string | null = null;
  let fewest = Math.max(1, Math.floor(wanted.length / 3)) + 1;
  for (const candidate of candidates) {
    if (Math.abs(candidate.length - wanted.length) >= fewest) continue;
    const edits = editsBetween(wanted, candidate.toLowerCase());
    if (edits >= fewest) continue;
    nearest = candidate;
    fewest = edits;
  }
  return nearest;
}

/** The optimal string alignment distance. */
function editsBetween(a: string, b: string): number {
  let before: readonly number[] = [];
  let last: readonly number[] = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const replaced = at(last, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1);
      const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const swapped = isSwap ? at(before, j - 2) + 1 : Number.POSITIVE_INFINITY;
      row.push(Math.min(replaced, swapped, at(last, j) + 1, at(row, j - 1) + 1));
    }
    before = last;
    last = row;
  }
  return at(last, b.length);
}

function at(row: readonly number[], index: number): number {
  return row[index] ?? Number.POSITIVE_INFINITY;
}
