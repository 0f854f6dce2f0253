/** Renders a run in a format other than JSON: the rows are the body, and the other facts are in headers. */
import type { HttpResponse } from '../http/message.ts';
import { contentTypes } from '../model/result-format.ts';
import type { RunResponse } from '../runs/run-response.ts';
import type { RunStream } from '../runs/run-stream.ts';

/** @param freshness the caching headers, for a response that is held in memory. */
export function respondRows(
  run: RunResponse,
  freshness: Readonly<Record<string, string>>,
): HttpResponse {
  const facts = { 'content-type': contentTypes[run.format], ...toFactHeaders(run) };
  if (run.stream !== null)
    return respondStream(run.stream, { ...facts, vary: 'Authorization, Accept' });
  const headers = {
    ...facts,
    ...freshness,
    'querydock-has-more': String(run.hasMore),
    'querydock-rows': String(run.rowCount),
    ...(run.nextCursor === null ? {} : { 'querydock-next-cursor': run.nextCursor }),
  };
  return { status: 200, headers, body: [run.rows] };
}

/** Facts that are known only after the last row are sent as trailers, which an incomplete response lacks. */
function respondStream(stream: RunStream, facts: Readonly<Record<string, string>>): HttpResponse {
  const { knownHasMore } = stream;
  const inAdvance = knownHasMore === null ? {} : { 'querydock-has-more': String(knownHasMore) };
  return {
    status: 200,
    headers: {
      ...facts,
      ...inAdvance,
      'cache-control': 'no-store',
      trailer: 'Querydock-Has-More, Querydock-Rows, Querydock-Next-Cursor',
    },
    body: toPieces(stream.chunks),
    trailers() {
      const end = stream.end();
      return {
        ...(end === null ? {} : { 'querydock-has-more': String(end.hasMore) }),
        ...(end === null || end.nextCursor === null
          ? {}
          : { 'querydock-next-cursor': end.nextCursor }),
        ...(end === null || end.rowCount === null
          ? {}
          : { 'querydock-rows': String(end.rowCount) }),
      };
    },
  };
}

function toPieces(chunks: RunStream['chunks']): AsyncIterable<readonly Buffer[]> {
  return {
    [Symbol.asyncIterator]: () => ({
      async next() {
        const { done, value } = await chunks.next();
        return done === true ? { done, value: undefined } : { value: [value] };
      },
      async return() {
        await chunks.return?.();
        return { done: true, value: undefined };
      },
    }),
  };
}

function toFactHeaders(run: RunResponse): Readonly<Record<string, string>> {
  return {
    'querydock-execution-id': run.executionId,
    'querydock-endpoint-version': String(run.version),
    'querydock-served-from': run.servedFrom,
    'querydock-is-cached': String(run.isCached),
    'querydock-last-refresh': run.lastRefresh.toISOString(),
    'querydock-materialized': String(run.materialized),
    ...(run.inlineReason === null ? {} : { 'querydock-inline-reason': run.inlineReason }),
    ...(run.staleReason === null ? {} : { 'querydock-stale': run.staleReason }),
  };
}

/** Of all responses of runs, for browsers to expose to their pages. */
export const factHeaderNames = [
  'Querydock-Execution-Id',
  'Querydock-Endpoint-Version',
  'Querydock-Served-From',
  'Querydock-Is-Cached',
  'Querydock-Last-Refresh',
  'Querydock-Materialized',
  'Querydock-Inline-Reason',
  'Querydock-Stale',
  'Querydock-Has-More',
  'Querydock-Rows',
  'Querydock-Next-Cursor',
] as const;
