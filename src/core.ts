/** Shared by both interfaces: stores, caches, limits and the run pipeline, on top of the backends. */
import { availableParallelism } from 'node:os';
import { openAdmission } from './access/admission/admission.ts';
import { serverLimits } from './access/effective-limits.ts';
import { openRateLimits } from './access/rates/rate-limits.ts';
import { openSharedRates } from './access/rates/shared-rates.ts';
import { type Backends, openRowLoads } from './backends.ts';
import { openGraphFieldMemo } from './cache/graph-field-memo.ts';
import { openLookups } from './cache/open-lookups.ts';
import { openResponseBodies } from './cache/response-bodies.ts';
import { openResultCache } from './cache/result-cache.ts';
import { openShapeMemo } from './cache/shape-memo.ts';
import type { Redis } from './cache/shared/redis.ts';
import {
  openSharedResults,
  type SharedResults,
  type SharedTimes,
} from './cache/shared/shared-results.ts';
import type { Config } from './config/config.ts';
import { openColumnWatch } from './endpoints/column-watch.ts';
import { openBackgroundWork } from './lib/background-work.ts';
import { type Clock, monotonicMs } from './lib/clock.ts';
import type { Log } from './lib/log.ts';
import { openSingleFlight } from './lib/single-flight.ts';
import type { MeasuredMs } from './materialization/deps.ts';
import { type EligibilityOptions, openEligibility } from './materialization/eligibility.ts';
import { openPlanner } from './materialization/open-planner.ts';
import type { MetricRegistry } from './metrics/registry.ts';
import {
  defineEndpointMetrics,
  defineServiceMetrics,
  type ServiceMetrics,
} from './metrics/service-metrics.ts';
import type { RunDeps } from './runs/deps.ts';
import { openExecutionRecorder } from './runs/execution-recorder.ts';
import { openFilterTypesMemo } from './runs/filter-types-memo.ts';
import { openPendingCallers } from './runs/pending-callers.ts';
import { openPreparedRuns } from './runs/prepared-runs.ts';
import { recordLateWork } from './runs/record-execution.ts';
import { openStreamSlots } from './runs/stream-slots.ts';
import { openAdviceStore } from './store/advice-store.ts';
import { openAuditStore } from './store/audit-store.ts';
import { openEndpointStore } from './store/endpoint-store.ts';
import { openExecutionLogStore } from './store/execution-log.ts';
import { openExecutionStore } from './store/execution-store.ts';
import { openKeyStore } from './store/key-store.ts';
import { openMaterializationStore } from './store/materialization-store.ts';
import { openProjectStore } from './store/project-store.ts';
import { openSavedVariableStore } from './store/saved-variable-store.ts';
import { openSignInStore } from './store/sign-in-store.ts';
import { openUsageStore } from './store/usage-store.ts';
import { openUserStore } from './store/user-store.ts';
import type { Tracer } from './tracing/tracer.ts';
import { openMeasuredGains } from './usage/advice/measured-gains.ts';
import { openWorkCollector } from './usage/logged-work.ts';
import { openUsageRecorder } from './usage/usage-recorder.ts';

export interface CoreOptions {
  readonly config: Config;
  readonly log: Log;
  readonly backends: Backends;
  readonly clock: Clock;
  /** Redis, if processes share it; null otherwise. */
  readonly redis: Redis | null;
  /** The id of the metadata database; only read with Redis. */
  readonly deployment: string;
  /** Null when tracing is off. */
  readonly tracer: Tracer | null;
  readonly sharedTimes?: Partial<SharedTimes> | undefined;
  /** A monotonic clock in milliseconds. */
  readonly nowMs?: (() => number) | undefined;
  /** Absent for this build's planner. */
  readonly planMaterialization?: EligibilityOptions['planner'] | undefined;
  /** Absent for durations as the engine's clock has them. */
  readonly measuredMs?: MeasuredMs | undefined;
}

export function openCore(given: CoreOptions, registry: MetricRegistry): RunDeps {
  const { config, log, clock, backends, redis, deployment, tracer } = given;
  const { prisma } = backends.metadata;
  const endpoints = openEndpointStore({ prisma, clock });
  const executions = openExecutionStore({ prisma });
  const keys = openKeyStore({ prisma, clock });
  const metrics = defineServiceMetrics(registry);
  const nowMs = given.nowMs ?? monotonicMs;
  const results = openResultCache(config.cacheBytes);
  const onMiss = () => metrics.rateFallbacks.add({});
  const rates = redis === null ? null : openSharedRates({ redis, deployment, onMiss });
  const background = openBackgroundWork();
  const lookups = openLookups(config, clock);
  const cores = config.engineCores || availableParallelism();
  const usageStore = openUsageStore({ prisma });
  const ofEndpoints = defineEndpointMetrics(registry, config.metricsEndpoints);
  const usage = openUsageRecorder({ clock, log, store: usageStore, metrics: ofEndpoints });
  const recorder = openExecutionRecorder({ log, executions, endpoints, keys });
  const { engine } = backends;
  return {
    config,
    clock,
    nowMs,
    log,
    tracer,
    engine,
    audit: openAuditStore({ prisma }),
    admission: openAdmission({ config, cores, metrics, nowMs }),
    serverLimits: serverLimits(config),
    rates: openRateLimits({ config, metrics, nowMs, shared: rates }),
    endpoints,
    variables: openSavedVariableStore({ prisma, clock }),
    executions,
    executionLog: openExecutionLogStore({ prisma }),
    materializations: openMaterializationStore({ prisma }),
    measuredMs: given.measuredMs ?? ((engineMs) => engineMs),
    eligibility: openEligibility({
      config,
      clock,
      engine: backends.engine,
      planner: given.planMaterialization ?? openPlanner(backends.engine),
    }),
    keys,
    projects: openProjectStore({ prisma, clock }),
    users: openUserStore({ prisma, clock }),
    signIns: openSignInStore({ prisma, clock }),
    lookups,
    shapes: openShapeMemo(),
    graphFields: openGraphFieldMemo(),
    preparedRuns: openPreparedRuns({ config, metrics, usage }),
    filterTypes: openFilterTypesMemo({ nowMs }),
    results,
    shared: openShared(given, metrics),
    bodies: openResponseBodies(results),
    flights: openSingleFlight(),
    streams: openStreamSlots(),
    pendingCallers: openPendingCallers(),
    background,
    columns: openColumnWatch({ engine: backends.engine, endpoints, lookups, log, background }),
    recorder,
    usage,
    loggedWork: openWorkCollector({
      clock,
      engine,
      usage,
      onMeasured: (execution, work) => recordLateWork({ recorder, metrics }, execution, work),
    }),
    usageStore,
    adviceStore: openAdviceStore({ prisma }),
    gains: openMeasuredGains(),
    metrics,
    loads: openRowLoads(backends, given),
  };
}

/** Null when each process has its own results. */
function openShared(
  { config, clock, redis, sharedTimes }: CoreOptions,
  metrics: ServiceMetrics,
): SharedResults | null {
  const maxValueBytes = config.sharedResultBytes;
  const isOff = config.cacheBytes === 0 || maxValueBytes === 0;
  if (redis === null || isOff) return null;
  const counter = metrics.sharedResults;
  return openSharedResults({ redis, clock, maxValueBytes, counter, times: sharedTimes });
}
