/** A longer name is never a misspelling of an accepted one. */
const maxLength = 128;

/**
 * The accepted name that a misspelt one most likely means; null when none is near: within a third of its length, at
 * most 3 edits. Case-insensitive; of several equally near names the first wins.
 */
export function nearestName(given: string, accepted: Iterable<string>): string | null {
  if (given.length > maxLength) return null;
  const wanted = given.toLowerCase();
  let nearest: string | null = null;
  let fewest = Math.min(3, Math.max(1, Math.floor(given.length / 3))) + 1;
  for (const name of accepted) {
    if (Math.abs(name.length - given.length) >= fewest) continue;
    const edits = editDistance(wanted, name.toLowerCase());
    if (edits >= fewest) continue;
    nearest = name;
    fewest = edits;
  }
  return nearest;
}

/** ` Did you mean "x"?`; empty when no name is near. */
export function didYouMean(given: string, accepted: Iterable<string>): string {
  const nearest = nearestName(given, accepted);
  return nearest === null ? '' : ` Did you mean "${nearest}"?`;
}

/** Insertions, deletions, replacements and swaps of adjacent characters. Source: optimal string alignment distance. */
function editDistance(one: string, other: string): number {
  let beforePrevious: number[] = [];
  let previous = Array.from({ length: other.length + 1 }, (_value, at) => at);
  for (let row = 1; row <= one.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= other.length; column += 1) {
      const isSame = one[row - 1] === other[column - 1];
      const isSwap =
        row > 1 &&
        column > 1 &&
        one[row - 1] === other[column - 2] &&
        one[row - 2] === other[column - 1];
      current[column] = Math.min(
        (previous[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
        (previous[column - 1] ?? 0) + (isSame ? 0 : 1),
        isSwap ? (beforePrevious[column - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY,
      );
    }
    beforePrevious = previous;
    previous = current;
  }
  return previous[other.length] ?? 0;
}
