import { CompressionAlgorithm } from '@opentelemetry/otlp-exporter-base';
import type { OTLPExporterNodeConfigBase } from '@opentelemetry/otlp-exporter-base/node-http';
import type { Config } from '../config/config.ts';
import { parsePairs } from './pairs.ts';

const defaultEndpoint = 'http://localhost:4318';

/** How the collector of a signal is reached. */
export function collectorOf(
  config: Config,
  signal: 'traces' | 'metrics',
): OTLPExporterNodeConfigBase {
  return {
    url: urlOf(config, signal),
    headers: parsePairs(config.otlpHeaders),
    timeoutMillis: config.otlpTimeoutMs,
    compression:
      config.otlpCompression === 'gzip' ? CompressionAlgorithm.GZIP : CompressionAlgorithm.NONE,
  };
}

function urlOf(config: Config, signal: 'traces' | 'metrics'): string {
  const own = signal === 'traces' ? config.otlpTracesEndpoint : config.otlpMetricsEndpoint;
  if (own !== '') return own;
  return `${(config.otlpEndpoint || defaultEndpoint).replace(/\/$/, '')}/v1/${signal}`;
}
