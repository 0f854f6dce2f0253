/** Traces by OpenTelemetry's SDK. Loaded only when tracing is on. */
import type { Resource } from '@opentelemetry/resources';
import { BatchSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import type { Config } from '../../config/config.ts';
import type { Log } from '../../lib/log.ts';
import type { Tracer } from '../../tracing/tracer.ts';
import { lastFlush } from '../last-flush.ts';
import { openExporter } from './exporter.ts';
import { contextOf } from './headers.ts';
import { startSpan } from './otel-span.ts';
import { samplerOf } from './sampler.ts';

/** Longer attribute values are truncated. */
const maxValueLength = 1000;

export function openOtelTracer(config: Config, log: Log, resource: Resource): Tracer {
  const provider = new TracerProvider({
    sampler: samplerOf(config),
    resource,
    spanLimits: { attributeValueLengthLimit: maxValueLength },
    spanProcessors: [
      new BatchSpanProcessor({
        exporter: openExporter(config, log),
        maxQueueSize: config.traceQueueSpans,
        maxExportBatchSize: Math.min(config.traceBatchSpans, config.traceQueueSpans),
        scheduledDelayMillis: config.traceDelayMs,
        exportTimeoutMillis: config.traceExportTimeoutMs,
      }),
    ],
  });
  const tracer = provider.getTracer('querydock');
  return {
    shared: new Map(),
    begin: (name, { headers, ...start }) => startSpan(tracer, name, start, contextOf(headers)),
    close: () => lastFlush(provider.shutdown()),
  };
}
