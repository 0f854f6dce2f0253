/** One query whose rows leave the engine while it runs. */
import type { IncomingMessage } from 'node:http';
import { resultTooLarge, ServiceError } from '../../../errors/service-error.ts';
import type { Log } from '../../../lib/log.ts';
import type { StreamFormat } from '../../../model/result-format.ts';
import type { EngineStats, EngineStream, EngineStreamQuery } from '../../query-engine.ts';
import { EngineError } from '../errors/engine-error.ts';
import { translateError } from '../errors/translate-error.ts';
import { cancelled } from '../http/http-client.ts';
import {
  least,
  limitSettings,
  type Session,
  shareSettings,
  takenSettings,
} from '../http/session.ts';
import { readSummary } from '../http/summary.ts';
import { queryProgress, stopQuietly } from '../overruns/running-queries.ts';
import { timedOut } from '../overruns/watched-client.ts';
import { type KnownPlan, mayMisname } from '../query/plan-statement.ts';
import { openRowCounter } from './open-row-counter.ts';
import { readBody } from './response-body.ts';
import { type StreamStatement, streamStatement } from './statement.ts';

export interface StreamDriver {
  readonly session: Session;
  readonly log: Log;
  /** The plan that is kept for the query, if any. */
  readonly knownPlan: (query: EngineStreamQuery) => KnownPlan | undefined;
  readonly makePlan: (query: EngineStreamQuery) => Promise<KnownPlan>;
}

/** How often the engine is asked how far a stream is; its own word of it is sent before the rows. */
const PROGRESS_EVERY_MS = 1000;

export async function streamQuery(
  driver: StreamDriver,
  query: EngineStreamQuery,
  signal: AbortSignal,
): Promise<EngineStream> {
  const known = driver.knownPlan(query);
  if (known !== undefined && !mayMisname(known)) {
    try {
      return await openStream(driver, { query, plan: known, signal });
    } catch (error) {
      // A table may have been replaced since by one with other columns.
      const mayBeOutdated =
        error instanceof ServiceError && /^(query_failed|invalid_input)$/.test(error.code);
      if (!mayBeOutdated) throw error;
    }
  }
  return openStream(driver, { query, plan: await driver.makePlan(query), signal });
}

interface Asked {
  readonly query: EngineStreamQuery;
  readonly plan: KnownPlan;
  readonly signal: AbortSignal;
}

async function openStream(driver: StreamDriver, asked: Asked): Promise<EngineStream> {
  const { query, plan } = asked;
  const statement = streamStatement(plan.statement, plan.columns, query.format);
  const incoming = await send(driver, asked, statement);
  return toStream(driver, { ...asked, statement, incoming });
}

/** The first rows come within the time that any query has; only taking them may last longer. */
async function send(
  driver: StreamDriver,
  { query, plan, signal }: Asked,
  { text }: StreamStatement,
): Promise<IncomingMessage> {
  const { client, connection, config } = driver.session;
  const deadline = AbortSignal.timeout(config.queryTimeoutSeconds * 1000);
  try {
    const { incoming } = await client.send({
      login: connection.credentials(query.projectId, 'reader'),
      sql: text,
      params: query.params,
      settings: {
        ...streamSettings(driver, query),
        ...takenSettings(driver.session, query.projectId, plan.blockSettings),
      },
      queryId: query.queryId,
      timeoutMs: config.streamTimeoutSeconds * 1000,
      execution: {
        projectId: query.projectId,
        limitSeconds: least(config.streamTimeoutSeconds, query.limits?.executionSeconds),
      },
      signal: AbortSignal.any([signal, deadline]),
      repeatable: true,
      isStreamed: true,
    });
    if (incoming === undefined) throw new Error('the engine’s answer is no stream');
    return incoming;
  } catch (error) {
    const failure = toFailure(error, query);
    if (failure.code === 'query_cancelled') stopQuietly(driver, query.queryId);
    throw deadline.aborted && !signal.aborted ? timedOut() : failure;
  }
}

