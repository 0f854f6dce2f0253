import type { Lookups } from '../cache/lookups.ts';
import type { Config } from '../config/config.ts';
import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import type { ServiceMetrics } from '../metrics/service-metrics.ts';
import type { QueryLimits } from '../model/query-limits.ts';
import type { AuditStore } from '../store/audit-store.ts';
import type { KeyStore } from '../store/key-store.ts';
import type { ProjectStore } from '../store/project-store.ts';
import type { UserStore } from '../store/user-store.ts';
import type { Admission } from './admission/admission.ts';
import type { RateLimits } from './rates/rate-limits.ts';

/** What the use cases of access reach. Each room adds its own to what those below it have; the composition root hands in all. */
export interface AccessDeps {
  readonly config: Config;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: ServiceMetrics;
  readonly audit: AuditStore;
  readonly keys: KeyStore;
  readonly projects: ProjectStore;
  readonly users: UserStore;
  readonly lookups: Lookups;
  readonly rates: RateLimits;
  /** Before the engine: every run takes its slot there. */
  readonly admission: Admission;
  /** What holds for projects that have no limits of their own. */
  readonly serverLimits: QueryLimits;
  readonly recorder: KeyUseRecorder;
}

export interface KeyUseRecorder {
  recordKeyUse(keyId: string, at: Date): void;
}
