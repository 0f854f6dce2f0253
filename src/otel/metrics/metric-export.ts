/** Exports the registry's metrics by OpenTelemetry's SDK. Loaded only when metrics are exported. */
import type { Resource } from '@opentelemetry/resources';
import {
  MeterProvider,
  type MetricProducer,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics';
import type { TelemetryDeps } from '../deps.ts';
import { lastFlush } from '../last-flush.ts';
import { openMetricExporter } from './exporter.ts';
import { openConversion } from './to-metric-data.ts';

export interface MetricExport {
  /** Exports the metrics a last time, within 3 seconds. Never rejects. */
  close(): Promise<void>;
}

export function openMetricExport(
  deps: TelemetryDeps & { readonly resource: Resource },
): MetricExport {
  const { config, log, resource } = deps;
  const { metricExportIntervalMs, metricExportTimeoutMs } = config;
  const reader = new PeriodicExportingMetricReader({
    exporter: openMetricExporter(config, log),
    exportIntervalMillis: metricExportIntervalMs,
    exportTimeoutMillis: Math.min(metricExportTimeoutMs, metricExportIntervalMs),
    metricProducers: [openProducer(deps, resource)],
  });
  const provider = new MeterProvider({ resource, readers: [reader] });
  return { close: () => lastFlush(provider.shutdown()) };
}

function openProducer({ registry, clock }: TelemetryDeps, resource: Resource): MetricProducer {
  const convert = openConversion(clock.now());
  return {
    async collect() {
      const metrics = registry.read((read) => convert(read, clock.now()));
      const scopeMetrics = [{ scope: { name: 'querydock' }, metrics: [...metrics] }];
      return { resourceMetrics: { resource, scopeMetrics }, errors: [] };
    },
  };
}
