/** OpenTelemetry's settings of metrics. They are not exported without an endpoint or `otlp`. */
import { z } from 'zod';
import { setting, urlOf, wholeNumber } from './setting.ts';

export const metricExportSettings = {
  metricsExporter: setting<'' | 'otlp' | 'none'>(
    'OTEL_METRICS_EXPORTER',
    'otlp or none',
    '',
    z.enum(['otlp', 'none'], 'is not a supported exporter'),
    'otlp exports metrics, none does not. Empty: exports them if there is an endpoint. /metrics is always served.',
  ),
  otlpMetricsEndpoint: setting<string>(
    'OTEL_EXPORTER_OTLP_METRICS_ENDPOINT',
    'URL',
    '',
    urlOf('http:', 'https:'),
    'The collector of metrics, used unchanged. Empty: OTEL_EXPORTER_OTLP_ENDPOINT.',
  ),
  metricTemporality: setting<'cumulative'>(
    'OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE',
    'cumulative',
    'cumulative',
    z.enum(['cumulative'], 'is not a supported temporality'),
    'Counters and histograms are exported as totals since the start of the process.',
  ),
  metricExportIntervalMs: setting<number>(
    'OTEL_METRIC_EXPORT_INTERVAL',
    'milliseconds',
    60_000,
    wholeNumber(1, 86_400_000),
    'The time between two exports.',
  ),
  metricExportTimeoutMs: setting<number>(
    'OTEL_METRIC_EXPORT_TIMEOUT',
    'milliseconds',
    30_000,
    wholeNumber(1, 600_000),
    'The time after which an export is abandoned; never more than the interval.',
  ),
} as const;
