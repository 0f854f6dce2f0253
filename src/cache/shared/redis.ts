/**
 * The single connection to Redis for what processes share. When Redis is down or slow, a request ends without a
 * response within a quarter of a second, and its caller continues alone.
 */
import { createClient } from 'redis';
import type { Log } from '../../lib/log.ts';

export type RedisClient = ReturnType<typeof connect>;

export interface Redis {
  readonly client: RedisClient;
  /** Whether it is connected, and not paused after a request that timed out. */
  isUp(): boolean;
  /** The result of the work; null when it fails, times out, or Redis is not up. Never rejects. */
  request<T>(work: (client: RedisClient) => Promise<T>): Promise<T | null>;
  /** Calls back at each connect, since the server may then have another clock. */
  onConnect(listener: () => void): void;
  close(): void;
}

export interface RedisTimes {
  /** Timeout of a request. */
  readonly responseMs: number;
  /** How long Redis is not called after a timeout, so that not every caller waits for it. */
  readonly pauseMs: number;
}

const defaultTimes: RedisTimes = { responseMs: 250, pauseMs: 1000 };
const connectMs = 2000;
const maxReconnectMs = 2000;
const maxPending = 10_000;

export interface RedisOptions {
  readonly url: string;
  readonly log: Log;
  readonly times?: Partial<RedisTimes> | undefined;
}

function connect(url: string) {
  return createClient({
    url,
    disableOfflineQueue: true,
    // Keeps commands for a hanging Redis from accumulating.
    commandsQueueMaxLength: maxPending,
    socket: {
      connectTimeout: connectMs,
      reconnectStrategy: (tries: number) => Math.min(maxReconnectMs, 50 * 2 ** Math.min(tries, 10)),
    },
  });
}

/** Returns at once: it connects and reconnects in the background. */
export function openRedis(options: RedisOptions): Redis {
  const { log } = options;
  const times = { ...defaultTimes, ...options.times };
  const client = connect(options.url);
  const listeners: (() => void)[] = [];
  let isUnavailable = false;
  let pausedUntil = 0;
  client.on('error', (error: Error) => {
    if (!isUnavailable)
      log.warn({ reason: error.message }, 'Redis is unreachable: each process works on its own');
    isUnavailable = true;
  });
  client.on('ready', () => {
    if (isUnavailable) log.info({}, 'Redis is back');
    isUnavailable = false;
    pausedUntil = 0;
    for (const listener of listeners) listener();
  });
  client.connect().catch(() => undefined);
  const isUp = () => client.isReady && performance.now() >= pausedUntil;

  return {
    client,
    isUp,
    async request(work) {
      if (!isUp()) return null;
      const outcome = await inTime(attempt(client, work), times.responseMs);
      if (outcome !== 'late') return outcome.value;
      if (client.isReady) pausedUntil = performance.now() + times.pauseMs;
      return null;
    },
    onConnect: (listener) => void listeners.push(listener),
    close: () => client.destroy(),
  };
}

type Outcome<T> = { readonly value: T | null } | 'late';

function inTime<T>(work: Promise<T>, ms: number): Promise<Outcome<T>> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve('late'), ms);
    const settle = (value: T | null) => {
      clearTimeout(timer);
      resolve({ value });
    };
    work.then(settle, () => settle(null));
  });
}

/** Async, so that a synchronous failure rejects as well. */
async function attempt<T>(
  client: RedisClient,
  work: (client: RedisClient) => Promise<T>,
): Promise<T> {
  return work(client);
}
