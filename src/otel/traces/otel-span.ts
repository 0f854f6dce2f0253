import {
  type Attributes,
  type Context,
  type Tracer as OtelTracer,
  type Span as RecordedSpan,
  SpanKind as RecordedSpanKind,
  ROOT_CONTEXT,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';
import { redactKeys } from '../../errors/redact-keys.ts';
import { semantic } from '../../tracing/attributes.ts';
import type { Span, SpanAttributes, SpanKind, SpanStart } from '../../tracing/span.ts';
import { headersOf } from './headers.ts';

const kinds: Readonly<Record<SpanKind, RecordedSpanKind>> = {
  internal: RecordedSpanKind.INTERNAL,
  server: RecordedSpanKind.SERVER,
  client: RecordedSpanKind.CLIENT,
};

/** Removes keys from attributes, wherever a caller may have written one. */
function toValues(attributes: SpanAttributes): Attributes {
  const values: Attributes = {};
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined) continue;
    values[name] = typeof value === 'string' ? redactKeys(value) : value;
  }
  return values;
}

/** Sets the attributes after the sampling decision, which does not read them, because most traces are not sampled. */
export function startSpan(
  tracer: OtelTracer,
  name: string,
  { kind, attributes }: SpanStart,
  context: Context,
): Span {
  const span = new OtelSpan(tracer, tracer.startSpan(name, { kind: kinds[kind] }, context));
  span.set(attributes);
  return span;
}

class OtelSpan implements Span {
  readonly #tracer: OtelTracer;
  readonly #span: RecordedSpan;
  #headers: Readonly<Record<string, string>> | null = null;

  constructor(tracer: OtelTracer, span: RecordedSpan) {
    this.#tracer = tracer;
    this.#span = span;
  }

  get headers(): Readonly<Record<string, string>> {
    this.#headers ??= headersOf(this.#span);
    return this.#headers;
  }

  start(name: string, start: SpanStart): Span {
    return startSpan(this.#tracer, name, start, trace.setSpan(ROOT_CONTEXT, this.#span));
  }

  set(attributes: SpanAttributes): void {
    if (this.#span.isRecording()) this.#span.setAttributes(toValues(attributes));
  }

  rename(name: string): void {
    if (this.#span.isRecording()) this.#span.updateName(redactKeys(name));
  }

  link(to: Span): void {
    if (to instanceof OtelSpan) this.#span.addLink({ context: to.#span.spanContext() });
  }

  /** Without a message, because messages of failed queries may contain values. */
  end(failure?: string): void {
    if (failure !== undefined) {
      this.#span.setAttribute(semantic.errorType, failure);
      this.#span.setStatus({ code: SpanStatusCode.ERROR });
    }
    this.#span.end();
  }
}
