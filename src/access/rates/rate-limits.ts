import type { Config } from '../../config/config.ts';
import { ServiceError } from '../../errors/service-error.ts';
import type { ServiceMetrics } from '../../metrics/service-metrics.ts';
import type { Principal } from '../principal.ts';
import { type Budget, openBudget, windowMs } from './budget.ts';
import { openRateWindow } from './rate-window.ts';
import type { SharedRates } from './shared-rates.ts';

/**
 * How often a key, and a project through all its keys, may ask: one budget for each path that a run is answered
 * by, so that cheap answers go on while dear ones are used up, and one for everything that is no run.
 */
export interface RateLimits {
  /**
   * Takes one answer from the cache. Synchronous and in memory, for the hot path. Null: taken; else the whole
   * seconds after which there is more, for `throttled`.
   */
  takeCached(caller: Caller, projectId: number): number | null;
  /** Throws `throttled` for what `takeCached` refuses. */
  requireCached(caller: Caller, projectId: number): void;
  /** Takes one from a budget. Throws `throttled`. A null project is none that the key may see. */
  take(kind: SlowKind, caller: Caller, projectId: number | null): Promise<void>;
  /** Counts a key that was refused. Throws `throttled` when its address has sent too many of them lately. */
  noteRefusedKey(address: string | null): void;
  close(): void;
}

type Caller = Pick<Principal, 'keyId'>;
export type SlowKind = 'materialized' | 'inline' | 'management';
export type BudgetKind = 'cached' | SlowKind;

export interface RateLimitsOptions {
  readonly config: Config;
  readonly metrics: Pick<ServiceMetrics, 'throttled'>;
  /** Null: every process counts by itself. */
  readonly shared: SharedRates | null;
  /** Milliseconds that only grow. */
  readonly nowMs: () => number;
}

interface Budgets {
  readonly key: Budget;
  readonly project: Budget;
}

const what: Readonly<Record<BudgetKind, string>> = {
  cached: 'answers from the cache',
  materialized: 'runs on stored tables',
  inline: 'runs on source data',
  management: 'requests that are no runs',
};

export function openRateLimits(options: RateLimitsOptions): RateLimits {
  const { metrics, shared, nowMs } = options;
  const budgets = openBudgets(options);
  const refusedKeys = openRateWindow({
    limit: options.config.authFailuresPerAddress || Number.POSITIVE_INFINITY,
    windowMs,
    nowMs,
  });

  function refuse(kind: BudgetKind, holder: 'key' | 'project', ms: number): ServiceError {
    metrics.throttled.add({ budget: kind, holder });
    const { limit } = budgets[kind][holder];
    const whose = holder === 'key' ? 'This API key' : 'This project';
    return throttled(`${whose} has used up its ${limit} ${what[kind]} of a minute.`, ms);
  }

  /** The first that has none left, with the time until it has. */
  function takeCached(caller: Caller, projectId: number): Refused | null {
    const { key, project } = budgets.cached;
    const now = nowMs();
    const ofKey = key.takeNow(caller.keyId, now);
    if (ofKey !== null) return { holder: 'key', ms: ofKey };
    const ofProject = project.takeNow(String(projectId), now);
    return ofProject === null ? null : { holder: 'project', ms: ofProject };
  }

  return {
    takeCached(caller, projectId) {
      const refused = takeCached(caller, projectId);
      if (refused === null) return null;
      metrics.throttled.add({ budget: 'cached', holder: refused.holder });
      return toSeconds(refused.ms);
    },
    requireCached(caller, projectId) {
      const refused = takeCached(caller, projectId);
      if (refused !== null) throw refuse('cached', refused.holder, refused.ms);
    },
    async take(kind, caller, projectId) {
      const { key, project } = budgets[kind];
      const ofKey = await key.take(caller.keyId);
      if (ofKey !== null) throw refuse(kind, 'key', ofKey);
      if (projectId === null) return;
      const ofProject = await project.take(String(projectId));
      if (ofProject !== null) throw refuse(kind, 'project', ofProject);
    },
    noteRefusedKey(address) {
      const ms = address === null ? null : refusedKeys.take(address);
      if (ms === null) return;
      metrics.throttled.add({ budget: 'authentication', holder: 'address' });
      throw throttled('Too many API keys that are not valid came from this address.', ms);
    },
    close: () => shared?.close(),
  };
}

interface Refused {
  readonly holder: 'key' | 'project';
  readonly ms: number;
}

function toSeconds(ms: number): number {
  return Math.max(1, Math.ceil(ms / 1000));
}

function throttled(sentence: string, ms: number): ServiceError {
  const retryAfterSeconds = toSeconds(ms);
  return new ServiceError('throttled', `${sentence} Try again in ${retryAfterSeconds} s.`, {
    retryAfterSeconds,
  });
}

function openBudgets({ config, shared, nowMs }: RateLimitsOptions) {
  const open = (kind: BudgetKind, key: number, project: number): Budgets => ({
    key: openBudget({ name: `${kind}:key`, limit: key, shared, nowMs }),
    project: openBudget({ name: `${kind}:project`, limit: project, shared, nowMs }),
  });
  return {
    cached: open('cached', config.rateCachedPerKey, config.rateCachedPerProject),
    materialized: open(
      'materialized',
      config.rateMaterializedPerKey,
      config.rateMaterializedPerProject,
    ),
    inline: open('inline', config.rateInlinePerKey, config.rateInlinePerProject),
    management: open('management', config.rateManagementPerKey, config.rateManagementPerProject),
  } as const satisfies Record<BudgetKind, Budgets>;
}
