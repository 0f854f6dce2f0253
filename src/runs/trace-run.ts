/** The trace span of a run, for either interface. It contains no values of variables. */
import { toServiceError } from '../errors/service-error.ts';
import type { MaybePromise } from '../lib/maybe-promise.ts';
import { own } from '../tracing/attributes.ts';
import { currentSpan, type Span, withinSpan } from '../tracing/span.ts';
import type { Tracer } from '../tracing/tracer.ts';
import type { RunCall } from './prepared-runs.ts';
import type { RunResponse } from './run-response.ts';
import { unsavedName } from './unsaved-query.ts';

/** Does the work within a span; starts a new trace when no request is waiting for it. */
export function withinRunSpan(
  tracer: Tracer,
  { call, projectId }: { readonly call: RunCall; readonly projectId: number },
  work: () => MaybePromise<RunResponse>,
): MaybePromise<RunResponse> {
  const span = start(tracer, call, projectId);
  try {
    const response = withinSpan(span, work);
    if (!(response instanceof Promise)) return finishSpan(span, response);
    return response.then(
      (ended) => finishSpan(span, ended),
      (error: unknown) => failed(span, error),
    );
  } catch (error) {
    return failed(span, error);
  }
}

function start(tracer: Tracer, { name, via, isLive }: RunCall, projectId: number): Span {
  const attributes = {
    [own.project]: projectId,
    [own.endpoint]: name === unsavedName ? undefined : name.slice(0, 128),
    [own.interface]: isLive === true ? 'live' : via,
  };
  const about = { kind: 'internal', attributes } as const;
  const spanName = name === unsavedName ? 'query' : 'run';
  return currentSpan()?.start(spanName, about) ?? tracer.begin(spanName, about);
}

/** A stream counts as part of the run until its last byte. */
function finishSpan(span: Span, response: RunResponse): RunResponse {
  const { servedFrom, isCached, staleReason, inlineReason, stream } = response;
  span.set({
    [own.version]: response.isSaved ? response.version : undefined,
    [own.servedFrom]: servedFrom,
    [own.cache]: staleReason !== null ? 'stale' : isCached ? 'hit' : 'miss',
    [own.inlineReason]: inlineReason ?? undefined,
    [own.executionId]: response.executionId,
    [own.rows]: stream === null ? response.rowCount : undefined,
  });
  if (stream === null) span.end();
  else void stream.outcome.then((outcome) => span.end(outcome === 'ok' ? undefined : outcome));
  return response;
}

function failed(span: Span, error: unknown): never {
  span.end(toServiceError(error).code);
  throw error;
}

/**
 * Work shared by concurrent identical runs belongs to the trace of the run that began it. The spans of the others link
 * to that one.
 *
 * @param join starts the work with `lead`, or joins work in progress.
 */
export function joinTraced<T>(
  tracer: Tracer | null,
  flight: string,
  join: (lead: <R>(work: () => Promise<R>) => Promise<R>) => Promise<T>,
): Promise<T> {
  const span = tracer === null ? null : currentSpan();
  if (tracer === null || span === null) return join((work) => work());
  let leads = false;
  const joined = join((work) => {
    leads = true;
    tracer.shared.set(flight, span);
    return work().finally(() => {
      if (tracer.shared.get(flight) === span) tracer.shared.delete(flight);
    });
  });
  const leader = leads ? undefined : tracer.shared.get(flight);
  if (leader !== undefined) {
    span.link(leader);
    span.set({ [own.joined]: true });
  }
  return joined;
}
