/** OpenTelemetry's own environment variables that are supported: those that traces and metrics share. */
import { z } from 'zod';
import { type Setting, setting, trueOrFalse, urlOf, wholeNumber } from './setting.ts';

/** `name=value,name=value` with percent-encoded values, as in W3C Baggage. */
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

export const otelSettings = {
  otelDisabled: setting<boolean>(
    'OTEL_SDK_DISABLED',
    'true or false',
    false,
    trueOrFalse,
    'Exports neither traces nor metrics, whatever else is set.',
  ),
  otlpEndpoint: setting<string>(
    'OTEL_EXPORTER_OTLP_ENDPOINT',
    'URL',
    '',
    urlOf('http:', 'https:'),
    'The collector; /v1/traces or /v1/metrics is appended to its path.',
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
    'How traces and metrics are sent.',
  ),
  otlpCompression: setting<'none' | 'gzip'>(
    'OTEL_EXPORTER_OTLP_COMPRESSION',
    'none or gzip',
    'none',
    z.enum(['none', 'gzip'], 'is not a supported compression'),
    'How requests to the collector are compressed.',
  ),
  otlpTimeoutMs: setting<number>(
    'OTEL_EXPORTER_OTLP_TIMEOUT',
    'milliseconds',
    10_000,
    wholeNumber(1, 600_000),
    'How long the collector may take for a request, including all attempts.',
  ),
  otelService: setting<string>(
    'OTEL_SERVICE_NAME',
    'text',
    'querydock',
    z.string(),
    'The name of the service in traces and metrics.',
  ),
  otelResource: {
    ...setting<string>(
      'OTEL_RESOURCE_ATTRIBUTES',
      'list of name=value',
      '',
      pairs,
      'Additional attributes of the service.',
    ),
    mayHaveBlanks: true,
  },
} as const;
