/**
 * Counts shared by several processes through Redis. When Redis is down or slow, the caller gets null and counts
 * separately.
 */
import { RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';
import type { Redis } from '../../cache/shared/redis.ts';
import { windowMs } from './rate-window.ts';

export interface SharedRates {
  /** Counts of one kind; each key has its own window. */
  open(kind: { readonly name: string; readonly limit: number }): SharedRate;
}

interface SharedRate {
  /** Adds `points`. Null when Redis did not count them. */
  add(key: string, points: number): Promise<SharedCount | null>;
}

export interface SharedCount {
  readonly isPastLimit: boolean;
  /** The total of all processes, including requests past the limit. */
  readonly count: number;
  /** At most a window. */
  readonly leftMs: number;
}

export interface SharedRatesOptions {
  readonly redis: Redis;
  /** Whose projects are counted: another one may have the same Redis, and projects with the same ids. */
  readonly deployment: string;
  /** Called for each count that Redis did not accept. */
  readonly onMiss: () => void;
}

const keyPrefix = 'querydock:rate';

export function openSharedRates({ redis, deployment, onMiss }: SharedRatesOptions): SharedRates {
  async function request(count: () => Promise<RateLimiterRes>): Promise<SharedCount | null> {
    const outcome = await redis.write(() => outcomeOf(count()));
    if (outcome === null) onMiss();
    return outcome;
  }

  return {
    open({ name, limit }) {
      const limiter = new RateLimiterRedis({
        storeClient: redis.client,
        useRedisPackage: true,
        keyPrefix: `${keyPrefix}:${name}:${deployment}`,
        points: limit,
        duration: windowMs / 1000,
      });
      return {
        async add(key, points) {
          const counted = await request(() => limiter.consume(key, points));
          if (counted === null || counted.leftMs <= windowMs) return counted;
          // As after the clock of Redis was set back, or somebody else wrote it.
          void redis.write((client) => client.pExpire(limiter.getKey(key), windowMs));
          return { ...counted, leftMs: windowMs };
        },
      };
    },
  };
}

/** The library throws its result when the limit is exceeded, and an error when there is no result. */
async function outcomeOf(counted: Promise<RateLimiterRes>): Promise<SharedCount> {
  try {
    return toCount(await counted, false);
  } catch (outcome) {
    if (outcome instanceof RateLimiterRes) return toCount(outcome, true);
    throw outcome;
  }
}

function toCount(result: RateLimiterRes, isPastLimit: boolean): SharedCount {
  return { isPastLimit, count: result.consumedPoints, leftMs: result.msBeforeNext };
}
