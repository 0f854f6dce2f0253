import type { Config } from '../../config/config.ts';
import type { EngineShare } from '../../engine/query-engine.ts';
import type { ServiceMetrics } from '../../metrics/service-metrics.ts';
import { openPool, type Pool, type ShedReason } from './pool.ts';

/**
 * Stands before the engine: how many queries run at once, who waits and who is next. Reads of stored tables have
 * places of their own, so that they never wait behind queries on source data.
 */
export interface Admission {
  /**
   * Does the work when it is its turn. Throws `too_many_concurrent_queries` when the project's own limit keeps
   * it from running soon, `query_capacity` when the engine as a whole does, and the signal's reason.
   */
  during<T>(
    asked: AdmissionRequest,
    signal: AbortSignal | undefined,
    work: (share: EngineShare) => Promise<T>,
  ): Promise<T>;
  running(): number;
  waiting(): number;
}

export type PoolName = 'inline' | 'materialized';

export interface AdmissionRequest {
  readonly projectId: number;
  readonly keyId: string;
  readonly pool: PoolName;
  readonly project: SlotLimits;
  /** At most the project's. */
  readonly key: SlotLimits;
}

export interface SlotLimits {
  readonly concurrentQueries: number;
  readonly queuedQueries: number;
}

/** The engine lets a query of a lower number go first while both want a processor. */
const priorities = { first: 1, usual: 2, sync: 3 } as const;

/** What a sync gets of the engine: everything that no run wants at the moment. */
export const syncShare: EngineShare = { threads: null, priority: priorities.sync };

export interface AdmissionOptions {
  readonly config: Pick<Config, 'maxEngineQueries' | 'maxQueuedInAll' | 'queueSeconds'>;
  /** Processors of the engine. */
  readonly cores: number;
  readonly metrics: Pick<ServiceMetrics, 'shedRuns' | 'queueSeconds'>;
  /** Milliseconds that only grow. */
  readonly nowMs: () => number;
}

export function openAdmission(options: AdmissionOptions): Admission {
  const { config, cores, metrics } = options;
  const places = config.maxEngineQueries || Math.max(4, 2 * cores);
  const open = (lane: PoolName): Pool =>
    openPool({
      slots: places,
      cores,
      queue: config.maxQueuedInAll,
      deadlineMs: config.queueSeconds * 1000,
      nowMs: options.nowMs,
      onShed: (projectId: number, reason: ShedReason) =>
        metrics.shedRuns.add({ project: String(projectId), path: lane, reason }),
    });
  const lanes = { inline: open('inline'), materialized: open('materialized') };
  const running = () => lanes.inline.running() + lanes.materialized.running();
  // What one project may not take, so that another finds a place at once.
  const most = places - (places > 1 ? Math.max(1, Math.floor(places / 4)) : 0);

  return {
    async during({ projectId, keyId, pool: lane, project, key }, signal, work) {
      const asked = {
        projectId,
        keyId,
        projectPlaces: Math.min(project.concurrentQueries, most),
        keyPlaces: key.concurrentQueries,
        projectQueue: project.queuedQueries,
        keyQueue: key.queuedQueries,
      };
      const entered = await lanes[lane].enter(asked, signal);
      metrics.queueSeconds.observe({ path: lane }, entered.waitedMs / 1000);
      const goesFirst = lane === 'materialized' || entered.isBelowShare;
      try {
        return await work({
          threads: Math.max(1, Math.floor(cores / running())),
          priority: goesFirst ? priorities.first : priorities.usual,
          isShort: lane === 'materialized',
        });
      } finally {
        entered.release();
      }
    },
    running,
    waiting: () => lanes.inline.waiting() + lanes.materialized.waiting(),
  };
}
