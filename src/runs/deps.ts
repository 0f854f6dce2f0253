import type { Admission } from '../access/admission/admission.ts';
import type { RateLimits } from '../access/rates/rate-limits.ts';
import type { LookupCache } from '../cache/lookup-cache.ts';
import type { AnswerForms } from '../cache/response-bodies.ts';
import type { ResultCache } from '../cache/result-cache.ts';
import type { Config } from '../config/config.ts';
import type { QueryEngine } from '../engine/query-engine.ts';
import type { BackgroundWork } from '../lib/background-work.ts';
import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import type { SingleFlight } from '../lib/single-flight.ts';
import type { ServiceMetrics } from '../metrics/service-metrics.ts';
import type { PlanRequest, PlanResult } from '../model/materialization-plan.ts';
import type { QueryLimits } from '../model/query-limits.ts';
import type { AuditStore } from '../store/audit-store.ts';
import type { EndpointRecord, VersionRecord } from '../store/endpoint-record.ts';
import type { EndpointStore } from '../store/endpoint-store.ts';
import type { ExecutionStore } from '../store/execution-store.ts';
import type { KeyRecord, KeyStore } from '../store/key-store.ts';
import type { MaterializationStore } from '../store/materialization-store.ts';
import type { ProjectStore } from '../store/project-store.ts';
import type { UserStore } from '../store/user-store.ts';
import type { ExecutionRecorder } from './execution-recorder.ts';
import type { Waiters } from './pending-callers.ts';
import type { ComputedResult } from './run-stream.ts';
import type { StreamPlaces } from './stream-slots.ts';

/** Everything the use cases reach: handed in by the composition root, so that tests choose what is real. */
export interface CoreDeps {
  readonly config: Config;
  readonly clock: Clock;
  readonly log: Log;
  readonly engine: QueryEngine;
  readonly audit: AuditStore;
  /** Before the engine: every run takes its place there. */
  readonly admission: Admission;
  /** What holds for projects that have no limits of their own. */
  readonly serverLimits: QueryLimits;
  readonly rates: RateLimits;
  readonly endpoints: EndpointStore;
  readonly executions: ExecutionStore;
  readonly materializations: MaterializationStore;
  /** Decides whether and how a query is materialized. */
  readonly planMaterialization: (request: PlanRequest) => Promise<PlanResult>;
  readonly projects: ProjectStore;
  readonly users: UserStore;
  readonly keys: KeyStore;
  readonly lookups: Lookups;
  readonly results: ResultCache;
  /** Bodies of answers, made of what `results` holds. */
  readonly forms: AnswerForms;
  readonly flights: SingleFlight<ComputedResult>;
  readonly streams: StreamPlaces;
  readonly waiters: Waiters;
  /** Runs that refresh what was answered stale. */
  readonly background: BackgroundWork;
  readonly recorder: ExecutionRecorder;
  readonly metrics: ServiceMetrics;
}

/** Records near at hand for the hot path; other processes' changes reach them through the change feed. */
export interface Lookups {
  /** By the hash of the key. */
  readonly keys: LookupCache<KeyRecord>;
  /** By `endpointKey`. */
  readonly endpoints: LookupCache<EndpointRecord>;
  /** By `versionKey`; versions other than the current one. */
  readonly versions: LookupCache<VersionRecord>;
}

export function endpointKey(projectId: number, name: string): string {
  return `${projectId}/${name}`;
}
