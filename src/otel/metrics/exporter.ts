import { ExportResultCode } from '@opentelemetry/core';
import { OTLPExporterBase } from '@opentelemetry/otlp-exporter-base';
import {
  convertLegacyHttpOptions,
  createOtlpHttpExportDelegate,
} from '@opentelemetry/otlp-exporter-base/node-http';
import {
  MetricsExporterMetricsHelper,
  ProtobufMetricsSerializer,
} from '@opentelemetry/otlp-transformer';
import type { PushMetricExporter, ResourceMetrics } from '@opentelemetry/sdk-metrics';
import type { Config } from '../../config/config.ts';
import type { Log } from '../../lib/log.ts';
import { collectorOf } from '../collector.ts';

/** Sends metrics by OTLP over HTTP. Logs when the collector stops accepting them, and when it accepts them again. */
export function openMetricExporter(config: Config, log: Log): PushMetricExporter {
  const exporter = openOtlpExporter(config);
  let isUnavailable = false;
  return {
    export(metrics, done) {
      exporter.export(metrics, ({ code, error }) => {
        const hasFailed = code !== ExportResultCode.SUCCESS;
        if (hasFailed && !isUnavailable)
          log.warn({ reason: error?.message.slice(0, 300) }, 'metrics could not be exported');
        if (!hasFailed && isUnavailable) log.info({}, 'metrics are exported again');
        isUnavailable = hasFailed;
        done({ code: ExportResultCode.SUCCESS });
      });
    },
    forceFlush: () => exporter.forceFlush(),
    shutdown: () => exporter.shutdown(),
  };
}

/** What OTLPMetricExporter is made of, which has no release for the version of the trace exporter. */
function openOtlpExporter(config: Config): OTLPExporterBase<ResourceMetrics> {
  const options = convertLegacyHttpOptions(
    collectorOf(config, 'metrics'),
    'METRICS',
    'v1/metrics',
    {
      'Content-Type': 'application/x-protobuf',
    },
  );
  return new OTLPExporterBase(
    createOtlpHttpExportDelegate(
      options,
      ProtobufMetricsSerializer,
      'otlp_http_metric_exporter',
      MetricsExporterMetricsHelper,
      undefined,
    ),
  );
}
