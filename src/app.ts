/** The composition root: assembles the backends into one service. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Backends } from './backends.ts';
import { followChanges } from './cache/follow-changes.ts';
import type { Redis, RedisTimes } from './cache/shared/redis.ts';
import type { SharedTimes } from './cache/shared/shared-results.ts';
import type { Config } from './config/config.ts';
import { openCore } from './core.ts';
import type { GatewayDeps } from './graphql/context.ts';
import { openDataGraph } from './graphql/data-graph/data-graph.ts';
import { openDataGraphServer } from './graphql/data-graph/server.ts';
import { schema } from './graphql/schema.ts';
import { openGraphQLServer } from './graphql/server.ts';
import { type Health, openHealth } from './health/health.ts';
import type { BackendCheck } from './health/probe-backends.ts';
import { toInProcessResponse } from './http/message.ts';
import { type Clock, systemClock } from './lib/clock.ts';
import type { Log } from './lib/log.ts';
import { type Live, openLive } from './live/live.ts';
import type { MeasuredMs } from './materialization/deps.ts';
import type { EligibilityOptions } from './materialization/eligibility.ts';
import {
  type MaterializationWorker,
  openMaterializationWorker,
  type WorkerTimes,
  workerTimes,
} from './materialization/worker/worker.ts';
import { openMetricRegistry } from './metrics/registry.ts';
import { openTelemetry } from './otel/open-telemetry.ts';
import { openRestServer } from './rest/rest-server.ts';
import type { RunDeps } from './runs/deps.ts';
import { refuseOverruns } from './runs/refuse-overruns.ts';
import { openRetention } from './runs/retention.ts';
import { defineRunGauges } from './runs/run-gauges.ts';
import { openAccessLog } from './server/access-log.ts';
import { openConsolePage } from './server/console-page.ts';
import { openCors } from './server/cors.ts';
import { type Dispatch, openDispatch } from './server/dispatch.ts';
import { openFetch } from './server/fetch.ts';
import { type GraphiQLExamples, noExamples, openGraphiQLPage } from './server/graphiql-page.ts';
import { upgradeAt } from './server/graphql-route.ts';
import { type HttpListener, listen } from './server/node-server.ts';
import { openPages } from './server/pages.ts';
import { type Dependencies, openReadiness, type Readiness } from './server/readiness.ts';
import { defineServerGauges } from './server/server-gauges.ts';
import { openSignInPages } from './server/sign-in-pages.ts';
import { openChangeFeed } from './store/change-feed.ts';
import { readDeploymentId } from './store/deployment-id.ts';
import { openHealthStore } from './store/health-store.ts';

export interface App {
  /** Responds to a request in process, exactly as over a socket. */
  readonly fetch: (request: Request) => Promise<Response>;
  readonly dispatch: Dispatch;
  readonly core: RunDeps;
  /** Runs in the background once the app is started. */
  readonly materialization: MaterializationWorker;
  /** Runs in the background once the app is started. */
  readonly live: Live;
  /** Runs in the background once the app is started. */
  readonly health: Health;
  /** The service's URL for callers: the address it listens on, unless the settings name another. */
  readonly publicUrl: () => string;
  /** Starts listening and the background work. */
  start(): Promise<HttpListener>;
  /**
   * Reports that it is draining, so that balancers notice, finishes requests in flight within the configured time,
   * records them and closes; the backends keep running.
   */
  stop(): Promise<void>;
}

export interface AppOptions {
  readonly config: Config;
  readonly log: Log;
  readonly backends: Backends;
  readonly clock?: Clock;
  /** A monotonic clock in milliseconds. */
  readonly nowMs?: () => number;
  /** Absent for this build's planner. */
  readonly planMaterialization?: EligibilityOptions['planner'];
  /** Durations that syncs measure; absent for those of the engine's clock. */
  readonly measuredMs?: MeasuredMs;
  readonly workerTimes?: Partial<WorkerTimes>;
  /** Timeouts of Redis requests. */
  readonly redisTimes?: Partial<RedisTimes>;
  readonly sharedTimes?: Partial<SharedTimes>;
  /** Waits while the service is draining. */
  readonly pause?: (ms: number) => Promise<unknown>;
  /** Folder of the built console; absent for dist/console. */
  readonly consoleFolder?: string;
  /** GraphiQL's initial tabs. */
  readonly examples?: GraphiQLExamples;
  /** Shown in GraphiQL to callers on this machine; only a demo has one. */
  readonly demoKey?: () => string | null;
}

