/** OpenTelemetry's own variables: what is not supported stops the start, rather than have no effect. */
import { describe, expect, it } from 'vitest';
import { readConfig } from '../../src/config/config.ts';

describe('the settings of OpenTelemetry', () => {
  it.each([
    ['OTEL_EXPORTER_OTLP_PROTOCOL', 'grpc', 'http/protobuf'],
    ['OTEL_TRACES_EXPORTER', 'jaeger', 'otlp or none'],
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'collector:4317', 'URL'],
    ['OTEL_EXPORTER_OTLP_COMPRESSION', 'zstd', 'none or gzip'],
    ['OTEL_TRACES_SAMPLER', 'jaeger_remote', 'parentbased_traceidratio'],
    ['OTEL_TRACES_SAMPLER_ARG', '2', 'ratio from 0 to 1'],
    ['OTEL_TRACES_SAMPLER_ARG', 'half', 'ratio from 0 to 1'],
    ['OTEL_RESOURCE_ATTRIBUTES', 'no pair', 'list of name=value'],
    ['OTEL_RESOURCE_ATTRIBUTES', 'a=%', 'list of name=value'],
    ['OTEL_BSP_MAX_QUEUE_SIZE', '0', 'spans'],
    ['OTEL_METRICS_EXPORTER', 'prometheus', 'otlp or none'],
    ['OTEL_EXPORTER_OTLP_METRICS_ENDPOINT', 'collector:4318', 'URL'],
    ['OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE', 'delta', 'cumulative'],
    ['OTEL_METRIC_EXPORT_INTERVAL', '0', 'milliseconds'],
    ['OTEL_METRIC_EXPORT_TIMEOUT', '30s', 'milliseconds'],
  ])('%s=%s is refused, with what is accepted', (name, value, accepted) => {
    expect(() => readConfig({ [name]: value })).toThrow(`${name}=${value}`);
    expect(() => readConfig({ [name]: value })).toThrow(accepted);
  });

  it.each([
    ['0', 0],
    ['1', 1],
    ['1.0', 1],
    ['0.25', 0.25],
    ['.5', 0.5],
  ])('take a ratio of %s', (text, ratio) => {
    expect(readConfig({ OTEL_TRACES_SAMPLER_ARG: text }).traceSamplerRatio).toBe(ratio);
  });

  it('repeat no headers of a collector, which may have its key', () => {
    const read = () => readConfig({ OTEL_EXPORTER_OTLP_HEADERS: 'the-secret-key' });
    expect(read).toThrow('OTEL_EXPORTER_OTLP_HEADERS is not a list');
    expect(read).not.toThrow('the-secret-key');
  });
});
