/**
 * A unit of work in a trace. Independent of OpenTelemetry, whose packages are loaded only when tracing is on; without
 * tracing there are no spans, and `currentSpan` returns null.
 */
import { AsyncLocalStorage } from 'node:async_hooks';

export type SpanKind = 'internal' | 'server' | 'client';

/** Named by the semantic conventions, see attributes.ts. Undefined ones are omitted. */
export type SpanAttributes = Readonly<Record<string, string | number | boolean | undefined>>;

export interface SpanStart {
  readonly kind: SpanKind;
  readonly attributes: SpanAttributes;
}

export interface Span {
  /** W3C Trace Context headers with which other programs continue the trace. */
  readonly headers: Readonly<Record<string, string>>;
  /** A child span. It may end later than this one. */
  start(name: string, start: SpanStart): Span;
  set(attributes: SpanAttributes): void;
  rename(name: string): void;
  /** Links to the span of work whose result is shared. */
  link(to: Span): void;
  /** @param failure the error code if the work failed. */
  end(failure?: string): void;
}

const spans = new AsyncLocalStorage<Span>();

/** Does the work within the span, without ending it. */
export function withinSpan<T>(span: Span, work: () => T): T {
  return spans.run(span, work);
}

/** Null outside of a trace, and when tracing is off. */
export function currentSpan(): Span | null {
  return spans.getStore() ?? null;
}
