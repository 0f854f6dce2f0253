/** The plot itself, in its own chunk that is loaded with the first chart. */
import { useEffect, useRef } from 'react';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import type { ChartKind } from './chart-choice.ts';
import { type ChartData, needsOwnScale } from './chart-data.ts';

interface PlotProps {
  readonly kind: ChartKind;
  readonly data: ChartData;
  readonly xName: string;
  readonly yNames: readonly string[];
  readonly label: string;
  /** In pixels. */
  readonly height?: number;
  /** Whether all series share one scale, however small some are. */
  readonly isOneScale?: boolean;
}

const colours = ['--series-1', '--series-2', '--series-3', '--series-4'];
const usualHeight = 420;

export function Plot(props: PlotProps) {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const element = place.current;
    if (element === null) return;
    const plot = new uPlot(optionsOf(props, element), alignedData(props.data), element);
    const { height = usualHeight } = props;
    const size = new ResizeObserver(() => plot.setSize({ width: element.clientWidth, height }));
    size.observe(element);
    const repaint = () => plot.redraw(false);
    const theme = new MutationObserver(repaint);
    theme.observe(document.documentElement, { attributeFilter: ['data-theme'] });
    const system = matchMedia('(prefers-color-scheme: dark)');
    system.addEventListener('change', repaint);
    return () => {
      size.disconnect();
      theme.disconnect();
      system.removeEventListener('change', repaint);
      plot.destroy();
    };
  }, [props]);
  return <div ref={place} className="plot" role="img" aria-label={props.label} />;
}

function alignedData({ xs, series }: ChartData): uPlot.AlignedData {
  return [xs as number[], ...series.map((values) => values as (number | null)[])];
}

function optionsOf(props: PlotProps, element: HTMLElement): uPlot.Options {
  const { kind, data, xName, yNames, height = usualHeight, isOneScale = false } = props;
  const paint = (name: string) => () => colourOf(element, name);
  const ownScales = data.series.map(
    (values) => !isOneScale && needsOwnScale(data.series[0] ?? [], values),
  );
  const grid = { stroke: paint('--line'), width: 1 };
  const axis = { stroke: paint('--muted'), grid, ticks: grid, font: '12px system-ui, sans-serif' };
  const { categories } = data;
  return {
    width: element.clientWidth,
    height,
    scales: {
      x: { time: data.isTime, ...rangeOf(kind, data) },
      ...(kind === 'bar' ? { y: { range: fromZero }, y2: { range: fromZero } } : {}),
    },
    // Times have no zone of their own, so they are shown as the service writes them.
    tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1000), 'Etc/UTC'),
    axes: [
      { ...axis, ...(categories === null ? {} : categoryAxis(categories)) },
      { ...axis, size: 64 },
      ...(ownScales.includes(true)
        ? [{ ...axis, scale: 'y2', side: 1 as const, size: 64, grid: { show: false } }]
        : []),
    ],
    series: [
      { label: xName, ...(categories === null ? {} : { value: (_, at) => categories[at] ?? '–' }) },
      ...yNames.map((name, at) => ({
        label: name,
        scale: ownScales[at] === true ? 'y2' : 'y',
        ...lookOf(kind, paint(colours[at % colours.length] ?? '--series-1'), {
          at,
          count: yNames.length,
        }),
      })),
    ],
    legend: { live: true },
    hooks: { ready: [markRest], setLegend: [markRest] },
    cursor: { y: false, points: { size: 7 } },
  };
}

/** Without a pointer over the plot the legend has no values, and only names the series. */
function markRest({ root, cursor }: uPlot): void {
  root.classList.toggle('at-rest', typeof cursor.idx !== 'number');
}

/** A canvas does not support custom properties or light-dark(), so the browser resolves them on an element. */
function colourOf(element: HTMLElement, name: string): string {
  const before = element.style.color;
  element.style.color = `var(${name})`;
  const { color } = getComputedStyle(element);
  element.style.color = before;
  return color;
}

/** A bar's length represents its value, so the axis includes zero. */
function fromZero(_plot: uPlot, min: number, max: number): uPlot.Range.MinMax {
  const [least, most] = [Math.min(0, min), Math.max(0, max)];
  const room = (most - least || 1) * 0.04;
  return [least < 0 ? least - room : 0, most > 0 ? most + room : 0];
}

function lookOf(
  kind: ChartKind,
  stroke: () => string,
  { at, count }: { readonly at: number; readonly count: number },
): Partial<uPlot.Series> {
  if (kind === 'bar') {
    // Two series are drawn side by side, left and right of their position.
    const paths = uPlot.paths.bars?.({
      size: [0.7 / count, 64],
      align: count === 1 ? 0 : at === 0 ? -1 : 1,
    });
    return { stroke, fill: stroke, width: 0, points: { show: false }, ...(paths ? { paths } : {}) };
  }
  if (kind === 'points')
    return { stroke, paths: () => null, points: { show: true, size: 5, width: 0, fill: stroke } };
  const points = { show: false, filter: isolated, size: 5, width: 0, fill: stroke };
  return { stroke, width: 2, points };
}

/** A line does not show values without neighbours, so they are drawn as points. */
function isolated(plot: uPlot, series: number): number[] | null {
  const values = plot.data[series] ?? [];
  const found = [...values.keys()].filter(
    (at) => values[at] != null && values[at - 1] == null && values[at + 1] == null,
  );
  return found.length === 0 ? null : found;
}

function rangeOf(kind: ChartKind, data: ChartData): Pick<uPlot.Scale, 'range'> {
  if (kind === 'bar') return { range: barRange(data) };
  const [first = 0, ...others] = data.xs;
  if (data.xs.length === 0 || others.some((x) => x !== first)) return {};
  // A single position is in the middle.
  const room = data.isTime ? 43_200 : Math.max(1, Math.abs(first) / 10);
  return { range: [first - room, first + room] };
}

function barRange({ xs, categories }: ChartData): uPlot.Range.MinMax {
  const [first = 0, second = first + 3600] = xs;
  // Bars over time are as wide as the distance between the first two.
  if (categories === null)
    return [first - (second - first) / 2, (xs.at(-1) ?? first) + (second - first) / 2];
  return [-0.6, Math.max(xs.length - 0.4, 0.6)];
}

/** As many bar labels as fit. */
function categoryAxis(categories: readonly string[]): Partial<uPlot.Axis> {
  const short = (text: string) => (text.length > 14 ? `${text.slice(0, 13)}…` : text);
  return {
    space: 72,
    grid: { show: false },
    splits: (plot, _axis, _min, _max, _increment, space) => {
      const most = Math.max(
        1,
        Math.floor(plot.bbox.width / devicePixelRatio / Math.max(space, 72)),
      );
      const step = Math.max(1, Math.ceil(categories.length / most));
      return categories.map((_, at) => at).filter((at) => at % step === 0);
    },
    values: (_plot, splits) => splits.map((at) => short(categories[at] ?? '')),
  };
}
