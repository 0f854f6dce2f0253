import type { Span, SpanStart } from './span.ts';

/** Starts traces and continues those of callers. */
export interface Tracer {
  /**
   * @param headers a request's headers: continues their trace, with its sampling decision. Without them, or if they are
   * malformed, a new trace starts.
   */
  begin(name: string, start: SpanStart & { readonly headers?: TraceHeaders }): Span;
  /** Work in progress whose result others may share, by key: they link to its span. */
  readonly shared: Map<string, Span>;
  /** Exports pending spans, within the time that the settings allow. Never rejects. */
  close(): Promise<void>;
}

export interface TraceHeaders {
  get(name: string): string | null;
}
