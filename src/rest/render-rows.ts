/** Renders a run in a format other than JSON: the rows are the body, and all other facts are headers. */
import { encodingForStream } from '../http/compress.ts';
import { compressChunks } from '../http/compress-stream.ts';
import type { HttpResponse } from '../http/message.ts';
import type { ResponseBody } from '../http/response-body.ts';
import { contentTypes, isCompressible } from '../model/result-format.ts';
import type { RunResponse } from '../runs/run-response.ts';
import type { RunStream } from '../runs/run-stream.ts';

type Headers = Readonly<Record<string, string>>;

/** The response to a run held in memory. `headers`: caching and encoding. */
export function respondRows(run: RunResponse, headers: Headers, body: ResponseBody): HttpResponse {
  const facts = {
    'content-type': contentTypes[run.format],
    ...toFactHeaders(run),
    ...headers,
    'querydock-has-more': String(run.hasMore),
    'querydock-rows': String(run.rowCount),
    ...(run.nextCursor === null ? {} : { 'querydock-next-cursor': run.nextCursor }),
  };
  return { status: 200, headers: facts, body };
}

/** The response to a run that is still streaming, compressed on the fly if the caller accepts that. */
export function respondStream(
  run: RunResponse,
  stream: RunStream,
  acceptEncoding: string | null,
): HttpResponse {
  const encoding = isCompressible(run.format) ? encodingForStream(acceptEncoding) : null;
  const facts = {
    'content-type': contentTypes[run.format],
    ...toFactHeaders(run),
    ...(encoding === null ? {} : { 'content-encoding': encoding }),
  };
  const { chunks } = stream;
  const pieces = encoding === null ? toPieces(chunks) : compressChunks(chunks, encoding);
  return toStreamResponse(stream, facts, pieces);
}

/** Facts known only after the last row are sent as trailers, which an incomplete response lacks. */
function toStreamResponse(stream: RunStream, facts: Headers, pieces: Pieces): HttpResponse {
  const { knownHasMore } = stream;
  const inAdvance = knownHasMore === null ? {} : { 'querydock-has-more': String(knownHasMore) };
  return {
    status: 200,
    headers: {
      ...facts,
      ...inAdvance,
      'cache-control': 'no-store',
      vary: 'Authorization, Accept, Accept-Encoding',
      trailer: 'Querydock-Has-More, Querydock-Rows, Querydock-Next-Cursor',
    },
    body: { [Symbol.asyncIterator]: () => pieces },
    outcome: stream.outcome,
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

type Pieces = AsyncIterator<readonly Buffer[], void>;

function toPieces(chunks: RunStream['chunks']): Pieces {
  return {
    async next() {
      const { done, value } = await chunks.next();
      return done === true ? { done, value: undefined } : { value: [value] };
    },
    async return() {
      await chunks.return?.();
      return { done: true, value: undefined };
    },
  };
}

function toFactHeaders(run: RunResponse): Headers {
  return {
    'querydock-execution-id': run.executionId,
    ...(run.isSaved ? { 'querydock-endpoint-version': String(run.version) } : {}),
    'querydock-served-from': run.servedFrom,
    'querydock-is-cached': String(run.isCached),
    'querydock-last-refresh': run.lastRefresh.toISOString(),
    ...(run.isSaved ? { 'querydock-materialized': String(run.materialized) } : {}),
    ...(run.inlineReason === null ? {} : { 'querydock-inline-reason': run.inlineReason }),
    ...(run.staleReason === null ? {} : { 'querydock-stale': run.staleReason }),
  };
}

/** Headers of run responses that browsers may expose to their pages. */
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
