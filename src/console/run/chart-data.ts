/** Converts rows to the numeric columns that a plot needs. Pure. */
import { cellNumber, cellSeconds, cellText } from './cell-values.ts';
import type { ChartChoice } from './chart-choice.ts';
import { kindOf } from './clickhouse-types.ts';
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

const mostBars = 120;

export function chartData(
  columns: readonly ResultColumn[],
  rows: readonly ResultRow[],
  { kind, x, ys }: ChartChoice,
): ChartData {
  const seriesOf = (some: readonly ResultRow[]) =>
    ys.map((y) => some.map((row) => cellNumber(row[y])));
  if (kind === 'bar') {
    const shown = rows.slice(0, mostBars);
    return {
      xs: shown.map((_, at) => at),
      series: seriesOf(shown),
      categories: shown.map((row) => cellText(row[x])),
      isTime: false,
      leftOut: rows.length - shown.length,
    };
  }
  const type = kindOf(columns[x]?.type ?? '');
  const isTime = type === 'date' || type === 'time';
  const read = isTime ? cellSeconds : cellNumber;
  const placed = rows
    .map((row) => ({ row, at: read(row[x]) }))
    .filter((point): point is { row: ResultRow; at: number } => point.at !== null)
    .sort((a, b) => a.at - b.at);
  return {
    xs: placed.map(({ at }) => at),
    series: seriesOf(placed.map(({ row }) => row)),
    categories: null,
    isTime,
    leftOut: rows.length - placed.length,
  };
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
