/** Line diff of two texts, with the words that changed within lines. Pure. */
import { type DiffItem, listDiff } from './list-diff.ts';

export interface DiffLine extends DiffItem {
  /** The text in parts, if it replaces a similar line. */
  readonly parts?: readonly DiffPart[];
}

interface DiffPart {
  readonly text: string;
  readonly isChanged: boolean;
}

/** Comparisons of words for a whole diff. Lines beyond it are shown as changed completely. */
const mostSteps = 2_000_000;

/** Lines with a smaller share in common are different lines. */
const leastCommon = 0.3;

export function lineDiff(before: string, after: string): readonly DiffLine[] {
  return withChangedWords(listDiff(before.split('\n'), after.split('\n')));
}

function withChangedWords(lines: readonly DiffItem[]): readonly DiffLine[] {
  const marked: DiffLine[] = [...lines];
  let stepsLeft = mostSteps;
  for (const [removed, added] of replacedLines(lines)) {
    const [before, after] = [wordsOf(lines[removed]?.text), wordsOf(lines[added]?.text)];
    stepsLeft -= before.length * after.length;
    if (stepsLeft < 0) break;
    const words = listDiff(before, after);
    const common = countWords(words.filter(({ kind }) => kind === 'same').map(({ text }) => text));
    if (common < leastCommon * Math.max(countWords(before), countWords(after))) continue;
    for (const [at, kind] of [
      [removed, 'removed'],
      [added, 'added'],
    ] as const)
      marked[at] = { kind, text: lines[at]?.text ?? '', parts: partsOf(words, kind) };
  }
  return marked;
}

/** Indexes of a removed line and of the added one in its place. */
function replacedLines(lines: readonly DiffItem[]): readonly (readonly [number, number])[] {
  const pairs: [number, number][] = [];
  let removed: number[] = [];
  for (const [at, { kind }] of lines.entries()) {
    if (kind === 'removed') removed.push(at);
    else if (kind === 'same') removed = [];
    else {
      const replaced = removed.shift();
      if (replaced !== undefined) pairs.push([replaced, at]);
    }
  }
  return pairs;
}

/** Words, single signs, and the spaces between. */
function wordsOf(line = ''): readonly string[] {
  return line.match(/\s+|[\p{L}\p{N}_]+|[^\s\p{L}\p{N}_]/gu) ?? [];
}

function countWords(words: readonly string[]): number {
  return words.filter((word) => word.trim() !== '').length;
}

/** Those of one side, with neighbours of the same kind as one part. */
function partsOf(words: readonly DiffItem[], side: DiffItem['kind']): readonly DiffPart[] {
  const parts: DiffPart[] = [];
  for (const { kind, text } of words) {
    if (kind !== 'same' && kind !== side) continue;
    const isChanged = kind !== 'same';
    const last = parts.at(-1);
    if (last?.isChanged === isChanged) parts.splice(-1, 1, { text: last.text + text, isChanged });
    else parts.push({ text, isChanged });
  }
  return parts;
}
