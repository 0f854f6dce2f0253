import type { Config } from '../../config/config.ts';
import type { EngineShare } from '../../engine/query-engine.ts';
import type { ServiceMetrics } from '../../metrics/service-metrics.ts';
import { openPool, type Pool, type ShedReason } from './pool.ts';

/**
 * Admits runs to the engine: how many run at once, which ones wait, and which is next. Reads of stored tables have
 * their own slots, so that they never wait behind queries on source data.
 */
export interface Admission {
  /**
   * Does the work once it has a slot. Throws `too_many_concurrent_queries` when the project's own limit keeps it
   * waiting for too long, `query_capacity` when the whole engine is busy, and the signal's reason.
   */
  during<T>(
    request: AdmissionRequest,
    signal: AbortSignal | undefined,
    work: (share: EngineShare) => Promise<T>,
  ): Promise<T>;
  running(): number;
  waiting(): number;
  /** Facts about each of the two pools. */
  pools(): readonly PoolFacts[];
}

interface PoolFacts {
  readonly name: PoolName;
  readonly running: number;
  readonly waiting: number;
  /** Applies to each of the two pools, over all projects. */
  readonly maxRunning: number;
  readonly maxWaiting: number;
}

export type PoolName = 'inline' | 'materialized';

export interface AdmissionRequest {
  readonly projectId: number;
  readonly keyId: string;
  readonly pool: PoolName;
  readonly project: SlotLimits;
  /** At most the project's limits. */
  readonly key: SlotLimits;
}

interface SlotLimits {
  readonly concurrentQueries: number;
  readonly queuedQueries: number;
}

/** When two queries want a processor, the engine prefers the lower number. */
const priorities = { first: 1, usual: 2, sync: 3 } as const;

/** A sync may use all of the engine that no run is using. */
export const syncShare: EngineShare = { threads: null, priority: priorities.sync };

export interface AdmissionOptions {
  readonly config: Pick<Config, 'maxEngineQueries' | 'maxQueuedInAll' | 'queueSeconds'>;
  /** Number of the engine's processors. */
  readonly cores: number;
  readonly metrics: Pick<ServiceMetrics, 'shedRuns' | 'queueSeconds'>;
  /** A monotonic clock in milliseconds. */
  readonly nowMs: () => number;
}

export function openAdmission(options: AdmissionOptions): Admission {
  const { config, cores, metrics } = options;
  const slots = config.maxEngineQueries || Math.max(4, 2 * cores);
  const open = (name: PoolName): Pool =>
    openPool({
      slots,
      cores,
      queue: config.maxQueuedInAll,
      deadlineMs: config.queueSeconds * 1000,
      nowMs: options.nowMs,
      onShed: (projectId: number, reason: ShedReason) =>
        metrics.shedRuns.add({ project: String(projectId), path: name, reason }),
    });
  const pools = { inline: open('inline'), materialized: open('materialized') };
  const running = () => pools.inline.running() + pools.materialized.running();
  // Keeps some slots free, so that another project gets one at once.
  const mostOfOne = slots - (slots > 1 ? Math.max(1, Math.floor(slots / 4)) : 0);

  return {
    async during({ projectId, keyId, pool, project, key }, signal, work) {
      const request = {
        projectId,
        keyId,
        projectSlots: Math.min(project.concurrentQueries, mostOfOne),
        keySlots: key.concurrentQueries,
        projectQueue: project.queuedQueries,
        keyQueue: key.queuedQueries,
      };
      const admitted = await pools[pool].enter(request, signal);
      metrics.queueSeconds.observe({ path: pool }, admitted.waitedMs / 1000);
      const goesFirst = pool === 'materialized' || admitted.isBelowShare;
      try {
        return await work({
          threads: Math.max(1, Math.floor(cores / running())),
          priority: goesFirst ? priorities.first : priorities.usual,
          isShort: pool === 'materialized',
        });
      } finally {
        admitted.release();
      }
    },
    running,
    pools: () =>
      (['inline', 'materialized'] as const).map((name) => ({
        name,
        running: pools[name].running(),
        waiting: pools[name].waiting(),
        maxRunning: slots,
        maxWaiting: config.maxQueuedInAll,
      })),
    waiting: () => pools.inline.waiting() + pools.materialized.waiting(),
  };
}
