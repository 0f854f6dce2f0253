/**
 * One piece of work in a trace. Nothing here knows OpenTelemetry: its packages are loaded only where tracing is on, and
 * without it there are no spans, so that whoever does work asks for the current one and finds none.
 */
import { AsyncLocalStorage } from 'node:async_hooks';

export type SpanKind = 'internal' | 'server' | 'client';

/** By the names of the semantic conventions, see attributes.ts. Undefined ones are left out. */
export type SpanAttributes = Readonly<Record<string, string | number | boolean | undefined>>;

export interface SpanStart {
  readonly kind: SpanKind;
  readonly attributes: SpanAttributes;
}

export interface Span {
  /** Headers by which other programs continue the trace, as W3C Trace Context has them. */
  readonly headers: Readonly<Record<string, string>>;
  /** Work that is part of this. It may end later. */
  start(name: string, start: SpanStart): Span;
  set(attributes: SpanAttributes): void;
  rename(name: string): void;
  /** Names work whose result is shared. */
  link(to: Span): void;
  /** @param failure the code of an error, by which the work failed. */
  end(failure?: string): void;
}

const spans = new AsyncLocalStorage<Span>();

/** Does the work as part of the span, which it does not end. */
export function withinSpan<T>(span: Span, work: () => T): T {
  return spans.run(span, work);
}

/** Null outside of a trace, and where tracing is off. */
export function currentSpan(): Span | null {
  return spans.getStore() ?? null;
}
