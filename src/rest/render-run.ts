import { bodyName, type ContentEncoding, contentEncodings, encodingFor } from '../http/compress.ts';
import type { HttpResponse } from '../http/message.ts';
import { PreparedHeaders } from '../http/written-headers.ts';
import { andThen, type MaybePromise } from '../lib/maybe-promise.ts';
import type { RunDeps } from '../runs/deps.ts';
import type { RunFreshness, RunResponse } from '../runs/run-response.ts';
import { respondRows } from './render-rows.ts';

const json = { 'content-type': 'application/json; charset=utf-8' } as const;

export function respondJson(status: number, body: unknown): HttpResponse {
  return { status, headers: json, body: [Buffer.from(JSON.stringify(body))] };
}

export function respondEmpty(
  status: number,
  headers: Readonly<Record<string, string>> = {},
): HttpResponse {
  return { status, headers, body: [] };
}

/** What a run's caller takes. */
export interface RunReader {
  readonly ifNoneMatch: string | null;
  readonly acceptEncoding: string | null;
}

/**
 * The documented run body around the rows, which pass as the bytes that the engine wrote. A body follows from its
 * tag, so it is made and compressed once for each; a debug answer has no tag and is made for its caller alone.
 */
export function respondRun(
  run: RunResponse,
  forms: RunDeps['bodies'],
  reader: RunReader,
): MaybePromise<HttpResponse> {
  if (run.stream !== null) return respondRows(run, {});
  if (run.debug !== null) {
    const headers = { ...json, ...staleHeader(run), 'cache-control': 'no-store' };
    return { status: 200, headers, body: toRunBody(run) };
  }
  const { status, headers, head, name, encoding } = startOf(run, reader);
  if (status === 304) return { status, headers, head, body: noBytes, trailers: undefined };
  if (run.format !== 'json') return respondRows(run, headers);
  const { rows, isCached: isRepeated } = run;
  const form =
    forms.find(name, rows) ??
    forms.get({ name, encoding, rows, isRepeated, make: () => toRunBody(run) });
  return andThen(form, (body) => ({ status, headers, head, body, trailers: undefined }));
}

const noBytes: readonly Buffer[] = [];

/** All of a response but its body. */
interface Start extends RunReader {
  readonly status: 200 | 304;
  readonly headers: Readonly<Record<string, string>>;
  readonly head: PreparedHeaders | undefined;
  /** Of its body. */
  readonly name: string;
  readonly encoding: ContentEncoding | null;
}

const starts = new WeakMap<RunResponse, Start>();

/** Kept with an answer from the cache, which many are given, for the reader that asked last. */
function startOf(run: RunResponse, reader: RunReader): Start {
  const known = starts.get(run);
  if (
    known !== undefined &&
    known.ifNoneMatch === reader.ifNoneMatch &&
    known.acceptEncoding === reader.acceptEncoding
  ) {
    return known;
  }
  const start = toStart(run, reader);
  if (run.isCached) starts.set(run, start);
  return start;
}

function toStart(run: RunResponse, { ifNoneMatch, acceptEncoding }: RunReader): Start {
  const encoding = run.format === 'json' ? encodingFor(run.rows.length, acceptEncoding) : null;
  const matched = ifNoneMatch === null ? null : matchingTag(ifNoneMatch, run);
  const shared = {
    etag: matched ?? tagIn(encoding, run.etag),
    age: String(run.ageSeconds),
    'cache-control': `private, max-age=${run.maxAgeSeconds}`,
    vary: 'Authorization, Accept, Accept-Encoding',
    ...staleHeader(run),
  };
  const coded = encoding === null ? undefined : { 'content-encoding': encoding };
  const own = run.format === 'json' ? { ...json, ...shared, ...coded } : shared;
  return {
    ifNoneMatch,
    acceptEncoding,
    status: matched === null ? 200 : 304,
    headers: matched === null ? own : shared,
    head: run.isCached ? new PreparedHeaders() : undefined,
    name: bodyName(run.etag, encoding),
    encoding,
  };
}

function staleHeader({ staleReason }: RunResponse): Readonly<Record<string, string>> | undefined {
  return staleReason === null ? undefined : { 'querydock-stale': staleReason };
}

const opening = Buffer.from('{"results":');

function toRunBody(run: RunResponse): readonly Buffer[] {
  return [opening, run.rows, Buffer.from(`,${JSON.stringify(toRunFacts(run)).slice(1)}`)];
}

/** The same content in another encoding is another representation, with a tag of its own. */
function tagIn(encoding: ContentEncoding | null, tag: string): string {
  return encoding === null ? tag : `${tag.slice(0, -1)}-${encoding}"`;
}

const ENCODED_TAG = new RegExp(`-(?:${contentEncodings.join('|')})"$`);

/**
 * The tag that the caller holds, when its content is that of the answer, in whichever encoding it was sent; null
 * when the caller must get the answer.
 */
function matchingTag(header: string, run: RunResponse): string | null {
  if (header.trim() === '*') return run.etag;
  for (const part of header.split(',')) {
    const tag = part.trim().replace(/^W\//, '');
    if (run.equivalentEtags.includes(tag.replace(ENCODED_TAG, '"'))) return tag;
  }
  return null;
}

function toRunFacts(run: RunResponse): object {
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
    ...(run.reportsPath ? { served_from: run.servedFrom, inline_reason: run.inlineReason } : {}),
    ...(run.reportsStale
      ? { is_stale: run.staleReason !== null, stale_reason: run.staleReason }
      : {}),
    ...(run.debug === null ? {} : toDebugFacts(run.debug)),
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
