import type { Config } from '../config/config.ts';
import type { Tracer } from '../tracing/tracer.ts';
import type { TelemetryDeps } from './deps.ts';
import type { MetricExport } from './metrics/metric-export.ts';

/** What is sent to a collector. */
export interface Telemetry {
  /** Null when tracing is off. */
  readonly tracer: Tracer | null;
  /** Exports pending spans and the final metrics, within 3 seconds. Never rejects. */
  close(): Promise<void>;
}

/** Loads OpenTelemetry's packages only for what is exported. */
export async function openTelemetry(deps: TelemetryDeps): Promise<Telemetry> {
  const { config, log } = deps;
  const withTraces = isOn(config, config.tracesExporter, config.otlpTracesEndpoint);
  const withMetrics = isOn(config, config.metricsExporter, config.otlpMetricsEndpoint);
  let tracer: Tracer | null = null;
  let metrics: MetricExport | null = null;
  if (withTraces || withMetrics) {
    const { resourceOf } = await import('./resource.ts');
    const resource = resourceOf(config);
    if (withTraces) {
      const { openOtelTracer } = await import('./traces/otel-tracer.ts');
      tracer = openOtelTracer(config, log, resource);
    }
    if (withMetrics) {
      const { openMetricExport } = await import('./metrics/metric-export.ts');
      metrics = openMetricExport({ ...deps, resource });
    }
  }
  return {
    tracer,
    async close() {
      await Promise.all([tracer?.close(), metrics?.close()]);
    },
  };
}

/** @param endpoint of this signal alone. */
function isOn(config: Config, exporter: '' | 'otlp' | 'none', endpoint: string): boolean {
  if (config.otelDisabled || exporter === 'none') return false;
  return exporter === 'otlp' || config.otlpEndpoint !== '' || endpoint !== '';
}
