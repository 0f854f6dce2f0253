/** Which columns a chart shows: guessed from the columns, changed in the URL. Pure. */
import { isNumeric, kindOf } from './clickhouse-types.ts';
import type { ResultColumn } from './grid-model.ts';

export type ChartKind = 'line' | 'bar' | 'points';

export interface ChartChoice {
  readonly kind: ChartKind;
  /** Column index. */
  readonly x: number;
  /** Column indexes; at least one. */
  readonly ys: readonly number[];
}

export const chartKinds: Readonly<Record<ChartKind, string>> = {
  line: 'Lines',
  bar: 'Bars',
  points: 'Points',
};

/** More bars next to each other cannot be distinguished. */
const mostBarSeries = 2;

/** Null when no column is numeric, or there is only one column. */
export function chartChoice(
  columns: readonly ResultColumn[],
  params: URLSearchParams,
): ChartChoice | null {
  const guess = guessChart(columns);
  if (guess === null) return null;
  const named = (name: string | null) => columns.findIndex((column) => column.name === name);
  const kind = params.get('chart') ?? '';
  const x = named(params.get('x'));
  const requested = params.getAll('y').map(named);
  const ys = requested.filter((at) => at !== -1 && isNumeric(columns[at]?.type ?? ''));
  const chosenX = x === -1 ? guess.x : x;
  const chosenKind = Object.hasOwn(chartKinds, kind) ? (kind as ChartKind) : null;
  const drawn = ys.length > 0 ? ys : guess.ys.filter((at) => at !== chosenX);
  const fallback = columns.findIndex(({ type }, at) => at !== chosenX && isNumeric(type));
  const shown = drawn.length > 0 ? drawn : [fallback].filter((at) => at !== -1);
  if (shown.length === 0) return null;
  const usual = x === -1 ? guess.kind : kindFor(columns[chosenX]);
  const drawnAs = chosenKind ?? usual;
  return { kind: drawnAs, x: chosenX, ys: drawnAs === 'bar' ? shown.slice(-mostBarSeries) : shown };
}

/** A line over time, bars over categories, points for two numbers. */
function guessChart(columns: readonly ResultColumn[]): ChartChoice | null {
  const first = (fits: (column: ResultColumn) => boolean) => columns.findIndex(fits);
  const numbers = columns.flatMap(({ type }, at) => (isNumeric(type) ? [at] : []));
  const time = first(({ type }) => ['date', 'time'].includes(kindOf(type)));
  const category = first(({ type }) => ['text', 'boolean'].includes(kindOf(type)));
  const [one, two] = numbers;
  if (one === undefined) return null;
  if (time !== -1) return { kind: 'line', x: time, ys: [one] };
  if (category !== -1) return { kind: 'bar', x: category, ys: [one] };
  return two === undefined ? null : { kind: 'points', x: one, ys: [two] };
}

function kindFor(column: ResultColumn | undefined): ChartKind {
  const kind = kindOf(column?.type ?? '');
  if (kind === 'date' || kind === 'time') return 'line';
  return isNumeric(column?.type ?? '') ? 'points' : 'bar';
}
