/**
 * Counts that several processes share through Redis. A Redis that is away or slow is an answer too, within a
 * quarter of a second: the caller then counts by itself.
 */
import { RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';
import { createClient } from 'redis';
import type { Log } from '../../lib/log.ts';

export interface SharedRates {
  /** Counts of one kind, each key with a window of its own. */
  open(kind: { readonly name: string; readonly limit: number }): SharedRate;
  close(): void;
}

export interface SharedRate {
  /** Counts `points` more. Null: Redis could not be asked. */
  add(key: string, points: number): Promise<SharedCount | null>;
}

export interface SharedCount {
  readonly isPastLimit: boolean;
  /** Of all processes; what went past the limit is counted, too. */
  readonly count: number;
  readonly leftMs: number;
}

export interface SharedRatesOptions {
  readonly url: string;
  readonly windowSeconds: number;
  readonly log: Log;
  /** A count that Redis did not take. */
  readonly onMiss: () => void;
}

const answerMs = 250;
/** After a Redis that did not answer in time it is left alone for so long, so that not every caller waits for it. */
const restMs = 1000;
const connectMs = 2000;
const longestPauseMs = 2000;
const keyPrefix = 'querydock:rate';

/** Returns at once: the connection is made, and made again, on its own. */
export function openSharedRates(options: SharedRatesOptions): SharedRates {
  const { log } = options;
  const client = createClient({
    url: options.url,
    disableOfflineQueue: true,
    socket: {
      connectTimeout: connectMs,
      reconnectStrategy: (tries) => Math.min(longestPauseMs, 50 * 2 ** Math.min(tries, 10)),
    },
  });
  let isAway = false;
  let restsUntil = 0;
  client.on('error', (error: Error) => {
    if (!isAway)
      log.warn({ reason: error.message }, 'Redis is away: each process counts by itself');
    isAway = true;
  });
  client.on('ready', () => {
    if (isAway) log.info({}, 'Redis is back');
    isAway = false;
    restsUntil = 0;
  });
  client.connect().catch(() => undefined);

  async function ask(count: () => Promise<RateLimiterRes>): Promise<SharedCount | null> {
    if (!client.isReady || performance.now() < restsUntil) return miss();
    const answer = await inTime(outcomeOf(count()));
    if (answer !== null) return answer;
    if (client.isReady) restsUntil = performance.now() + restMs;
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
        duration: options.windowSeconds,
        // Who is past the limit is told so without a word to Redis.
        inMemoryBlockOnConsumed: limit + 1,
      });
      return { add: (key, points) => ask(() => limiter.consume(key, points)) };
    },
    close: () => client.destroy(),
  };
}

/** The library throws its answer when the limit is passed, and errors when there is none. */
async function outcomeOf(counted: Promise<RateLimiterRes>): Promise<SharedCount | null> {
  try {
    return toCount(await counted, false);
  } catch (outcome) {
    return outcome instanceof RateLimiterRes ? toCount(outcome, true) : null;
  }
}

function toCount(answer: RateLimiterRes, isPastLimit: boolean): SharedCount {
  return { isPastLimit, count: answer.consumedPoints, leftMs: answer.msBeforeNext };
}

async function inTime<T>(work: Promise<T>): Promise<T | null> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<null>((resolve) => {
    timer = setTimeout(() => resolve(null), answerMs);
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}
