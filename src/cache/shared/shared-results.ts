/**
 * Results that processes share through Redis, and leases that let one process compute what several need. Any fault of
 * Redis is a cache miss: nothing here rejects, and nothing takes longer than the timeout of a Redis request.
 */
import { randomUUID } from 'node:crypto';
import type { Clock } from '../../lib/clock.ts';
import type { Counter } from '../../metrics/registry.ts';
import type { CachedResult } from '../result-cache.ts';
import type { Redis } from './redis.ts';
import {
  findScript,
  leaseScript,
  leaveAloneScript,
  releaseScript,
  renewScript,
} from './scripts.ts';
import { decodeResult, encodeResult, formatVersion } from './stored-result.ts';

export interface SharedResults {
  /** The stored result; `unreachable` when Redis does not respond. */
  find(key: string): Promise<Found>;
  /** The same, and takes the key's lease if it is free. Runs of different groups do not wait for each other. */
  takeLease(key: string, group: string): Promise<Found & { readonly turn: Turn }>;
  /** Stores a result for its cache age, in the background. False when it cannot be stored. */
  store(key: string, result: CachedResult, cacheAgeSeconds: number): boolean;
  /** How long to wait for the lease holder. */
  readonly waitMs: number;
  /** Resolves when all pending writes to Redis were accepted or given up. */
  settled(): Promise<void>;
}

interface Found {
  readonly result: CachedResult | null;
  readonly isReachable: boolean;
}

/** `held`: another process is computing. `alone`: do not wait for another process. */
type Turn = Lease | 'held' | 'alone';

/** The right to compute for all processes. It is renewed until it ends, and soon expires when its process dies. */
export interface Lease {
  /** The result is stored, or nobody is waiting for it any more. */
  release(): void;
  /** There will be no shared result: for some seconds every process computes its own. */
  leaveAlone(): void;
}

export interface SharedResultsOptions {
  readonly redis: Redis;
  readonly clock: Clock;
  /** Results with a larger value are not stored. */
  readonly maxValueBytes: number;
  /** Counts requests by outcome. */
  readonly counter: Counter;
  readonly times?: Partial<SharedTimes> | undefined;
}

export interface SharedTimes {
  /**
   * How long a run waits for another process. A longer query is computed by each process that needs it, so that none
   * waits for a failure and then takes as long again.
   */
  readonly waitMs: number;
  /** A lease expires when it is not renewed for this long, because its process has died. */
  readonly leaseMs: number;
  /** How long after a failure every process computes its own. */
  readonly aloneMs: number;
}

const prefix = `querydock:result:${formatVersion}`;
const defaultTimes: SharedTimes = { waitMs: 5000, leaseMs: 3000, aloneMs: 5000 };
/** Limit for unacknowledged bytes, beyond which nothing more is stored. */
const maxPendingBytes = 67_108_864;
/**
 * A value whose age is understated by more than this, compared with Redis's clock, came from a process whose clock is
 * ahead. It is not used, because its age would be too low here.
 */
const maxSkewMs = 250;

const nothing: Found = { result: null, isReachable: true };
const unreachable: Found = { result: null, isReachable: false };

