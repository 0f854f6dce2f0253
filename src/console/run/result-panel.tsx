import { useState } from 'react';
import { useSearchParams } from 'react-router';
import type { ApiError } from '../api/client.ts';
import { copyText } from '../ui/copy-text.ts';
import { formatBytes, formatSeconds, plural } from '../ui/format.ts';
import { Menu } from '../ui/menu.tsx';
import { Empty, ErrorNote, Loading } from '../ui/parts.tsx';
import { toTabbedText } from './cell-values.ts';
import { copyFormats } from './copy-as.ts';
import { type Download, download, downloadFormats } from './download.ts';
import { ResultChart } from './result-chart.tsx';
import { ResultGrid } from './result-grid.tsx';
import { ResultJson } from './result-json.tsx';
import { RunFactsBar } from './run-facts.tsx';
import { ShapeChoice, shapeOf } from './shape-choice.tsx';
import type { RunResult, RunState } from './use-run.ts';
import type { ServiceOrder } from './use-sort.ts';

interface ResultPanelProps {
  readonly run: RunState;
  /** What has to be done before there is anything to show; empty when it is said elsewhere. */
  readonly waiting: string | null;
  /** How others would make this run; absent for a query that is not saved. */
  readonly copied?: Download;
  /** How the rows are sorted; absent where the engine cannot be asked for another order. */
  readonly order?: ServiceOrder;
}

/** The rows of a run as table, chart or JSON, with what they cost. */
export function ResultPanel({ run, waiting, copied, order }: ResultPanelProps) {
  const { result, error, isRunning } = run;
  if (waiting !== null) return waiting === '' ? null : <Empty title={waiting} />;
  if (isRunning && result === undefined) return <Progress run={run} />;
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
          <p>The query ran and found nothing.</p>
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

function ResultMenus({ result, copied }: { result: RunResult; copied: Download | undefined }) {
  const [said, setSaid] = useState('');
  const { columns, rows } = result;
  const copy = async (what: string, text: string) => {
    await copyText(text);
    setSaid(`${what} copied`);
  };
  const rowsItem = {
    label: 'Rows',
    hint: 'for a spreadsheet',
    onSelect: () => void copy('Rows', toTabbedText(columns, rows)),
  };
  const linkItem = {
    label: 'Link',
    hint: 'for a person with a key',
    onSelect: () => void copy('Link', location.href),
  };
  const programs = Object.entries(copyFormats).map(([label, write]) => ({
    label,
    onSelect: () => {
      if (copied !== undefined)
        void copy(label, write({ ...copied, columns, origin: location.origin }));
    },
  }));
  const files = Object.entries(downloadFormats).map(([format, { label, extension }]) => ({
    label,
    hint: `.${extension}`,
    onSelect: () => {
      if (copied === undefined) return;
      setSaid('Preparing the file');
      download(copied, format)
        .then(() => setSaid('Downloaded'))
        .catch((error: ApiError) => setSaid(error.message));
    },
  }));
  return (
    <div className="result-menus">
      <span className="muted small" role="status">
        {said}
      </span>
      <Menu
        label="Copy as"
        icon="copy"
        items={copied === undefined ? [rowsItem] : [linkItem, ...programs, rowsItem]}
      />
      {copied !== undefined && <Menu label="Download" icon="download" items={files} />}
    </div>
  );
}

/** Rows read of the rows that the engine expects to read; it says nothing where nothing is known. */
function Progress({ run: { progress } }: { run: RunState }) {
  if (progress === null) return <Loading lines={8} />;
  const { rowsRead, estimatedRowsTotal, bytesRead, timeElapsed } = progress;
  const isKnown = estimatedRowsTotal > 0;
  return (
    <div className="running" role="status">
      {isKnown ? (
        <progress
          aria-label="Rows read"
          value={Math.min(rowsRead, estimatedRowsTotal)}
          max={estimatedRowsTotal}
        />
      ) : (
        <progress aria-label="Running" />
      )}
      <p className="small muted">
        Read {plural(rowsRead, 'row')}
        {isKnown && ` of about ${plural(estimatedRowsTotal, 'row')}`}, {formatBytes(bytesRead)}, in{' '}
        {formatSeconds(timeElapsed)}
      </p>
    </div>
  );
}
