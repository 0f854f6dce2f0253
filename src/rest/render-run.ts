import { bodyName, encodingFor } from '../http/compress.ts';
import { matchingTag, tagIn } from '../http/conditional.ts';
import type { HttpResponse } from '../http/message.ts';
import type { Accepted, Rendering } from '../http/rendering.ts';
import { PreparedHeaders } from '../http/written-headers.ts';
import { andThen, type MaybePromise } from '../lib/maybe-promise.ts';
import { isCompressible } from '../model/result-format.ts';
import type { RunDeps } from '../runs/deps.ts';
import { type Render, renderingOf } from '../runs/prepared-runs.ts';
import type { RunFreshness, RunResponse } from '../runs/run-response.ts';
import { respondRows, respondStream } from './render-rows.ts';

const json = { 'content-type': 'application/json; charset=utf-8' } as const;

export function respondEmpty(status: number): HttpResponse {
  return { status, headers: {}, body: [] };
}

/** The caller's accepted representations, and how to render one. */
export interface RunRenderer extends Accepted {
  readonly render: Render;
}

/**
 * The documented run body around the engine's row bytes. Bodies are built and compressed once per ETag; a debug
 * response has none and is built only for its caller.
 */
export function respondRun(
  run: RunResponse,
  bodies: RunDeps['bodies'],
  reader: RunRenderer,
): MaybePromise<HttpResponse> {
  if (run.stream !== null) return respondStream(run, run.stream, reader.acceptEncoding);
  if (run.debug !== null) {
    const headers = { ...json, ...staleHeader(run), 'cache-control': 'no-store' };
    return { status: 200, headers, body: toRunBody(run) };
  }
  const {
    status,
    headers,
    head,
    bodyName: name,
    encoding,
  } = renderingOf(run, reader, reader.render);
  if (status === 304) return { status, headers, head, body: noBytes, trailers: undefined };
  const { rows, format, isCached: isRepeated } = run;
  if (format !== 'json' && encoding === null) return respondRows(run, headers, [rows]);
  const make = () => (format === 'json' ? toRunBody(run) : [rows]);
  const body = bodies.find(name, rows) ?? bodies.get({ name, encoding, rows, isRepeated, make });
  if (format !== 'json') return andThen(body, (bytes) => respondRows(run, headers, bytes));
  return andThen(body, (bytes) => ({ status, headers, head, body: bytes, trailers: undefined }));
}

const noBytes: readonly Buffer[] = [];

export function renderRun(run: RunResponse, { ifNoneMatch, acceptEncoding }: Accepted): Rendering {
  const isWorthwhile = isCompressible(run.format);
  const encoding = isWorthwhile ? encodingFor(run.rows.length, acceptEncoding) : null;
  const matched = matchingTag(ifNoneMatch, run);
  const shared = {
    ...(run.isSaved ? toFreshnessHeaders(run, matched ?? tagIn(encoding, run.etag)) : notStored),
    vary: 'Authorization, Accept, Accept-Encoding',
    ...staleHeader(run),
  };
  const coded = encoding === null ? undefined : { 'content-encoding': encoding };
  const own = { ...(run.format === 'json' ? json : {}), ...shared, ...coded };
  return {
    status: matched === null ? 200 : 304,
    headers: matched === null ? own : shared,
    head: run.renderingSlot === null ? undefined : new PreparedHeaders(),
    bodyName: bodyName(run.etag, encoding),
    encoding,
  };
}

/**
 * For a run whose query string or body bypasses the result cache: intermediate caches must not serve it without
 * revalidation either.
 */
export function renderForced(run: RunResponse, accepted: Accepted): Rendering {
  const rendering = renderRun(run, accepted);
  if (!run.isSaved) return rendering;
  const headers = { ...rendering.headers, 'cache-control': 'private, no-cache' };
  return { ...rendering, headers };
}

/** The rows of an unsaved query must be current, so the response is not cached. */
const notStored = { 'cache-control': 'no-store' } as const;

function toFreshnessHeaders(run: RunResponse, etag: string): Readonly<Record<string, string>> {
  return {
    etag,
    age: String(run.ageSeconds),
    'cache-control': `private, max-age=${run.maxAgeSeconds}`,
  };
}

function staleHeader({ staleReason }: RunResponse): Readonly<Record<string, string>> | undefined {
  return staleReason === null ? undefined : { 'querydock-stale': staleReason };
}

const opening = Buffer.from('{"results":');

/** The documented body of a run in JSON. */
export function toRunBody(run: RunResponse): readonly Buffer[] {
  return [opening, run.rows, Buffer.from(`,${JSON.stringify(toRunFacts(run)).slice(1)}`)];
}

function toRunFacts(run: RunResponse): object {
  return {
    columns: run.columns.map((column) => column.name),
    types: run.columns.map((column) => [column.name, column.type]),
    hasMore: run.hasMore,
    limit: run.limit,
    offset: run.offset,
    next_cursor: run.nextCursor,
    is_cached: run.isCached,
    last_refresh: run.lastRefresh,
    cache_target_age: run.cacheTargetAge,
    next_allowed_client_refresh: run.cacheTargetAge,
    timezone: run.timezone,
    ...(run.isSaved ? toEndpointFacts(run) : {}),
    execution_id: run.executionId,
    query_status: null,
    ...(run.reportsPath ? { served_from: run.servedFrom, inline_reason: run.inlineReason } : {}),
    ...(run.reportsStale
      ? { is_stale: run.staleReason !== null, stale_reason: run.staleReason }
      : {}),
    ...(run.debug === null ? {} : toDebugFacts(run.debug)),
  };
}

function toEndpointFacts(run: RunResponse): object {
  return {
    name: run.name,
    endpoint_version: run.version,
    endpoint_version_created_at: run.versionCreatedAt,
    endpoint_materialized: run.materialized,
    endpoint_materialized_at: run.materializedAt,
  };
}

function toDebugFacts(debug: NonNullable<RunResponse['debug']>): object {
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
    ...(debug.freshness === null ? {} : { freshness: toFreshnessFacts(debug.freshness) }),
  };
}

function toFreshnessFacts(freshness: RunFreshness): object {
  return {
    max_age_seconds: freshness.maxAgeSeconds,
    stale_while_revalidate_seconds: freshness.staleWhileRevalidateSeconds,
    stale_if_error_seconds: freshness.staleIfErrorSeconds,
    age_seconds: freshness.ageSeconds,
    stale_for_seconds: freshness.staleForSeconds,
  };
}
