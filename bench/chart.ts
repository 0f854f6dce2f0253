/**
 * The chart of docs/performance.md, as SVG for light and dark backgrounds. A bar goes from the target to the measured
 * value: to the right when it is better than the target, to the left when it is worse.
 */
import { type Figure, greatest, isMet, least, median, spread, targetText } from './figure.ts';

export interface Section {
  readonly title: string;
  readonly figures: readonly Figure[];
}

const width = 1000;
const rowHeight = 20;
const top = 44;
const middle = 640;
/** Pixels for twice or half the target; bars end at four times. */
const perDoubling = 60;
const most = 2;
const colours = { ink: '#808890', met: '#2f9e77', short: '#d9733a' } as const;

export function toChart(sections: readonly Section[]): string {
  const drawn: string[] = [];
  let y = top;
  for (const { title, figures } of sections) {
    drawn.push(text({ x: 8, y: y + 14, weight: 'bold' }, title));
    y += rowHeight;
    for (const each of figures) {
      drawn.push(...toRow(each, y));
      y += rowHeight;
    }
    y += 8;
  }
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${y}" font-family="sans-serif" font-size="12">`,
    '<title>What was measured against its target</title>',
    ...scale(y),
    ...drawn,
    '</svg>',
    '',
  ].join('\n');
}

const marks: Readonly<Record<number, string>> = {
  [-2]: '1/4',
  [-1]: '1/2',
  0: 'target',
  1: '2 ×',
  2: '4 × better',
};

function scale(bottom: number): readonly string[] {
  return [-2, -1, 0, 1, 2].flatMap((doublings) => {
    const x = middle + doublings * perDoubling;
    const label = marks[doublings] ?? '';
    const line = `<line x1="${x}" x2="${x}" y1="28" y2="${bottom}" stroke="${colours.ink}" stroke-opacity="${doublings === 0 ? 1 : 0.25}"/>`;
    return [text({ x, y: 20, anchor: 'middle' }, label), line];
  });
}

function toRow(each: Figure, y: number): readonly string[] {
  const label = text({ x: 20, y: y + 14 }, `${each.name}, ${each.measure}`);
  const details = `${spread(each.samples)}, target ${targetText(each.target)}`;
  const value = text({ x: middle + most * perDoubling + 14, y: y + 14 }, details);
  const reached = placeOf(each, median(each.samples));
  if (reached === null) return [label, value];
  const colour = isMet(each) ? colours.met : colours.short;
  const x = Math.min(middle, reached);
  const bar = `<rect x="${x}" y="${y + 4}" width="${round(Math.abs(reached - middle))}" height="12" fill="${colour}"/>`;
  const ends = [least(each.samples), greatest(each.samples)].map((end) => placeOf(each, end));
  const whisker = `<line x1="${ends[0]}" x2="${ends[1]}" y1="${y + 10}" y2="${y + 10}" stroke="${colours.ink}"/>`;
  return [label, bar, whisker, value];
}

/** The position of a value; null without a value, or when its target cannot be compared as a ratio. */
function placeOf({ target }: Figure, value: number): number | null {
  if (target === null || Number.isNaN(value)) return null;
  const times = 'atLeast' in target ? value / target.atLeast : target.atMost / value;
  if (!(times > 0) || ('atMost' in target && target.atMost === 0)) return null;
  const doublings = Math.max(-most, Math.min(most, Math.log2(times)));
  return round(middle + doublings * perDoubling);
}

function round(pixels: number): number {
  return Math.round(pixels * 10) / 10;
}

function text(
  at: {
    readonly x: number;
    readonly y: number;
    readonly anchor?: string;
    readonly weight?: string;
  },
  words: string,
): string {
  const anchor = at.anchor === undefined ? '' : ` text-anchor="${at.anchor}"`;
  const weight = at.weight === undefined ? '' : ` font-weight="${at.weight}"`;
  const safe = words.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
  return `<text x="${at.x}" y="${at.y}" fill="${colours.ink}"${anchor}${weight}>${safe}</text>`;
}
