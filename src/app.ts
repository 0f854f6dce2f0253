/** The composition root: puts the backends together into one service. */
import { availableParallelism } from 'node:os';
import { openAdmission } from './access/admission/admission.ts';
import { serverLimits } from './access/effective-limits.ts';
import { openRateLimits } from './access/rates/rate-limits.ts';
import { openSharedRates, type SharedRates } from './access/rates/shared-rates.ts';
import { type Backends, openRowLoads } from './backends.ts';
import { openLookupCache } from './cache/lookup-cache.ts';
import { endpointKey, type Lookups } from './cache/lookups.ts';
import { openResponseBodies } from './cache/response-bodies.ts';
import { openResultCache } from './cache/result-cache.ts';
import type { Config } from './config/config.ts';
import type { GatewayDeps } from './graphql/context.ts';
import { schema } from './graphql/schema.ts';
import { openGraphQLServer } from './graphql/server.ts';
import { toInProcessResponse } from './http/message.ts';
import { openBackgroundWork } from './lib/background-work.ts';
import { type Clock, monotonicMs, systemClock } from './lib/clock.ts';
import type { Log } from './lib/log.ts';
import { openSingleFlight } from './lib/single-flight.ts';
import { type EligibilityOptions, openEligibility } from './materialization/eligibility.ts';
import { openPlanner } from './materialization/open-planner.ts';
import {
  type MaterializationWorker,
  openMaterializationWorker,
  type WorkerTimes,
  workerTimes,
} from './materialization/worker/worker.ts';
import { openMetricRegistry } from './metrics/registry.ts';
import { defineServiceMetrics, type ServiceMetrics } from './metrics/service-metrics.ts';
import { openRestServer } from './rest/rest-server.ts';
import type { RunDeps } from './runs/deps.ts';
import { openExecutionRecorder } from './runs/execution-recorder.ts';
import { openPendingCallers } from './runs/pending-callers.ts';
import { openPreparedRuns } from './runs/prepared-runs.ts';
import { refuseOverruns } from './runs/refuse-overruns.ts';
import { openRetention } from './runs/retention.ts';
import { openStreamSlots } from './runs/stream-slots.ts';
import { openAccessLog } from './server/access-log.ts';
import { openCors } from './server/cors.ts';
import { type Dispatch, openDispatch } from './server/dispatch.ts';
import { openFetch } from './server/fetch.ts';
import { type GraphiQLExample, openGraphiQLPage } from './server/graphiql-page.ts';
import { type HttpListener, listen } from './server/node-server.ts';
import { openPages } from './server/pages.ts';
import { openAuditStore } from './store/audit-store.ts';
import { type ChangeFeed, openChangeFeed } from './store/change-feed.ts';
import type { VersionRecord } from './store/endpoint-record.ts';
import { openEndpointStore } from './store/endpoint-store.ts';
import { openExecutionLogStore } from './store/execution-log.ts';
import { openExecutionStore } from './store/execution-store.ts';
import { openKeyStore } from './store/key-store.ts';
import { openMaterializationStore } from './store/materialization-store.ts';
import { openProjectStore } from './store/project-store.ts';
import { openSavedVariableStore } from './store/saved-variable-store.ts';
import { openUserStore } from './store/user-store.ts';

export interface App {
  /** Responds to a request in process, exactly as over a socket. */
  readonly fetch: (request: Request) => Promise<Response>;
  readonly dispatch: Dispatch;
  readonly core: RunDeps;
  /** Works by itself once the app is started. */
  readonly materialization: MaterializationWorker;
  /** Where callers reach it: the address it listens on, unless the settings name another. */
  readonly publicUrl: () => string;
  /** Listens and starts the work in the background. */
  start(): Promise<HttpListener>;
  /** Finishes what is in flight within the configured time, records it and closes; the backends stay. */
  stop(): Promise<void>;
}

