import { type GraphQLSchema, parse } from 'graphql';
import { useMemo } from 'react';
import { ResultChart } from '../run/result-chart.tsx';
import { ResultGrid } from '../run/result-grid.tsx';
import { type Shape, ShapeChoice, shapeOf } from '../run/shape-choice.tsx';
import { TextLines } from '../run/text-lines.tsx';
import { formatBytes, formatSeconds, plural } from '../ui/format.ts';
import { Empty, ErrorNote, Fact, Facts, Loading } from '../ui/parts.tsx';
import { useViewParams } from '../ui/use-view-params.ts';
import { indentJson } from './exact-json.ts';
import { type GraphTable, tablesOf } from './graph-tables.ts';
import type { GraphAnswer, GraphError, GraphRun } from './use-graph-run.ts';

interface GraphResultProps {
  readonly run: GraphRun;
  readonly schema: GraphQLSchema | undefined;
}

/** The answer to a document: its lists as tables and charts, and all of it as JSON. */
export function GraphResult({ run, schema }: GraphResultProps) {
  const { request, answer, error, isRunning } = run;
  const tables = useMemo(() => {
    if (schema === undefined || request === null || answer === null) return [];
    const { document, operation } = request;
    return tablesOf({ schema, document: parse(document), operation }, answer.data);
  }, [schema, request, answer]);
  if (error !== null) return <ErrorNote error={error} title="The document was refused" />;
  if (answer === null) return isRunning ? <Loading lines={6} /> : null;
  return (
    <section className="result" aria-label="Result" aria-busy={isRunning && answer.count === 0}>
      {answer.errors.map((one, at) => (
        <ErrorOf key={`${one.path} ${at + 1}`} error={one} />
      ))}
      <Facts>
        <Fact name="Took">{formatSeconds(answer.seconds)}</Fact>
        <Fact name="Size">{formatBytes(new Blob([answer.text]).size)}</Fact>
        {request?.isSubscription === true && (
          <Fact name={isRunning ? 'Followed' : 'Ended'}>{plural(answer.count, 'result')}</Fact>
        )}
      </Facts>
      <Shown answer={answer} tables={tables} />
    </section>
  );
}

function ErrorOf({ error: { message, path, code } }: { error: GraphError }) {
  const title = [path, code].filter((part) => part !== '').join(' · ');
  return <ErrorNote error={{ message }} title={title === '' ? 'Error' : title} />;
}

function Shown({ answer, tables }: { answer: GraphAnswer; tables: readonly GraphTable[] }) {
  const [params, change] = useViewParams();
  const table = tables.find(({ title }) => title === params.get('of')) ?? tables[0];
  const asked = shapeOf(params);
  const shape: Shape = table === undefined ? 'json' : asked;
  const lines = useMemo(
    () => (shape === 'json' ? indentJson(answer.text) : []),
    [shape, answer.text],
  );
  return (
    <div className="panel result-panel">
      <div className="result-bar">
        <ShapeChoice shape={shape} offered={table === undefined ? ['json'] : undefined} />
        {tables.length > 1 && (
          <label className="operation-choice">
            <span className="small muted">Rows of</span>
            <select
              value={table?.title}
              onChange={({ target }) => change((next) => next.set('of', target.value))}
            >
              {tables.map(({ title }) => (
                <option key={title}>{title}</option>
              ))}
            </select>
          </label>
        )}
        {table !== undefined && (
          <span className="muted small">
            {plural(table.rows.length, 'row')}
            {table.hasMore && ' and more'}
          </span>
        )}
      </div>
      {shape === 'json' && <TextLines lines={lines} label="Answer as JSON" />}
      {table !== undefined && shape !== 'json' && <Rows table={table} shape={shape} />}
    </div>
  );
}

function Rows({ table, shape }: { table: GraphTable; shape: Shape }) {
  const { columns, rows, hasMore } = table;
  if (rows.length === 0)
    return (
      <Empty title="No rows">
        <p>The query ran and found nothing.</p>
      </Empty>
    );
  return shape === 'chart' ? (
    <ResultChart columns={columns} rows={rows} />
  ) : (
    <ResultGrid columns={columns} rows={rows} label="Rows" hasMore={hasMore} />
  );
}
