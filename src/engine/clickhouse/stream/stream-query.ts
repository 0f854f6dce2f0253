/** Streams the rows of one query while it runs. */
import type { IncomingMessage } from 'node:http';
import { ServiceError } from '../../../errors/service-error.ts';
import type { StreamFormat } from '../../../model/result-format.ts';
import type { EngineStats } from '../../engine-stats.ts';
import type { EngineStream, EngineStreamQuery } from '../../query-engine.ts';
import { EngineError } from '../errors/engine-error.ts';
import { failure } from '../errors/failures.ts';
import { translateError } from '../errors/translate-error.ts';
import type { Settings } from '../http/request-message.ts';
import { asReader, lowerOf, messageContext, querySettings, type Session } from '../http/session.ts';
import { readSummary } from '../http/summary.ts';
import { queryProgress, stopQuietly } from '../overruns/running-queries.ts';
import { valueSettings } from '../query/output-settings.ts';
import { mayBeOutdated, mayMisname } from '../query/plan-statement.ts';
import type { CheckedPlan } from '../query/plans.ts';
import type { Driver } from '../query/run-query.ts';
import { runSelected, type Selected, selectedColumns } from '../select/run-selection.ts';
import { readBody } from './response-body.ts';
import { openRowCounter } from './row-counter.ts';
import { type StreamStatement, streamStatement, toStreamStatement } from './stream-statement.ts';

/** Poll interval for a stream's statistics; the summary in the headers comes before the rows. */
const PROGRESS_INTERVAL_MS = 1000;

export async function streamQuery(
  driver: Driver,
  query: EngineStreamQuery,
  signal: AbortSignal,
): Promise<EngineStream> {
  const { plans } = driver;
  const { selection } = query;
  if (selection) {
    return runSelected(driver, { ...query, selection }, (selected) => {
      const statement = selectedStatement(selected, query.format);
      const own = { ...query, params: { ...query.params, ...selected.clauses.params } };
      return openStream(driver, { query: own, plan: selected.plan, statement, signal });
    });
  }
  const cached = plans.find(query);
  if (cached !== undefined) await plans.requireValues(cached, query);
  if (cached !== undefined && !mayMisname(cached)) {
    try {
      return await openStream(driver, await planStream(driver, { query, plan: cached, signal }));
    } catch (error) {
      if (!mayBeOutdated(error)) throw error;
    }
  }
  const plan = await plans.make(query, query.fault ?? 'query_failed');
  if (query.fault === 'invalid_query') await plans.requireValues(plan, query);
  return openStream(driver, await planStream(driver, { query, plan, signal }));
}

async function planStream(
  { times }: Driver,
  { query, plan, signal }: Pick<PlannedStream, 'query' | 'plan' | 'signal'>,
): Promise<PlannedStream> {
  const bound = await times.bind(plan, query);
  const statement = streamStatement(bound.plan.statement, plan.columns, query.format);
  return { query: { ...query, params: bound.params }, plan, statement, signal };
}

function selectedStatement(selected: Selected, format: StreamFormat): StreamStatement {
  const { selection, clauses } = selected;
  const columns = selectedColumns(selected);
  const values = selection.positions.map((position) => clauses.names[position] ?? '');
  return toStreamStatement({ columns, values, clauses: clauses.clauses }, format);
}

interface PlannedStream {
  readonly query: EngineStreamQuery;
  readonly plan: CheckedPlan;
  readonly statement: StreamStatement;
  readonly signal: AbortSignal;
}

interface OpenedStream extends PlannedStream {
  readonly incoming: IncomingMessage;
}

async function openStream(driver: Driver, planned: PlannedStream): Promise<EngineStream> {
  const incoming = await send(driver, planned);
  return toStream(driver, { ...planned, incoming });
}

/** The first rows have to arrive within the normal query time limit; only reading the rest may take longer. */
async function send(
  driver: Driver,
  { query, plan, statement, signal }: PlannedStream,
): Promise<IncomingMessage> {
  const { session, times } = driver;
  const { queryTimeoutSeconds, streamTimeoutSeconds } = session.config;
  const deadline = AbortSignal.timeout(queryTimeoutSeconds * 1000);
  try {
    const { incoming } = await asReader(session, query.projectId, {
      sql: statement.text,
      params: query.params,
      searchesNull: plan.searchesNull,
      settings: streamSettings(session, query, plan),
      queryId: query.queryId,
      limitSeconds: lowerOf(streamTimeoutSeconds, query.limits?.executionSeconds),
      signal: AbortSignal.any([signal, deadline]),
      isStreamed: true,
    });
    if (incoming === undefined) throw new Error('the engine’s response is no stream');
    return incoming;
  } catch (error) {
    const failed = await times.explain(toFailure(driver, query, error), plan, query);
    if (failed.code === 'query_cancelled') stopQuietly(driver, query.queryId);
    throw deadline.aborted && !signal.aborted ? failure('timeout') : failed;
  }
}

