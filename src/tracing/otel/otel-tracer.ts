/** Traces by OpenTelemetry's SDK. Loaded only where tracing is on. */
import { setTimeout as delay } from 'node:timers/promises';
import { BatchSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import type { Config } from '../../config/config.ts';
import type { Log } from '../../lib/log.ts';
import type { Tracer } from '../tracer.ts';
import { openExporter } from './exporter.ts';
import { contextOf } from './headers.ts';
import { startSpan } from './otel-span.ts';
import { resourceOf } from './resource.ts';
import { samplerOf } from './sampler.ts';

/** How long the end of the process waits for the last batch. */
const lastFlushMs = 3000;
/** Longer values of attributes are cut. */
const maxValueLength = 1000;

export function openOtelTracer(config: Config, log: Log): Tracer {
  const provider = new TracerProvider({
    sampler: samplerOf(config),
    resource: resourceOf(config),
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
    async close() {
      const waited = new AbortController();
      const last = provider.shutdown().catch(() => undefined);
      const limit = delay(lastFlushMs, undefined, { signal: waited.signal }).catch(() => undefined);
      await Promise.race([last, limit]);
      waited.abort();
    },
  };
}
