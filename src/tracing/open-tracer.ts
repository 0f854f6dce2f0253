import type { Config } from '../config/config.ts';
import type { Log } from '../lib/log.ts';
import type { Tracer } from './tracer.ts';

/** Null when tracing is off; its packages are then not loaded. */
export async function openTracer(config: Config, log: Log): Promise<Tracer | null> {
  if (!isOn(config)) return null;
  const { openOtelTracer } = await import('./otel/otel-tracer.ts');
  return openOtelTracer(config, log);
}

function isOn(config: Config): boolean {
  if (config.tracesDisabled || config.tracesExporter === 'none') return false;
  const hasEndpoint = config.otlpEndpoint !== '' || config.otlpTracesEndpoint !== '';
  return hasEndpoint || config.tracesExporter === 'otlp';
}
