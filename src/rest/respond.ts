import type { RunAnswer } from '../core/run/run-answer.ts';
import { errorStatus, type ServiceError, toErrorBody } from '../domain/errors.ts';

/** An answer of the REST door, before it is written to a socket. */
export interface RestResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: readonly Buffer[];
}

const json = { 'content-type': 'application/json; charset=utf-8' } as const;

export function respondJson(status: number, body: unknown): RestResponse {
  return { status, headers: json, body: [Buffer.from(JSON.stringify(body))] };
}

export function respondEmpty(
  status: number,
  headers: Readonly<Record<string, string>> = {},
): RestResponse {
  return { status, headers, body: [] };
}

export function respondError(error: ServiceError): RestResponse {
  const headers = {
    ...json,
    ...(error.retryAfterSeconds === null ? {} : { 'retry-after': String(error.retryAfterSeconds) }),
    ...(error.status === 401 ? { 'www-authenticate': 'Bearer' } : {}),
  };
  return {
    status: errorStatus[error.code],
    headers,
    body: [Buffer.from(JSON.stringify(toErrorBody(error)))],
  };
}

/** The documented run body around the rows, which pass as the bytes that the engine wrote. */
export function respondRun(run: RunAnswer, ifNoneMatch: string | null): RestResponse {
  const headers = {
    etag: run.etag,
    age: String(run.ageSeconds),
    'cache-control': `private, max-age=${run.maxAgeSeconds}`,
    vary: 'Authorization',
  };
  if (run.debug === null && ifNoneMatch !== null && matchesTag(ifNoneMatch, run.equivalentEtags)) {
    return respondEmpty(304, headers);
  }
  const facts = Buffer.from(`,${JSON.stringify(toRunFacts(run)).slice(1)}`);
  const body = [opening, run.rows, facts];
  if (run.debug !== null)
    return { status: 200, headers: { ...json, 'cache-control': 'no-store' }, body };
  return { status: 200, headers: { ...json, ...headers }, body };
}

const opening = Buffer.from('{"results":');

function matchesTag(header: string, tags: readonly string[]): boolean {
  if (header.trim() === '*') return true;
  return header.split(',').some((tag) => tags.includes(tag.trim().replace(/^W\//, '')));
}

function toRunFacts(run: RunAnswer): object {
  return {
    columns: run.columns.map((column) => column.name),
    types: run.columns.map((column) => [column.name, column.type]),
    hasMore: run.hasMore,
    limit: run.limit,
    offset: run.offset,
    is_cached: run.isCached,
    last_refresh: run.lastRefresh,
    cache_target_age: run.cacheTargetAge,
    next_allowed_client_refresh: run.cacheTargetAge,
    timezone: run.timezone,
    name: run.name,
    endpoint_version: run.version,
    endpoint_version_created_at: run.versionCreatedAt,
    endpoint_materialized: run.materialized,
    endpoint_materialized_at: run.materializedAt,
    execution_id: run.executionId,
    query_status: null,
    ...(run.tellsPath ? { served_from: run.servedFrom, inline_reason: run.inlineReason } : {}),
    ...(run.debug === null ? {} : toDebugFacts(run.debug)),
  };
}

function toDebugFacts(debug: NonNullable<RunAnswer['debug']>): object {
  const { rowsRead, bytesRead, rowsTotal, timeElapsed } = debug.queryProgress;
  return {
    cache_key: debug.cacheKey,
    query: debug.query,
    timings: debug.timings,
    query_progress: {
      active_cpu_time: 0,
      bytes_read: bytesRead,
      estimated_rows_total: rowsTotal,
      rows_read: rowsRead,
      time_elapsed: timeElapsed,
    },
  };
}