function toStream(driver: Driver, opened: OpenedStream): EngineStream {
  const { query, statement, incoming } = opened;
  const counter = openRowCounter(query.format);
  const totals = { bytes: 0, stats: readSummary(incoming.headers['x-clickhouse-summary']) };
  const stopWatching = watch(driver, opened, (stats) => {
    totals.stats = stats;
  });
  const maxBytes = lowerOf(driver.session.config.maxStreamBytes, query.limits?.resultBytes);

  let isEnded = false;
  function end(isWhole: boolean): void {
    if (isEnded) return;
    isEnded = true;
    stopWatching();
    incoming.destroy();
    if (!isWhole) stopQuietly(driver, query.queryId);
  }

  async function* chunks(): AsyncGenerator<Buffer, void> {
    try {
      for await (const chunk of readBody(incoming)) {
        totals.bytes += chunk.length;
        if (totals.bytes > maxBytes) throw failure('tooLarge');
        counter.push(chunk);
        yield chunk;
      }
      end(true);
    } catch (error) {
      throw toFailure(driver, query, error);
    } finally {
      end(false);
    }
  }
  return {
    columns: statement.columns,
    chunks: chunks(),
    totals: () => ({ ...totals, rowCount: counter.count() }),
    cancel: () => end(false),
  };
}

/** Ends the stream when its caller leaves or its time limit is reached, and polls its statistics. */
function watch(
  { session }: Driver,
  { query, incoming, signal }: OpenedStream,
  onProgress: (stats: EngineStats) => void,
): () => void {
  const onAbort = () => incoming.destroy(failure('cancelled'));
  if (signal.aborted) onAbort();
  signal.addEventListener('abort', onAbort, { once: true });
  const onTimeout = () => incoming.destroy(failure('timeout'));
  const timeout = setTimeout(onTimeout, session.config.streamTimeoutSeconds * 1000);
  const polling = setInterval(() => {
    queryProgress(session, query.queryId)
      .then((stats) => stats !== null && onProgress(stats))
      .catch(() => undefined);
  }, PROGRESS_INTERVAL_MS);
  polling.unref();
  return () => {
    signal.removeEventListener('abort', onAbort);
    clearTimeout(timeout);
    clearInterval(polling);
  };
}

function toFailure(
  { session }: Driver,
  { projectId, sql }: EngineStreamQuery,
  error: unknown,
): ServiceError {
  if (isBeyondNanoseconds(error)) {
    const detail =
      'The result contains a time after 2262-04-11, which this format cannot represent in nanoseconds: return it with at most 6 fractional digits, or request another format.';
    return new ServiceError('query_failed', detail, { cause: error });
  }
  const context = messageContext(session, projectId);
  return translateError(error, { ...context, fault: 'query_failed', written: sql });
}

const OUT_OF_RANGE = 321;
const DECIMAL_OVERFLOW = 407;

/**
 * Arrow and Parquet have no unit between microseconds and nanoseconds, so 7 decimals cover a shorter range than in the
 * engine.
 */
function isBeyondNanoseconds(error: unknown): error is EngineError {
  if (!(error instanceof EngineError)) return false;
  const { code, message } = error;
  if (code === OUT_OF_RANGE) return message.includes('out of range for Parquet timestamp');
  return code === DECIMAL_OVERFLOW && message.includes('While executing Arrow');
}

const formats = {
  ndjson: 'JSONEachRow',
  csv: 'CSVWithNames',
  arrow: 'ArrowStream',
  parquet: 'Parquet',
} as const satisfies Record<StreamFormat, string>;

/** For `form: arrays`, which only changes NDJSON. */
const arrayFormats = { ...formats, ndjson: 'JSONCompactEachRow' } as const;

const csvSettings: Settings = {
  format_csv_null_representation: '',
  output_format_csv_crlf_end_of_line: '1',
};

function streamSettings(session: Session, query: EngineStreamQuery, plan: CheckedPlan): Settings {
  const { maxStreamBytes, streamTimeoutSeconds } = session.config;
  const { limits, limit } = query;
  return {
    // A user with limits set by the operator accepts none of these: its own limits and the engine's CSV defaults apply.
    ...querySettings(session, query, {
      max_execution_time: String(lowerOf(streamTimeoutSeconds, limits?.executionSeconds)),
      max_result_bytes: String(lowerOf(maxStreamBytes, limits?.resultBytes)),
      // They also apply to CSV that the query writes with `formatRow`.
      ...(query.format === 'csv' ? csvSettings : {}),
      output_format_arrow_compression_method: 'none',
      ...plan.blockSettings,
    }),
    default_format:
      query.selection?.form === 'arrays' ? arrayFormats[query.format] : formats[query.format],
    buffer_size: String(query.wholeWithinBytes),
    offset: String(query.offset),
    ...(limit === null ? {} : { limit: String(limit) }),
    ...valueSettings(query.integers),
  };
}
