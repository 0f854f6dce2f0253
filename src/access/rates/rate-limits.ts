import type { Config } from '../../config/config.ts';
import { ServiceError } from '../../errors/service-error.ts';
import { currentFacts, type RateState } from '../../http/request-facts.ts';
import type { ServiceMetrics } from '../../metrics/service-metrics.ts';
import type { Principal } from '../principal.ts';
import { type Budget, openBudget } from './budget.ts';
import { openRateWindow } from './rate-window.ts';
import type { SharedRates } from './shared-rates.ts';

/** Rate limits of a key, and of a project over all its keys: every run and every other request counts as one. */
export interface RateLimits {
  /** Counts one request in memory, synchronously. Throws `throttled`. */
  takeNow(caller: Caller, projectId: number): void;
  /** Counts one request in the shared count, if there is one. Throws `throttled`. A null project is not counted. */
  take(caller: Caller, projectId: number | null): Promise<void>;
  /** Counts an invalid key. Throws `throttled` when its address has sent too many of them recently. */
  countRefusedKey(address: string | null): void;
}

type Caller = Pick<Principal, 'keyId'>;

export interface RateLimitsOptions {
  readonly config: Pick<Config, 'ratePerKey' | 'ratePerProject' | 'authFailuresPerAddress'>;
  readonly metrics: Pick<ServiceMetrics, 'throttled'>;
  /** Null when every process counts separately. */
  readonly shared: SharedRates | null;
  /** A monotonic clock in milliseconds. */
  readonly nowMs: () => number;
}

export function openRateLimits({ config, metrics, shared, nowMs }: RateLimitsOptions): RateLimits {
  const keys = openBudget({ name: 'key', limit: config.ratePerKey, shared, nowMs });
  const projects = openBudget({ name: 'project', limit: config.ratePerProject, shared, nowMs });
  const limit = config.authFailuresPerAddress || Number.POSITIVE_INFINITY;
  const refusedKeys = openRateWindow({ limit, nowMs });

  /** @param leftMs milliseconds until the window ends; null when the limit is not reached. */
  function check(holder: 'key' | 'project', leftMs: number | null): void {
    if (leftMs === null) return;
    metrics.throttled.add({ budget: 'requests', holder });
    const used =
      holder === 'key'
        ? `This API key has used up its ${keys.limit}`
        : `This project has used up its ${projects.limit}`;
    throw throttled(`${used} requests of a minute.`, leftMs);
  }

  /** Records the remaining budget for the response's headers. */
  function note(keyId: string, project: string | null, now: number): void {
    const facts = currentFacts();
    if (facts === null) return;
    const ofKey = stateOf(keys, keyId, now);
    const ofProject = project === null ? null : stateOf(projects, project, now);
    const isProjects = ofKey === null || (ofProject?.remaining ?? ofKey.limit) < ofKey.remaining;
    facts.rate = isProjects ? ofProject : ofKey;
  }

  return {
    takeNow({ keyId }, projectId) {
      const now = nowMs();
      const project = String(projectId);
      const leftMs = keys.takeNow(keyId, now);
      const leftOfProjectMs = leftMs === null ? projects.takeNow(project, now) : null;
      note(keyId, project, now);
      check('key', leftMs);
      check('project', leftOfProjectMs);
    },
    async take({ keyId }, projectId) {
      const project = projectId === null ? null : String(projectId);
      const leftMs = await keys.take(keyId);
      const isCounted = leftMs === null && project !== null;
      const leftOfProjectMs = isCounted ? await projects.take(project) : null;
      note(keyId, project, nowMs());
      check('key', leftMs);
      check('project', leftOfProjectMs);
    },
    countRefusedKey(address) {
      const leftMs = address === null ? null : refusedKeys.take(address);
      if (leftMs === null) return;
      metrics.throttled.add({ budget: 'authentication', holder: 'address' });
      throw throttled('Too many invalid API keys were sent from this address.', leftMs);
    },
  };
}

function stateOf(budget: Budget, holder: string, now: number): RateState | null {
  const read = budget.read(holder, now);
  if (read === null) return null;
  const { limit } = budget;
  const remaining = Math.max(0, limit - read.count);
  return { limit, remaining, resetSeconds: Math.max(1, Math.ceil(read.leftMs / 1000)) };
}

function throttled(sentence: string, leftMs: number): ServiceError {
  const retryAfterSeconds = Math.max(1, Math.ceil(leftMs / 1000));
  return new ServiceError('throttled', `${sentence} Try again in ${retryAfterSeconds} s.`, {
    retryAfterSeconds,
  });
}
