import { type ExportResult, ExportResultCode } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import type { SpanExporter } from '@opentelemetry/sdk-trace';
import type { Config } from '../../config/config.ts';
import type { Log } from '../../lib/log.ts';
import { collectorOf } from '../collector.ts';

/** Minimum interval between logged failures. */
const reportEveryMs = 60_000;

/**
 * Sends batches by OTLP over HTTP. Spans that a collector does not accept are dropped, which is logged once a minute.
 */
export function openExporter(config: Config, log: Log): SpanExporter {
  const exporter = new OTLPTraceExporter(collectorOf(config, 'traces'));
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
