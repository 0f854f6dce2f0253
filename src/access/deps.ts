import type { Lookups } from '../cache/lookups.ts';
import type { Config } from '../config/config.ts';
import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import type { ServiceMetrics } from '../metrics/service-metrics.ts';
import type { QueryLimits } from '../model/query-limits.ts';
import type { AuditStore } from '../store/audit-store.ts';
import type { KeyStore } from '../store/key-store.ts';
import type { ProjectStore } from '../store/project-store.ts';
import type { SignInStore } from '../store/sign-in-store.ts';
import type { UserStore } from '../store/user-store.ts';
import type { Tracer } from '../tracing/tracer.ts';
import type { Admission } from './admission/admission.ts';
import type { RateLimits } from './rates/rate-limits.ts';

/** The dependencies of access's use cases. Each room adds its own; the composition root provides all of them. */
export interface AccessDeps {
  readonly config: Config;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: ServiceMetrics;
  /** Null when tracing is off. */
  readonly tracer: Tracer | null;
  readonly audit: AuditStore;
  readonly keys: KeyStore;
  readonly projects: ProjectStore;
  readonly users: UserStore;
  readonly signIns: SignInStore;
  readonly lookups: Lookups;
  readonly rates: RateLimits;
  /** Every run takes a slot here before it goes to the engine. */
  readonly admission: Admission;
  /** Limits of projects without their own. */
  readonly serverLimits: QueryLimits;
  readonly recorder: KeyUseRecorder;
}

export interface KeyUseRecorder {
  recordKeyUse(keyId: string, at: Date): void;
}