function toStream(
  driver: StreamDriver,
  opened: Asked & { readonly statement: StreamStatement; readonly incoming: IncomingMessage },
): EngineStream {
  const { query, statement, incoming } = opened;
  const counter = openRowCounter(query.format);
  const totals = { bytes: 0, stats: readSummary(incoming.headers['x-clickhouse-summary']) };
  const stopWatching = watch(driver, opened, (stats) => {
    totals.stats = stats;
  });

  const { maxStreamBytes } = driver.session.config;
  const mostBytes = least(maxStreamBytes, query.limits?.resultBytes);

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
        if (totals.bytes > mostBytes) throw resultTooLarge();
        counter.push(chunk);
        yield chunk;
      }
      end(true);
    } catch (error) {
      throw toFailure(error, query);
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

/** Ends the stream with its caller or its time, and asks how far it is. */
function watch(
  driver: StreamDriver,
  { query, incoming, signal }: Asked & { readonly incoming: IncomingMessage },
  onProgress: (stats: EngineStats) => void,
): () => void {
  const onAbort = () => incoming.destroy(cancelled());
  if (signal.aborted) onAbort();
  signal.addEventListener('abort', onAbort, { once: true });
  const { streamTimeoutSeconds } = driver.session.config;
  const late = setTimeout(() => incoming.destroy(timedOut()), streamTimeoutSeconds * 1000);
  const asking = setInterval(() => {
    queryProgress(driver.session, query.queryId)
      .then((stats) => stats !== null && onProgress(stats))
      .catch(() => undefined);
  }, PROGRESS_EVERY_MS);
  asking.unref();
  return () => {
    signal.removeEventListener('abort', onAbort);
    clearTimeout(late);
    clearInterval(asking);
  };
}

function toFailure(error: unknown, { projectId }: EngineStreamQuery): ServiceError {
  if (isBeyondNanoseconds(error)) {
    const detail =
      'The result has a time after 2262-04-11, which this format cannot hold as nanoseconds: return it with at most 6 decimals, or ask for another format.';
    return new ServiceError('query_failed', detail, { cause: error });
  }
  return translateError(error, { fault: 'query_failed', projectId });
}

const OUT_OF_RANGE = 321;
const DECIMAL_OVERFLOW = 407;

/** Arrow and Parquet have no unit between microseconds and nanoseconds, so 7 decimals have less room than in the engine. */
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

function streamSettings(
  { session }: StreamDriver,
  query: EngineStreamQuery,
): Readonly<Record<string, string>> {
  return {
    ...shareSettings(session, query.projectId, query.share),
    ...limitSettings(session, query.projectId, query.limits),
    ...ownSettings(session, query),
    default_format: formats[query.format],
    buffer_size: String(query.wholeWithinBytes),
    offset: String(query.offset),
    ...(query.limit === null ? {} : { limit: String(query.limit) }),
    date_time_output_format: 'iso',
    output_format_json_quote_64bit_integers: query.integers === 'string' ? '1' : '0',
    output_format_json_quote_decimals: '1',
    output_format_json_quote_denormals: '0',
    output_format_json_escape_forward_slashes: '0',
    output_format_json_validate_utf8: '1',
    output_format_decimal_trailing_zeros: '1',
  };
}

/** What a user that an operator made does not take: its own limits hold then, and the engine's own forms. */
function ownSettings(
  session: Session,
  { projectId, limits }: EngineStreamQuery,
): Readonly<Record<string, string>> {
  if (session.fixedProjects.has(projectId)) return {};
  const { maxStreamBytes, streamTimeoutSeconds } = session.config;
  return {
    max_execution_time: String(least(streamTimeoutSeconds, limits?.executionSeconds)),
    max_result_bytes: String(least(maxStreamBytes, limits?.resultBytes)),
    format_csv_null_representation: '',
    output_format_csv_crlf_end_of_line: '1',
    output_format_arrow_compression_method: 'none',
  };
}
