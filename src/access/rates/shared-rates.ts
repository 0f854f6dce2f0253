/**
 * Counts that several processes share through Redis. When Redis is down or slow, the caller gets null within a quarter
 * of a second and counts by itself.
 */
import { RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';
import { createClient } from 'redis';
import type { Log } from '../../lib/log.ts';
import { windowMs } from './rate-window.ts';

export interface SharedRates {
  /** Counts of one kind, each key with a window of its own. */
  open(kind: { readonly name: string; readonly limit: number }): SharedRate;
  close(): void;
}

export interface SharedRate {
  /** Counts `points` more. Null: Redis did not count them. */
  add(key: string, points: number): Promise<SharedCount | null>;
}

export interface SharedCount {
  readonly isPastLimit: boolean;
  /** The count of all processes, including requests past the limit; 0 when only the block is known. */
  readonly count: number;
  readonly leftMs: number;
}

export interface SharedRatesOptions {
  readonly url: string;
  readonly log: Log;
  /** Called for each count that Redis did not take. */
  readonly onMiss: () => void;
}

const responseMs = 250;
/** For so long after a timeout Redis is not called again, so that not every caller waits for it. */
const pauseMs = 1000;
const connectMs = 2000;
const maxReconnectMs = 2000;
const keyPrefix = 'querydock:rate';

/** Returns at once: the connection is made, and made again, on its own. */
export function openSharedRates(options: SharedRatesOptions): SharedRates {
  const { log } = options;
  const client = createClient({
    url: options.url,
    disableOfflineQueue: true,
    socket: {
      connectTimeout: connectMs,
      reconnectStrategy: (tries) => Math.min(maxReconnectMs, 50 * 2 ** Math.min(tries, 10)),
    },
  });
  let isAway = false;
  let pausedUntil = 0;
  client.on('error', (error: Error) => {
    if (!isAway)
      log.warn({ reason: error.message }, 'Redis is away: each process counts by itself');
    isAway = true;
  });
  client.on('ready', () => {
    if (isAway) log.info({}, 'Redis is back');
    isAway = false;
    pausedUntil = 0;
  });
  client.connect().catch(() => undefined);

  async function request(count: () => Promise<RateLimiterRes>): Promise<SharedCount | null> {
    if (!client.isReady || performance.now() < pausedUntil) return miss();
    const outcome = await inTime(outcomeOf(count()));
    if (outcome !== null) return outcome;
    if (client.isReady) pausedUntil = performance.now() + pauseMs;
    return miss();
  }

  function miss(): null {
    options.onMiss();
    return null;
  }

  return {
    open({ name, limit }) {
      const limiter = new RateLimiterRedis({
        storeClient: client,
        useRedisPackage: true,
        keyPrefix: `${keyPrefix}:${name}`,
        points: limit,
        duration: windowMs / 1000,
        // A key past the limit is refused without a call to Redis.
        inMemoryBlockOnConsumed: limit + 1,
      });
      return { add: (key, points) => request(() => limiter.consume(key, points)) };
    },
    close: () => client.destroy(),
  };
}

/** The library throws its result when the limit is passed, and an error when there is none. */
async function outcomeOf(counted: Promise<RateLimiterRes>): Promise<SharedCount | null> {
  try {
    return toCount(await counted, false);
  } catch (outcome) {
    return outcome instanceof RateLimiterRes ? toCount(outcome, true) : null;
  }
}

function toCount(result: RateLimiterRes, isPastLimit: boolean): SharedCount {
  return { isPastLimit, count: result.consumedPoints, leftMs: result.msBeforeNext };
}

async function inTime<T>(work: Promise<T>): Promise<T | null> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<null>((resolve) => {
    timer = setTimeout(() => resolve(null), responseMs);
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}