export function openSharedResults(options: SharedResultsOptions): SharedResults {
  const { redis, clock, counter } = options;
  const { waitMs, leaseMs, aloneMs } = { ...defaultTimes, ...options.times };
  let pendingBytes = 0;
  const pending = new Set<Promise<unknown>>();
  /** Redis's time at a moment of this process's monotonic clock, or slightly before it. */
  let sample: { readonly redisMs: number; readonly atMs: number } | null = null;
  redis.onConnect(() => {
    sample = null;
  });
  const count = (outcome: string): void => counter.add({ outcome });

  function inBackground(parts: readonly (string | Buffer)[]): void {
    track(redis.binary(parts));
  }

  function track(work: Promise<unknown>): void {
    pending.add(work);
    void work.then(() => pending.delete(work));
  }

  /** False while too much is unacknowledged. */
  function storeValue(parts: readonly (string | Buffer)[], { length }: Buffer): boolean {
    if (pendingBytes + length > maxPendingBytes) return false;
    const work = redis.write(async (client) => {
      pendingBytes += length;
      return client.sendCommand([...parts]).finally(() => {
        pendingBytes -= length;
      });
    });
    track(work.then((reply) => count(reply === null ? 'unreachable' : 'stored')));
    return true;
  }

  async function runScript(
    key: string,
    script: readonly (string | Buffer)[],
  ): Promise<ScriptReply | null> {
    const reply = await redis.binary<readonly [Buffer | null, Buffer, Buffer, Buffer]>(script);
    if (reply === null) {
      count('unreachable');
      return null;
    }
    const [value, seconds, micros, state] = reply;
    const redisMs = Number(seconds.toString()) * 1000 + Number(micros.toString()) / 1000;
    sample = { redisMs, atMs: performance.now() };
    return { result: read(key, value, redisMs), state: state.toString() };
  }

  function read(key: string, value: Buffer | null, redisMs: number): CachedResult | null {
    if (value === null) return null;
    const stored = decode(key, value);
    if (stored === null) {
      count('damaged');
      return null;
    }
    const { result } = stored;
    const ageMs = clock.now().getTime() - result.computedAt.getTime();
    if (ageMs >= redisMs - stored.redisMs - maxSkewMs) return result;
    count('skewed');
    return null;
  }

  function openLease(lease: string, token: string): Lease {
    const timer = setInterval(
      () => inBackground(['EVAL', renewScript, '1', lease, token, String(leaseMs)]),
      leaseMs / 3,
    );
    timer.unref();
    const end = (parts: readonly string[]) => {
      clearInterval(timer);
      inBackground(parts);
    };
    return {
      release: () => end(['EVAL', releaseScript, '1', lease, token]),
      leaveAlone: () => end(['EVAL', leaveAloneScript, '1', lease, token, String(aloneMs)]),
    };
  }

  return {
    waitMs,
    async find(key) {
      const reply = await runScript(key, ['EVAL', findScript, '1', valueKey(key)]);
      if (reply === null) return unreachable;
      return reply.result === null ? nothing : { ...nothing, result: reply.result };
    },
    async takeLease(key, group) {
      const token = randomUUID();
      const lease = leaseKey(key, group);
      const keys = ['2', valueKey(key), lease];
      const reply = await runScript(key, ['EVAL', leaseScript, ...keys, token, String(leaseMs)]);
      if (reply === null) return { ...unreachable, turn: 'alone' };
      const { result, state } = reply;
      if (state === 'mine') return { ...nothing, result, turn: openLease(lease, token) };
      return { ...nothing, result, turn: state === 'held' ? 'held' : 'alone' };
    },
    store(key, result, cacheAgeSeconds) {
      const ttlMs = cacheAgeSeconds * 1000;
      if (sample === null || ttlMs <= 0) return false;
      const { maxValueBytes } = options;
      const nowMs = sample.redisMs + performance.now() - sample.atMs;
      const redisMs = nowMs - Math.max(0, clock.now().getTime() - result.computedAt.getTime());
      const isTooLarge = result.rows.length > maxValueBytes;
      const value = isTooLarge ? null : encodeResult(key, { result, redisMs });
      const isStored = value !== null && value.length <= maxValueBytes;
      if (!isStored) count('too_large');
      return isStored && storeValue(['SET', valueKey(key), value, 'PX', String(ttlMs)], value);
    },
    async settled() {
      await Promise.all(pending);
    },
  };
}

interface ScriptReply {
  readonly result: CachedResult | null;
  readonly state: string;
}

/** The braces put both keys into one slot of a Redis cluster. */
const valueKey = (key: string): string => `${prefix}:{${key}}`;
const leaseKey = (key: string, group: string): string => `${prefix}:{${key}}:lease:${group}`;

function decode(key: string, value: Buffer) {
  try {
    return decodeResult(key, value);
  } catch {
    return null;
  }
}