export interface AppOptions {
  readonly config: Config;
  readonly log: Log;
  readonly backends: Backends;
  readonly clock?: Clock;
  /** A monotonic clock in milliseconds. */
  readonly nowMs?: () => number;
  /** Absent: the planner of this build. */
  readonly planMaterialization?: EligibilityOptions['planner'];
  readonly workerTimes?: Partial<WorkerTimes>;
  /** What GraphiQL offers to begin with. */
  readonly examples?: readonly GraphiQLExample[];
  /** Shown on GraphiQL to callers on this machine; only a demo has one. */
  readonly demoKey?: () => string | null;
}

/** The maximum age of a lookup, in case the notification of a change is lost. */
const lookupMaxAgeMs = 5000;
/** Limits for lookups of records that hold a query, which may be long. */
const lookupsOfTexts = {
  maxEntries: 20_000,
  maxBytes: 134_217_728,
  maxAgeMs: lookupMaxAgeMs,
} as const;

/** Roughly how many bytes a version takes in memory. */
function weighVersion({ query, columns, variables }: VersionRecord): number {
  return 2 * JSON.stringify([query, columns, variables]).length;
}

export async function openApp(options: AppOptions): Promise<App> {
  const { config, log, backends } = options;
  const clock = options.clock ?? systemClock;
  const registry = openMetricRegistry();
  const core = openCore({ ...options, clock }, registry);
  const feed = await openChangeFeed({ connection: backends.metadata.connection, log });
  const materialization = openMaterializationWorker(core, {
    ...workerTimes,
    ...options.workerTimes,
  });
  followChanges(feed, core.lookups, materialization);
  let listener: HttpListener | null = null;
  const publicUrl = (): string =>
    config.publicUrl.replace(/\/$/, '') || addressOf(listener, config);
  const gateway: GatewayDeps = { core, prisma: backends.metadata.prisma, publicUrl };
  const pages = openPages({
    graphiql: openGraphiQLPage(options.examples ?? []),
    demoKey: options.demoKey ?? (() => null),
    publicUrl,
    readiness: () => backends.readiness(),
    writeMetrics: () => registry.write(),
  });
  const dispatch = openDispatch({
    rest: openRestServer(gateway, schema),
    graphql: openGraphQLServer(gateway, schema),
    pages,
    cors: openCors(config.corsOrigins),
    metrics: core.metrics,
    log,
    accessLog: openAccessLog(log, config),
    publicUrl,
    maxBodyBytes: config.maxBodyBytes,
  });
  const refusals = refuseOverruns(core);
  const retention = openRetention({
    clock,
    log,
    executions: core.executions,
    audit: core.audit,
    ...config,
  });
  registry.gauge('querydock_result_cache_bytes', 'Bytes held by the result cache.', () =>
    core.results.size(),
  );
  registry.gauge('querydock_connections', 'Open connections.', () =>
    listener === null ? 0 : listener.connections(),
  );
  registry.gauge('querydock_engine_queries', 'Queries of runs running at the engine.', () =>
    core.admission.running(),
  );
  registry.gauge('querydock_runs_waiting', 'Runs waiting for a slot.', () =>
    core.admission.waiting(),
  );
  registry.gauge('querydock_streams_in_flight', 'Results being streamed.', () =>
    core.streams.size(),
  );
  registry.gauge('querydock_runs_in_flight', 'Running executions.', () => core.flights.size());
  return {
    fetch: openFetch(dispatch, config.maxBodyBytes),
    dispatch: async (request) => toInProcessResponse(await dispatch(request)),
    core,
    materialization,
    publicUrl,
    async start() {
      listener = await listen(dispatch, {
        host: config.host,
        port: config.port,
        maxBodyBytes: config.maxBodyBytes,
        limits: config,
        log,
      });
      retention.start();
      materialization.start();
      return listener;
    },
    async stop() {
      await listener?.close(config.shutdownSeconds * 1000);
      await core.background.stop();
      await retention.stop();
      await materialization.stop();
      await refusals.stop();
      await core.recorder.close();
      core.rates.close();
      core.loads.tables.close();
      await feed.close();
    },
  };
}

