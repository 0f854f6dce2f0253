/** Converts rows to the numeric columns that a plot needs. Pure. */
import { cellNumber, cellSeconds, cellText } from './cell-values.ts';
import type { ChartChoice } from './chart-choice.ts';
import { kindOf } from './clickhouse-types.ts';
import { type Combine, combined, groupBy } from './combine-rows.ts';
import type { ResultColumn, ResultRow } from './grid-model.ts';

export interface ChartData {
  /** Ascending; for bars their index from 0. */
  readonly xs: readonly number[];
  readonly series: readonly (readonly (number | null)[])[];
  /** Labels of bars by index; null for other charts. */
  readonly categories: readonly string[] | null;
  readonly isTime: boolean;
  /** Number of rows that are not shown: bars beyond the distinguishable ones, and rows without an x. */
  readonly leftOut: number;
}

export interface RowChart extends ChartData {
  /** Whether rows have the same x, and are therefore combined. */
  readonly isCombined: boolean;
}

interface Drawn extends ChartChoice {
  readonly combine: Combine;
}

type RowGroup = readonly ResultRow[];

const mostBars = 120;

/** Rows with the same x are one bar, or one point of a line; points by themselves are all drawn. */
export function chartData(
  columns: readonly ResultColumn[],
  rows: readonly ResultRow[],
  drawn: Drawn,
): RowChart {
  const { kind, x } = drawn;
  if (kind === 'bar') return barData(rows, drawn);
  const type = kindOf(columns[x]?.type ?? '');
  const isTime = type === 'date' || type === 'time';
  const read = isTime ? cellSeconds : cellNumber;
  const placed = rows
    .map((row) => ({ row, at: read(row[x]) }))
    .filter((point): point is { row: ResultRow; at: number } => point.at !== null)
    .sort((a, b) => a.at - b.at);
  const points = kind === 'line' ? groupBy(placed, ({ at }) => at) : placed.map((one) => [one]);
  const isCombined = points.length < placed.length;
  const groups = points.map((group) => group.map(({ row }) => row));
  return {
    xs: points.flatMap(([first]) => first?.at ?? []),
    series: seriesOf(groups, drawn, isCombined),
    categories: null,
    isTime,
    leftOut: rows.length - placed.length,
    isCombined,
  };
}

function barData(rows: readonly ResultRow[], drawn: Drawn): RowChart {
  const { x } = drawn;
  const all = groupBy(rows, (row) => (row[x] === null ? null : cellText(row[x])));
  const isCombined = all.length < rows.length;
  const groups = isCombined ? largestOf(all, drawn) : all.slice(0, mostBars);
  return {
    xs: groups.map((_, at) => at),
    series: seriesOf(groups, drawn, isCombined),
    categories: groups.map(([row]) => cellText(row?.[x])),
    isTime: false,
    leftOut: groups.reduce((left, group) => left - group.length, rows.length),
    isCombined,
  };
}

/** The order of rows says nothing about the bars that they add up to, so the largest are drawn. */
function largestOf(groups: readonly RowGroup[], drawn: Drawn): readonly RowGroup[] {
  if (groups.length <= mostBars) return groups;
  const [sizes = []] = seriesOf(groups, drawn, true);
  const sizeAt = (at: number) => Math.abs(sizes[at] ?? 0);
  const bySize = groups.map((_, at) => at).sort((a, b) => sizeAt(b) - sizeAt(a));
  const shown = new Set(bySize.slice(0, mostBars));
  return groups.filter((_, at) => shown.has(at));
}

function seriesOf(
  groups: readonly RowGroup[],
  { ys, combine }: Drawn,
  isCombined: boolean,
): readonly (readonly (number | null)[])[] {
  return ys.map((y) =>
    groups.map((group) => {
      const [first = null, ...others] = group.map((row) => cellNumber(row[y]));
      return isCombined ? combined([first, ...others], combine) : first;
    }),
  );
}

/** Whether a series differs so much in size from the first that a shared scale would flatten it. */
export function needsOwnScale(
  first: readonly (number | null)[],
  other: readonly (number | null)[],
): boolean {
  const [a, b] = [largest(first), largest(other)];
  return a > 0 && b > 0 && Math.max(a / b, b / a) > 6;
}

function largest(values: readonly (number | null)[]): number {
  return values.reduce<number>((most, value) => Math.max(most, Math.abs(value ?? 0)), 0);
}
