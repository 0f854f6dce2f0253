/** Trace contexts in headers, in the W3C Trace Context format. */
import { type Context, ROOT_CONTEXT, type Span, trace } from '@opentelemetry/api';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import { containsKey } from '../../errors/redact-keys.ts';
import type { TraceHeaders } from '../../tracing/tracer.ts';

const propagator = new W3CTraceContextPropagator();

/** The caller's context; a new trace when there is none, or it is malformed. */
export function contextOf(headers: TraceHeaders | undefined): Context {
  if (headers === undefined) return ROOT_CONTEXT;
  return propagator.extract(ROOT_CONTEXT, headers, {
    keys: () => propagator.fields(),
    // A key sent in the wrong header must not be passed on.
    get: (given: TraceHeaders, name) => {
      const value = given.get(name);
      return value === null || containsKey(value) ? undefined : value;
    },
  });
}

/** Headers for requests made within the span. */
export function headersOf(span: Span): Readonly<Record<string, string>> {
  const headers: Record<string, string> = {};
  propagator.inject(trace.setSpan(ROOT_CONTEXT, span), headers, {
    set: (carrier: Record<string, string>, name, value) => {
      if (value !== '') carrier[name] = value;
    },
  });
  return headers;
}