export async function openApp(options: AppOptions): Promise<App> {
  const { config, log, backends } = options;
  const clock = options.clock ?? systemClock;
  const registry = openMetricRegistry();
  const redis = await openSharedRedis(options);
  const telemetry = await openTelemetry({ config, log, registry, clock });
  const { tracer } = telemetry;
  const deployment = redis === null ? '' : await readDeploymentId(backends.metadata.prisma);
  const core = openCore({ ...options, clock, redis, deployment, tracer }, registry);
  const feed = await openChangeFeed({ connection: backends.metadata.connection, log });
  const materialization = openMaterializationWorker(core, {
    ...workerTimes,
    ...options.workerTimes,
  });
  followChanges(feed, core.lookups);
  feed.onChange((change) => {
    const { kind } = change;
    if (kind === 'project') core.engine.refresh(change.id, change.table !== undefined);
    if (kind === 'endpoint' || kind === 'project') materialization.nudge();
    if (kind !== 'project' || change.table === undefined) return;
    core.filterTypes.forget(change.id);
    core.columns.tableChanged(change.id, change.table);
  });
  feed.onGap(() => {
    if (!feed.isConnected()) return;
    core.engine.refresh(null, true);
    core.filterTypes.forget(null);
  });
  const live = openLive(core, registry, feed);
  let listener: HttpListener | null = null;
  const readiness = openReadiness(() => checkParts(backends, redis));
  const publicUrl = (): string =>
    config.publicUrl.replace(/\/$/, '') || addressOf(listener, config);
  const health = openHealth({
    core,
    store: openHealthStore({ prisma: backends.metadata.prisma }),
    checks: backendChecks(backends, redis),
    isDraining: () => readiness.isDraining(),
    connections: () => listener?.connections() ?? 0,
    liveStreams: () => live.limits.size(),
  });
  const gateway: GatewayDeps = { core, prisma: backends.metadata.prisma, publicUrl, live, health };
  const pages = openPages({
    console: openConsolePage(options.consoleFolder),
    graphiql: openGraphiQLPage(options.examples ?? noExamples),
    signIn: openSignInPages(core, publicUrl),
    demoKey: options.demoKey ?? (() => null),
    publicUrl,
    readiness,
    writeMetrics: () => registry.write(),
  });
  const dataGraph = openDataGraph(core);
  const graphql = openGraphQLServer(gateway, schema);
  const graph = openDataGraphServer(gateway, dataGraph);
  const dispatch = openDispatch({
    rest: openRestServer(gateway, schema, dataGraph),
    graphql,
    dataGraph: graph,
    pages,
    cors: openCors(config.corsOrigins),
    metrics: core.metrics,
    log,
    accessLog: openAccessLog(log, config),
    tracer,
    publicUrl,
    maxBodyBytes: config.maxBodyBytes,
  });
  const refusals = refuseOverruns(core);
  const retention = openRetention({
    clock,
    log,
    executions: core.executions,
    audit: core.audit,
    usage: core.usageStore,
    signIns: core.signIns,
    config,
  });
  defineRunGauges(registry, core);
  defineServerGauges(registry, { readiness, connections: () => listener?.connections() ?? 0 });
  return {
    fetch: openFetch(dispatch, config.maxBodyBytes),
    dispatch: async (request) => toInProcessResponse(await dispatch(request)),
    core,
    materialization,
    live,
    health,
    publicUrl,
    async start() {
      listener = await listen(dispatch, {
        host: config.host,
        port: config.port,
        maxBodyBytes: config.maxBodyBytes,
        limits: config,
        log,
        upgrade: (connection) =>
          upgradeAt({ graphql, dataGraph: graph, tracer, publicUrl }, connection),
      });
      readiness.start();
      retention.start();
      materialization.start();
      live.start();
      health.start();
      core.loggedWork.start();
      return listener;
    },
    async stop() {
      if (listener !== null) await drain(options, listener, readiness);
      const closing = listener?.close(config.shutdownSeconds * 1000);
      readiness.stop();
      live.stop();
      await closing;
      await core.background.stop();
      await retention.stop();
      await materialization.stop();
      await health.stop();
      await refusals.stop();
      await core.loggedWork.stop();
      await core.recorder.close();
      await core.usage.close();
      await core.shared?.settled();
      redis?.close();
      core.loads.tables.close();
      await core.loads.files.close();
      await feed.close();
      await telemetry.close();
    },
  };
}

/** Health checks by the backends' common names. */
function backendChecks(
  { metadata, engine }: Backends,
  redis: Redis | null,
): Readonly<Record<string, BackendCheck>> {
  const own = { postgresql: () => metadata.ping(), clickhouse: () => engine.ping() };
  if (redis === null) return own;
  const pingRedis = async () => {
    const problem = await redis.check();
    if (problem !== null) throw new Error(problem);
  };
  return { ...own, redis: pingRedis };
}

async function checkParts(backends: Backends, redis: Redis | null): Promise<Dependencies> {
  const parts = await backends.readiness();
  return redis === null ? parts : { ...parts, redis: await redis.check() };
}

/** With local backends no other process could take over its requests, so it does not wait. */
async function drain(
  { config, backends: { local }, pause = delay }: AppOptions,
  listener: HttpListener,
  readiness: Readiness,
): Promise<void> {
  readiness.drain();
  listener.drain();
  const isAlone = local.databaseUrl !== null || local.engineSecret !== null;
  if (!isAlone && config.drainSeconds > 0) await pause(config.drainSeconds * 1000);
}

async function openSharedRedis({ config, log, redisTimes }: AppOptions): Promise<Redis | null> {
  if (config.redisUrl === '') return null;
  const { openRedis } = await import('./cache/shared/redis.ts');
  return openRedis({ url: config.redisUrl, log, times: redisTimes });
}

function addressOf(listener: HttpListener | null, config: Config): string {
  const host = listener?.host ?? config.host;
  const shown =
    host === '0.0.0.0' || host === '::' ? 'localhost' : host.includes(':') ? `[${host}]` : host;
  return `http://${shown}:${listener?.port ?? config.port}`;
}
