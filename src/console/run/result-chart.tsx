import { lazy, Suspense, useMemo } from 'react';
import { useSearchParams } from 'react-router';
import { plural } from '../ui/format.ts';
import { Empty, Loading } from '../ui/parts.tsx';
import { useViewParams } from '../ui/use-view-params.ts';
import { type ChartChoice, type ChartKind, chartChoice, chartKinds } from './chart-choice.ts';
import { chartData } from './chart-data.ts';
import { isNumeric } from './clickhouse-types.ts';
import { type Combine, combinations, combineIn } from './combine-rows.ts';
import type { ResultColumn, ResultRow } from './grid-model.ts';

const Plot = lazy(async () => ({ default: (await import('./plot.tsx')).Plot }));

interface ResultChartProps {
  readonly columns: readonly ResultColumn[];
  readonly rows: readonly ResultRow[];
}

/** A chart of the rows; its columns are stored in the URL. */
export function ResultChart({ columns, rows }: ResultChartProps) {
  const [params] = useSearchParams();
  const asText = params.toString();
  const choice = useMemo(
    () => chartChoice(columns, new URLSearchParams(asText)),
    [columns, asText],
  );
  const combine = combineIn(params);
  const data = useMemo(
    () => (choice === null ? null : chartData(columns, rows, { ...choice, combine })),
    [columns, rows, choice, combine],
  );
  const prefix = data?.isCombined === true ? `${combine} of ` : '';
  const names = useMemo(
    () => choice?.ys.map((y) => prefix + (columns[y]?.name ?? '')) ?? [],
    [choice, columns, prefix],
  );
  if (choice === null || data === null)
    return (
      <Empty title="Nothing to draw">
        <p>A chart needs a numeric column and another column to plot it against.</p>
      </Empty>
    );
  const xName = columns[choice.x]?.name ?? '';
  const drawn = data.isCombined
    ? `${plural(data.xs.length, 'value')} from ${plural(rows.length - data.leftOut, 'row')}`
    : plural(data.xs.length, 'row');
  const label = `${chartKinds[choice.kind]}: ${names.join(', ')} by ${xName}, ${drawn}`;
  return (
    <div className="chart">
      <ChartControls columns={columns} choice={choice} combine={data.isCombined ? combine : null} />
      <Suspense fallback={<Loading lines={6} />}>
        <Plot kind={choice.kind} data={data} xName={xName} yNames={names} label={label} />
      </Suspense>
      {data.leftOut > 0 && (
        <p className="muted small">{plural(data.leftOut, 'row')} not shown in this chart.</p>
      )}
    </div>
  );
}

interface ChartControlsProps {
  readonly columns: readonly ResultColumn[];
  readonly choice: ChartChoice;
  /** Null when no rows are combined. */
  readonly combine: Combine | null;
}

function ChartControls({ columns, choice, combine }: ChartControlsProps) {
  const [, change] = useViewParams();
  const nameAt = (at: number) => columns[at]?.name ?? '';
  const toggle = (at: number) =>
    change((next) => {
      const chosen = choice.ys.includes(at)
        ? choice.ys.filter((y) => y !== at)
        : [...choice.ys, at];
      next.delete('y');
      for (const y of chosen) next.append('y', nameAt(y));
    });
  return (
    <div className="chart-controls">
      <label>
        <span>Shape</span>
        <select
          value={choice.kind}
          onChange={({ target }) => change((next) => next.set('chart', target.value))}
        >
          {(Object.keys(chartKinds) as ChartKind[]).map((kind) => (
            <option key={kind} value={kind}>
              {chartKinds[kind]}
            </option>
          ))}
        </select>
      </label>
      <label>
        <span>By</span>
        <select
          value={choice.x}
          onChange={({ target }) => change((next) => next.set('x', nameAt(Number(target.value))))}
        >
          {columns.map(({ name }, at) => (
            <option key={`x${at + 1}`} value={at}>
              {name}
            </option>
          ))}
        </select>
      </label>
      {combine !== null && (
        <label title="How rows with the same value become one">
          <span>Combine</span>
          <select
            value={combine}
            onChange={({ target }) => change((next) => next.set('combine', target.value))}
          >
            {Object.entries(combinations).map(([one, words]) => (
              <option key={one} value={one}>
                {words}
              </option>
            ))}
          </select>
        </label>
      )}
      <fieldset className="series-choice">
        <legend>Show</legend>
        {columns.map(({ name, type }, at) =>
          isNumeric(type) && at !== choice.x ? (
            <label key={`y${at + 1}`} className="check">
              <input
                type="checkbox"
                checked={choice.ys.includes(at)}
                disabled={choice.ys.length === 1 && choice.ys.includes(at)}
                onChange={() => toggle(at)}
              />
              <bdi>{name}</bdi>
            </label>
          ) : null,
        )}
      </fieldset>
    </div>
  );
}
