import { type GraphQLSchema, parse } from 'graphql';
import { useMemo } from 'react';
import { ReadingProgress } from '../run/reading-progress.tsx';
import { ResultChart } from '../run/result-chart.tsx';
import { ResultGrid } from '../run/result-grid.tsx';
import { useRequestProgress } from '../run/run-progress.ts';
import { type Shape, ShapeChoice, shapeOf } from '../run/shape-choice.tsx';
import { TextLines } from '../run/text-lines.tsx';
import { formatBytes, formatSeconds, plural } from '../ui/format.ts';
import { Empty, ErrorNote, Fact, Facts, Loading } from '../ui/parts.tsx';
import { useViewParams } from '../ui/use-view-params.ts';
import { type GraphOrder, orderOf } from './graph-order.ts';
import { type GraphTable, type ResponseContext, tablesOf } from './graph-tables.ts';
import { indentJson } from './indent-json.ts';
import type { GraphRequest } from './send-graph.ts';
import type { GraphError, GraphResponse, GraphRun } from './use-graph-run.ts';

interface GraphResultProps {
  readonly project: string;
  readonly run: GraphRun;
  readonly schema: GraphQLSchema | undefined;
  /** Sends the same request again with another row order in its document. */
  readonly onOrder: (document: string) => void;
}

/** The response to a document: its lists as tables and charts, and all of it as JSON. */
export function GraphResult({ project, run, schema, onOrder }: GraphResultProps) {
  const { latest, request, response, error, isRunning, waitingFor } = run;
  const progress = useRequestProgress(project, waitingFor ?? '', waitingFor !== null);
  const tables = useMemo(() => {
    if (schema === undefined || request === null || response === null) return [];
    const shown = contextOf(schema, request);
    if (shown === null) return [];
    // A click that comes before the rows in the order of the click before refers to that order.
    const text = (latest ?? request).document;
    const ordered = contextOf(schema, latest ?? request);
    return tablesOf(shown, response.data).map((table) => ({
      ...table,
      order: ordered === null ? null : orderOf(ordered, table, text),
    }));
  }, [schema, latest, request, response]);
  if (error !== null) return <ErrorNote error={error} title="The document was rejected" />;
  const reading = progress === null ? null : <ReadingProgress progress={progress} />;
  if (response === null) return isRunning ? (reading ?? <Loading lines={6} />) : null;
  return (
    <section className="result" aria-label="Result" aria-busy={waitingFor !== null}>
      {reading}
      {response.errors.map((one, at) => (
        <ErrorOf key={`${one.path} ${at + 1}`} error={one} />
      ))}
      <Facts>
        <Fact name="Took">{formatSeconds(response.seconds)}</Fact>
        <Fact name="Size">{formatBytes(new Blob([response.text]).size)}</Fact>
        {request?.isSubscription === true && (
          <Fact name={isRunning ? 'Followed' : 'Ended'}>{plural(response.count, 'result')}</Fact>
        )}
      </Facts>
      <Shown {...{ response, tables, onOrder }} />
    </section>
  );
}

/** Null for a document that is not GraphQL, which can be sent before it is checked. */
function contextOf(
  schema: GraphQLSchema,
  { document, operation }: GraphRequest,
): ResponseContext | null {
  try {
    return { schema, document: parse(document), operation };
  } catch {
    return null;
  }
}

function ErrorOf({ error: { message, path, code } }: { error: GraphError }) {
  const title = [path, code].filter((part) => part !== '').join(' · ');
  return <ErrorNote error={{ message }} title={title === '' ? 'Error' : title} />;
}

interface OrderedTable extends GraphTable {
  readonly order: GraphOrder | null;
}

interface ShownProps extends Pick<GraphResultProps, 'onOrder'> {
  readonly response: GraphResponse;
  readonly tables: readonly OrderedTable[];
}

function Shown({ response, tables, onOrder }: ShownProps) {
  const [params, change] = useViewParams();
  const table = tables.find(({ title }) => title === params.get('of')) ?? tables[0];
  const requested = shapeOf(params);
  const shape: Shape = table === undefined ? 'json' : requested;
  const lines = useMemo(
    () => (shape === 'json' ? indentJson(response.text) : []),
    [shape, response.text],
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
              onChange={({ target }) =>
                change((next) => {
                  next.set('of', target.value);
                  // The local order is that of one table's columns.
                  next.delete('sort');
                })
              }
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
            {table.hasMore === true && ' and more'}
          </span>
        )}
      </div>
      {shape === 'json' && <TextLines lines={lines} label="Answer as JSON" />}
      {table !== undefined && shape !== 'json' && <Rows {...{ table, shape, onOrder }} />}
    </div>
  );
}

interface RowsProps extends Pick<GraphResultProps, 'onOrder'> {
  readonly table: OrderedTable;
  readonly shape: Shape;
}

function Rows({ table, shape, onOrder }: RowsProps) {
  const { columns, rows, hasMore, order } = table;
  if (rows.length === 0)
    return (
      <Empty title="No rows">
        <p>The query returned no rows.</p>
      </Empty>
    );
  if (shape === 'chart') return <ResultChart columns={columns} rows={rows} />;
  const requested =
    order === null
      ? undefined
      : { ...order, onChange: (next: readonly string[]) => onOrder(order.write(next)) };
  return <ResultGrid {...{ columns, rows, hasMore, order: requested }} label="Rows" />;
}
