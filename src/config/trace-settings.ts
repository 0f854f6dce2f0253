/** OpenTelemetry's settings of traces. Tracing is off without an endpoint or `otlp`. */
import { z } from 'zod';
import { setting, urlOf, wholeNumber } from './setting.ts';

const samplers = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const;

export type TraceSampler = (typeof samplers)[number];

export const traceSettings = {
  tracesExporter: setting<'' | 'otlp' | 'none'>(
    'OTEL_TRACES_EXPORTER',
    'otlp or none',
    '',
    z.enum(['otlp', 'none'], 'is not a supported exporter'),
    'otlp turns tracing on, none off. Empty: on if there is an endpoint.',
  ),
  otlpTracesEndpoint: setting<string>(
    'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT',
    'URL',
    '',
    urlOf('http:', 'https:'),
    'The collector of traces, used unchanged. Empty: OTEL_EXPORTER_OTLP_ENDPOINT.',
  ),
  traceSampler: setting<TraceSampler>(
    'OTEL_TRACES_SAMPLER',
    samplers.join(', '),
    'parentbased_always_on',
    z.enum(samplers, 'is not a sampler'),
    'Which traces are recorded.',
  ),
  traceSamplerRatio: setting<number>(
    'OTEL_TRACES_SAMPLER_ARG',
    'ratio from 0 to 1',
    1,
    z
      .string()
      .regex(/^(?:0|1|0?\.\d+|1\.0+|0\.\d*)$/, 'is not a number from 0 to 1')
      .transform(Number),
    'For the samplers with traceidratio: the share of traces that is recorded.',
  ),
  traceDelayMs: setting<number>(
    'OTEL_BSP_SCHEDULE_DELAY',
    'milliseconds',
    5000,
    wholeNumber(1, 600_000),
    'How long spans wait for others before they are sent.',
  ),
  traceExportTimeoutMs: setting<number>(
    'OTEL_BSP_EXPORT_TIMEOUT',
    'milliseconds',
    30_000,
    wholeNumber(1, 600_000),
    'The time after which a batch is abandoned.',
  ),
  traceQueueSpans: setting<number>(
    'OTEL_BSP_MAX_QUEUE_SIZE',
    'spans',
    2048,
    wholeNumber(1, 1_000_000),
    'Spans that wait in memory; further ones are dropped.',
  ),
  traceBatchSpans: setting<number>(
    'OTEL_BSP_MAX_EXPORT_BATCH_SIZE',
    'spans',
    512,
    wholeNumber(1, 1_000_000),
    'Spans in one batch.',
  ),
} as const;
