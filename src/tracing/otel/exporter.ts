import { type ExportResult, ExportResultCode } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { CompressionAlgorithm } from '@opentelemetry/otlp-exporter-base';
import type { SpanExporter } from '@opentelemetry/sdk-trace';
import type { Config } from '../../config/config.ts';
import type { Log } from '../../lib/log.ts';
import { parsePairs } from './pairs.ts';

const defaultEndpoint = 'http://localhost:4318';
/** Failures are logged this often at most. */
const reportEveryMs = 60_000;

/** Sends batches by OTLP over HTTP. What a collector does not take is dropped, and the log says so once a minute. */
export function openExporter(config: Config, log: Log): SpanExporter {
  const { otlpCompression, otlpTimeoutMs: timeoutMillis, otlpHeaders } = config;
  const compression =
    otlpCompression === 'gzip' ? CompressionAlgorithm.GZIP : CompressionAlgorithm.NONE;
  const url = endpointOf(config);
  const headers = parsePairs(otlpHeaders);
  const exporter = new OTLPTraceExporter({ url, headers, timeoutMillis, compression });
  const report = openReport(log);
  return {
    export(spans, done) {
      exporter.export(spans, (result) => {
        if (result.code !== ExportResultCode.SUCCESS) report(spans.length, result);
        done({ code: ExportResultCode.SUCCESS });
      });
    },
    forceFlush: () => exporter.forceFlush(),
    shutdown: () => exporter.shutdown(),
  };
}

function endpointOf({ otlpEndpoint, otlpTracesEndpoint }: Config): string {
  if (otlpTracesEndpoint !== '') return otlpTracesEndpoint;
  return `${(otlpEndpoint || defaultEndpoint).replace(/\/$/, '')}/v1/traces`;
}

function openReport(log: Log): (spans: number, result: ExportResult) => void {
  let lost = 0;
  let nextAt = 0;
  return (spans, { error }) => {
    lost += spans;
    const now = performance.now();
    if (now < nextAt) return;
    log.warn({ spans: lost, reason: error?.message.slice(0, 300) }, 'traces could not be exported');
    lost = 0;
    nextAt = now + reportEveryMs;
  };
}
