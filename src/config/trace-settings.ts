/** OpenTelemetry's own environment variables, of which these are supported. Tracing is off without an endpoint or `otlp`. */
import { z } from 'zod';
import { type Setting, setting, trueOrFalse, urlOf, wholeNumber } from './setting.ts';

const samplers = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const;

export type TraceSampler = (typeof samplers)[number];

/** `name=value,name=value`, values percent-encoded, as W3C Baggage has it. */
const pairs = z
  .string()
  .refine(
    (text) => text === '' || text.split(',').every((pair) => isPair(pair.trim())),
    'is not a list of name=value, separated by commas, with percent-encoded values',
  );

function isPair(pair: string): boolean {
  if (pair === '') return true;
  try {
    return decodeURIComponent(pair).indexOf('=') > 0;
  } catch {
    return false;
  }
}

const secret = (made: Setting<string>): Setting<string> => ({ ...made, isSecret: true });

export const traceSettings = {
  tracesDisabled: setting<boolean>(
    'OTEL_SDK_DISABLED',
    'true or false',
    false,
    trueOrFalse,
    'Turns tracing off, whatever else is set.',
  ),
  tracesExporter: setting<'' | 'otlp' | 'none'>(
    'OTEL_TRACES_EXPORTER',
    'otlp or none',
    '',
    z.enum(['otlp', 'none'], 'is not a supported exporter'),
    'otlp turns tracing on, none off. Empty: on if there is an endpoint.',
  ),
  otlpEndpoint: setting<string>(
    'OTEL_EXPORTER_OTLP_ENDPOINT',
    'URL',
    '',
    urlOf('http:', 'https:'),
    'The collector of traces, to whose path /v1/traces is added.',
  ),
  otlpTracesEndpoint: setting<string>(
    'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT',
    'URL',
    '',
    urlOf('http:', 'https:'),
    'The same as it stands, in its place.',
  ),
  otlpHeaders: secret(
    setting<string>(
      'OTEL_EXPORTER_OTLP_HEADERS',
      'list of name=value',
      '',
      pairs,
      'Headers that the collector requires. Never printed.',
    ),
  ),
  otlpProtocol: setting<'http/protobuf'>(
    'OTEL_EXPORTER_OTLP_PROTOCOL',
    'http/protobuf',
    'http/protobuf',
    z.enum(['http/protobuf'], 'is not a supported protocol'),
    'How traces are sent.',
  ),
  otlpCompression: setting<'none' | 'gzip'>(
    'OTEL_EXPORTER_OTLP_COMPRESSION',
    'none or gzip',
    'none',
    z.enum(['none', 'gzip'], 'is not a supported compression'),
    'How batches of spans are compressed.',
  ),
  otlpTimeoutMs: setting<number>(
    'OTEL_EXPORTER_OTLP_TIMEOUT',
    'milliseconds',
    10_000,
    wholeNumber(1, 600_000),
    'How long the collector may take for a batch, attempts included.',
  ),
  traceService: setting<string>(
    'OTEL_SERVICE_NAME',
    'text',
    'querydock',
    z.string(),
    'The name of the service in traces.',
  ),
  traceResource: setting<string>(
    'OTEL_RESOURCE_ATTRIBUTES',
    'list of name=value',
    '',
    pairs,
    'Further attributes of the service.',
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
    'Of the samplers with traceidratio: the share of traces that is recorded.',
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
    'After this a batch is given up.',
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
    'Spans of one batch.',
  ),
} as const;
