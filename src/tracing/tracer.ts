import type { Span, SpanStart } from './span.ts';

/** Begins traces and continues those of callers. */
export interface Tracer {
  /**
   * @param headers of a request: the trace that they name is continued, with its decision whether it is sampled. A new one
   * begins without them, or if they are malformed.
   */
  begin(name: string, start: SpanStart & { readonly headers?: TraceHeaders }): Span;
  /** Work in progress whose result others may share, by its key: they link to its span. */
  readonly shared: Map<string, Span>;
  /** Exports what waits, for as long as the settings allow. Never rejects. */
  close(): Promise<void>;
}

export interface TraceHeaders {
  get(name: string): string | null;
}
