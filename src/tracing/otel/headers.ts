/** Trace contexts in headers, as W3C Trace Context writes them. */
import { type Context, ROOT_CONTEXT, type Span, trace } from '@opentelemetry/api';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import { containsKey } from '../../errors/redact-keys.ts';
import type { TraceHeaders } from '../tracer.ts';

const propagator = new W3CTraceContextPropagator();

/** The context of the caller; that of a new trace when there is none, or it is malformed. */
export function contextOf(headers: TraceHeaders | undefined): Context {
  if (headers === undefined) return ROOT_CONTEXT;
  return propagator.extract(ROOT_CONTEXT, headers, {
    keys: () => propagator.fields(),
    // A key that somebody sends in a wrong place is passed on to nobody.
    get: (given: TraceHeaders, name) => {
      const value = given.get(name);
      return value === null || containsKey(value) ? undefined : value;
    },
  });
}

/** For requests that are made in the span. */
export function headersOf(span: Span): Readonly<Record<string, string>> {
  const headers: Record<string, string> = {};
  propagator.inject(trace.setSpan(ROOT_CONTEXT, span), headers, {
    set: (carrier: Record<string, string>, name, value) => {
      if (value !== '') carrier[name] = value;
    },
  });
  return headers;
}