function openCore(
  given: AppOptions & { readonly clock: Clock },
  registry: ReturnType<typeof openMetricRegistry>,
): RunDeps {
  const { config, log, clock, backends } = given;
  const { prisma } = backends.metadata;
  const endpoints = openEndpointStore({ prisma, clock });
  const executions = openExecutionStore({ prisma });
  const keys = openKeyStore({ prisma, clock });
  const metrics = defineServiceMetrics(registry);
  const nowMs = given.nowMs ?? monotonicMs;
  const results = openResultCache(config.cacheBytes);
  const cores = config.engineCores || availableParallelism();
  return {
    config,
    clock,
    log,
    engine: backends.engine,
    audit: openAuditStore({ prisma }),
    admission: openAdmission({ config, cores, metrics, nowMs }),
    serverLimits: serverLimits(config),
    rates: openRateLimits({ config, metrics, nowMs, shared: openShared(given, metrics) }),
    endpoints,
    variables: openSavedVariableStore({ prisma, clock }),
    executions,
    executionLog: openExecutionLogStore({ prisma }),
    materializations: openMaterializationStore({ prisma }),
    eligibility: openEligibility({
      config,
      clock,
      engine: backends.engine,
      planner: given.planMaterialization ?? openPlanner(backends.engine),
    }),
    keys,
    projects: openProjectStore({ prisma, clock }),
    users: openUserStore({ prisma, clock }),
    lookups: {
      keys: openLookupCache({ clock, maxEntries: 10_000, maxAgeMs: lookupMaxAgeMs }),
      endpoints: openLookupCache({
        ...lookupsOfTexts,
        clock,
        weigh: ({ currentVersion }) => weighVersion(currentVersion),
      }),
      versions: openLookupCache({ ...lookupsOfTexts, clock, weigh: weighVersion }),
    },
    preparedRuns: openPreparedRuns({ config, metrics }),
    results,
    bodies: openResponseBodies(results),
    flights: openSingleFlight(),
    streams: openStreamSlots(),
    pendingCallers: openPendingCallers(),
    background: openBackgroundWork(),
    recorder: openExecutionRecorder({ clock, log, executions, endpoints, keys }),
    metrics,
    loads: openRowLoads(backends, given),
  };
}

function openShared({ config, log }: AppOptions, metrics: ServiceMetrics): SharedRates | null {
  if (config.redisUrl === '') return null;
  const onMiss = () => metrics.rateFallbacks.add({});
  return openSharedRates({ url: config.redisUrl, log, onMiss });
}

/**
 * Drops lookups of what another process changed, and all of them when the feed is back after a gap. During a gap the
 * maximum age of a lookup bounds how outdated it can be, so a short restart of the metadata database goes unnoticed.
 */
function followChanges(
  feed: ChangeFeed,
  lookups: Lookups,
  materialization: MaterializationWorker,
): void {
  feed.onChange((change) => {
    if (change.kind === 'key') lookups.keys.clear();
    // Endpoints are remembered with the limits of their project and the revision of its data.
    if (change.kind === 'project') lookups.endpoints.clear();
    if (change.kind === 'project') materialization.nudge();
    if (change.kind !== 'endpoint') return;
    lookups.endpoints.invalidate(endpointKey(change.projectId, change.name));
    lookups.versions.clear();
    materialization.nudge();
  });
  feed.onGap(() => {
    if (!feed.isConnected()) return;
    lookups.keys.clear();
    lookups.endpoints.clear();
    lookups.versions.clear();
  });
}

function addressOf(listener: HttpListener | null, config: Config): string {
  const host = listener?.host ?? config.host;
  const shown =
    host === '0.0.0.0' || host === '::' ? 'localhost' : host.includes(':') ? `[${host}]` : host;
  return `http://${shown}:${listener?.port ?? config.port}`;
}
