import { useSearchParams } from 'react-router';
import { Empty, ErrorNote, Loading } from '../ui/parts.tsx';
import type { Download } from './download.ts';
import { ReadingProgress } from './reading-progress.tsx';
import { ResultChart } from './result-chart.tsx';
import { ResultGrid } from './result-grid.tsx';
import { ResultJson } from './result-json.tsx';
import { ResultMenus } from './result-menus.tsx';
import { RunFactsBar } from './run-facts.tsx';
import { ShapeChoice, shapeOf } from './shape-choice.tsx';
import type { RunResult, RunState } from './use-run.ts';
import type { ServiceOrder } from './use-sort.ts';

interface ResultPanelProps {
  readonly run: RunState;
  /** What is still needed before there is a result; empty when that is shown elsewhere. */
  readonly waiting: string | null;
  /** Data for showing the run as code; absent for an unsaved query. */
  readonly copied?: Download;
  /** The row order; absent when the engine cannot sort differently. */
  readonly order?: ServiceOrder;
}

/** A run's rows as table, chart or JSON, with their cost. */
export function ResultPanel({ run, waiting, copied, order }: ResultPanelProps) {
  const { result, error, isRunning, progress } = run;
  if (waiting !== null) return waiting === '' ? null : <Empty title={waiting} />;
  if (isRunning && result === undefined)
    return progress === null ? <Loading lines={8} /> : <ReadingProgress progress={progress} />;
  if (error !== null) return <ErrorNote error={error} title="The run failed" />;
  if (result === undefined)
    return (
      <Empty title="Stopped">
        <p>Press Run to start again.</p>
      </Empty>
    );
  return (
    <section className="result" aria-label="Result" aria-busy={isRunning}>
      <RunFactsBar result={result} />
      <Shown result={result} copied={copied} order={order} />
    </section>
  );
}

interface ShownProps {
  readonly result: RunResult;
  readonly copied: Download | undefined;
  readonly order: ServiceOrder | undefined;
}

function Shown({ result, copied, order }: ShownProps) {
  const [params] = useSearchParams();
  const shape = shapeOf(params);
  const { columns, rows, facts } = result;
  return (
    <div className="panel result-panel">
      <div className="result-bar">
        <ShapeChoice shape={shape} />
        <ResultMenus result={result} copied={copied} />
      </div>
      {rows.length === 0 && shape !== 'json' ? (
        <Empty title="No rows">
          <p>The query returned no rows.</p>
        </Empty>
      ) : (
        <>
          {shape === 'table' && (
            <ResultGrid {...{ columns, rows, order }} label="Rows" hasMore={facts.hasMore} />
          )}
          {shape === 'chart' && <ResultChart columns={columns} rows={rows} />}
          {shape === 'json' && <ResultJson columns={columns} rows={rows} />}
        </>
      )}
    </div>
  );
}
