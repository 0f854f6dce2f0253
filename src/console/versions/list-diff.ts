/** Diff of two lists of texts, such as lines or words: kept, added, removed. Pure. */

export interface DiffItem {
  readonly kind: 'same' | 'added' | 'removed';
  readonly text: string;
}

/** Lists with more differing items are shown completely, because the comparison table grows quadratically. */
const mostItems = 1500;

export function listDiff(a: readonly string[], b: readonly string[]): readonly DiffItem[] {
  let head = 0;
  while (head < a.length && head < b.length && a[head] === b[head]) head += 1;
  let tail = 0;
  const rest = Math.min(a.length, b.length) - head;
  while (tail < rest && a[a.length - 1 - tail] === b[b.length - 1 - tail]) tail += 1;
  const same = (lines: readonly string[]) => lines.map((text) => ({ kind: 'same', text }) as const);
  return [
    ...same(a.slice(0, head)),
    ...middle(a.slice(head, a.length - tail), b.slice(head, b.length - tail)),
    ...same(a.slice(a.length - tail)),
  ];
}

function middle(a: readonly string[], b: readonly string[]): readonly DiffItem[] {
  if (Math.max(a.length, b.length) > mostItems) return [...removed(a), ...added(b)];
  const common = commonLengths(a, b);
  const lines: DiffItem[] = [];
  let [i, j] = [0, 0];
  while (i < a.length && j < b.length) {
    if (a[i] === b[j]) {
      lines.push({ kind: 'same', text: a[i] ?? '' });
      i += 1;
      j += 1;
    } else if ((common[i + 1]?.[j] ?? 0) >= (common[i]?.[j + 1] ?? 0)) {
      lines.push({ kind: 'removed', text: a[i] ?? '' });
      i += 1;
    } else {
      lines.push({ kind: 'added', text: b[j] ?? '' });
      j += 1;
    }
  }
  return [...lines, ...removed(a.slice(i)), ...added(b.slice(j))];
}

/** At [i][j]: length of the longest common subsequence of both remaining texts. */
function commonLengths(a: readonly string[], b: readonly string[]): readonly Uint16Array[] {
  const table = Array.from({ length: a.length + 1 }, () => new Uint16Array(b.length + 1));
  for (let i = a.length - 1; i >= 0; i -= 1) {
    const [row, below] = [table[i], table[i + 1]];
    if (row === undefined || below === undefined) continue;
    for (let j = b.length - 1; j >= 0; j -= 1)
      row[j] = a[i] === b[j] ? (below[j + 1] ?? 0) + 1 : Math.max(below[j] ?? 0, row[j + 1] ?? 0);
  }
  return table;
}

function removed(lines: readonly string[]): readonly DiffItem[] {
  return lines.map((text) => ({ kind: 'removed', text }));
}

function added(lines: readonly string[]): readonly DiffItem[] {
  return lines.map((text) => ({ kind: 'added', text }));
}
