import { lazy, Suspense, useMemo } from 'react';
import { useSearchParams } from 'react-router';
import { plural } from '../ui/format.ts';
import { Empty, Loading } from '../ui/parts.tsx';
import { useViewParams } from '../ui/use-view-params.ts';
import { type ChartChoice, type ChartKind, chartChoice, chartKinds } from './chart-choice.ts';
import { chartData } from './chart-data.ts';
import { isNumeric } from './clickhouse-types.ts';
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
  const data = useMemo(
    () => (choice === null ? null : chartData(columns, rows, choice)),
    [columns, rows, choice],
  );
  const names = useMemo(
    () => choice?.ys.map((y) => columns[y]?.name ?? '') ?? [],
    [choice, columns],
  );
  if (choice === null || data === null)
    return (
      <Empty title="Nothing to draw">
        <p>A chart needs a numeric column and another column to plot it against.</p>
      </Empty>
    );
  const xName = columns[choice.x]?.name ?? '';
  const label = `${chartKinds[choice.kind]}: ${names.join(', ')} by ${xName}, ${plural(data.xs.length, 'row')}`;
  return (
    <div className="chart">
      <ChartControls columns={columns} choice={choice} />
      <Suspense fallback={<Loading lines={6} />}>
        <Plot kind={choice.kind} data={data} xName={xName} yNames={names} label={label} />
      </Suspense>
      {data.leftOut > 0 && (
        <p className="muted small">{plural(data.leftOut, 'row')} not shown in this chart.</p>
      )}
    </div>
  );
}

function ChartControls({
  columns,
  choice,
}: {
  columns: readonly ResultColumn[];
  choice: ChartChoice;
}) {
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
