import type { Config } from '../config/config.ts';
import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import type { MetricRegistry } from '../metrics/registry.ts';

export interface TelemetryDeps {
  readonly config: Config;
  readonly log: Log;
  readonly registry: MetricRegistry;
  readonly clock: Clock;
}
