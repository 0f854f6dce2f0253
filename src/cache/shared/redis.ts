/**
 * The single connection to Redis for what processes share, in a module of its own that is loaded only where Redis is
 * used: its client is a fifth of all modules of the service. When Redis is down or slow, a request ends without a
 * response within a quarter of a second, and its caller continues alone.
 */
import { createClient, RESP_TYPES } from '@redis/client';
import type { Log } from '../../lib/log.ts';

type RedisClient = ReturnType<typeof connect>;

export interface Redis {
  readonly client: RedisClient;
  /** The reason why it cannot be used; null when it responds and takes writes. */
  check(): Promise<string | null>;
  /**
   * The result of the work; null when it fails, times out, or Redis is not connected or paused after a timeout. Never
   * rejects.
   */
  request<T>(work: Work<T>): Promise<T | null>;
  /** The same for work that writes, which Redis may refuse although it responds: when it is full, or a replica. */
  write<T>(work: Work<T>): Promise<T | null>;
  /** The same for one command whose reply has a Buffer for each text. */
  binary<T>(command: Command): Promise<T | null>;
  /** Calls back at each connect, since the server may then have another clock. */
  onConnect(listener: () => void): void;
  close(): void;
}

type Command = readonly (string | Buffer)[];

type Work<T> = (client: RedisClient) => Promise<T>;

export interface RedisTimes {
  /** Timeout of a request. */
  readonly responseMs: number;
  /** How long Redis is not called after a timeout, so that not every caller waits for it. */
  readonly pauseMs: number;
  /** How long it counts as refusing commands after the last one that it refused, since it may take others. */
  readonly refusalMs: number;
  /** How long a connection may be silent before a new one replaces it. */
  readonly silentMs: number;
  /** Minimum interval between two warnings. */
  readonly warnEveryMs: number;
}

const defaultTimes: RedisTimes = {
  responseMs: 250,
  pauseMs: 1000,
  refusalMs: 30_000,
  silentMs: 5000,
  warnEveryMs: 60_000,
};
const asBuffers = { typeMapping: { [RESP_TYPES.BLOB_STRING]: Buffer } };
const connectMs = 2000;
const maxReconnectMs = 2000;
/** For the socket of a connection to close. */
const closeMs = 100;
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
  let fault: Fault | null = null;
  let refusedAt = 0;
  let warnedAt = Number.NEGATIVE_INFINITY;
  /** Whether the fault was logged. */
  let isWarned = false;
  let pausedUntil = 0;
  /** When the first command timed out since the last response. */
  let silentSince: number | null = null;
  /** A server that accepts the connection may not respond to the login. */
  let login: NodeJS.Timeout | undefined;
  let reopening: NodeJS.Timeout | undefined;

  function fail(found: Fault): void {
    const now = performance.now();
    if (found.isRefusal) refusedAt = now;
    if (fault === null && now - warnedAt >= times.warnEveryMs) {
      log.warn({ reason: found.reason }, `${found.text}: each process works on its own`);
      warnedAt = now;
      isWarned = true;
    }
    fault = found;
  }

  function succeed(isWrite: boolean): void {
    if (fault === null) return;
    const mayRefuseOthers = performance.now() - refusedAt < times.refusalMs;
    if (fault.isRefusal && (!isWrite || mayRefuseOthers)) return;
    fault = null;
    if (isWarned) log.info({}, 'Redis is back');
    isWarned = false;
  }

  /**
   * The network does not report that the other side is gone, for example after a failover to another address. The client
   * would hold such a connection for a quarter of an hour.
   */
  function replaceConnection(): void {
    fail(unanswered);
    silentSince = null;
    client.destroy();
    reopening = setTimeout(open, closeMs);
  }

  function open(): void {
    client.connect().catch(() => undefined);
  }

  client.on('error', ({ message }: Error) => {
    clearTimeout(login);
    fail(unreachable(message));
  });
  client.on('connect', () => {
    clearTimeout(login);
    login = setTimeout(replaceConnection, times.silentMs);
  });
  client.on('ready', () => {
    clearTimeout(login);
    silentSince = null;
    succeed(true);
    pausedUntil = 0;
    for (const listener of listeners) listener();
  });
  open();

  async function request<T>(work: Work<T>, isWrite: boolean): Promise<T | null> {
    if (!client.isReady || performance.now() < pausedUntil) return null;
    const outcome = await inTime(attempt(client, work), times.responseMs);
    if (outcome === 'late') {
      if (client.isReady) {
        const now = performance.now();
        pausedUntil = now + times.pauseMs;
        fail(unanswered);
        silentSince ??= now;
        if (now - silentSince >= times.silentMs) replaceConnection();
      }
      return null;
    }
    silentSince = null;
    if ('value' in outcome) {
      succeed(isWrite);
      return outcome.value;
    }
    const reason = outcome.error instanceof Error ? outcome.error.message : String(outcome.error);
    if (REFUSAL.test(reason)) fail({ text: 'Redis refuses commands', reason, isRefusal: true });
    return null;
  }

  return {
    client,
    async check() {
      const isWritten = await request((to) => to.set(probeKey, '1', { PX: 60_000 }), true);
      if (fault?.isRefusal === true) return 'refuses commands';
      return isWritten === null ? 'does not answer' : null;
    },
    request: (work) => request(work, false),
    write: (work) => request(work, true),
    binary: (command) => request((to) => to.sendCommand([...command], asBuffers), false),
    onConnect: (listener) => void listeners.push(listener),
    close() {
      clearTimeout(login);
      clearTimeout(reopening);
      client.destroy();
    },
  };
}

interface Fault {
  /** For the log. */
  readonly text: string;
  readonly reason: string;
  /** Whether Redis responds; a read then shows nothing about writes. */
  readonly isRefusal: boolean;
}

const unreachable = (reason: string): Fault => ({
  text: 'Redis is unreachable',
  reason,
  isRefusal: false,
});
const unanswered: Fault = {
  text: 'Redis does not respond',
  reason: 'a command timed out',
  isRefusal: false,
};

/** Replies of a server that is full, a replica, starting, or that wants another login; others are about one key. */
const REFUSAL =
  /^(?:OOM|READONLY|NOPERM|NOAUTH|MISCONF|LOADING|BUSY|NOREPLICAS|MASTERDOWN|CLUSTERDOWN)\b|-(?:OOM|READONLY|NOPERM|MISCONF) /;

/** Among the counters of rates, which a user of Redis may be limited to. */
const probeKey = 'querydock:rate:probe';

type Outcome<T> = { readonly value: T } | { readonly error: unknown } | 'late';

function inTime<T>(work: Promise<T>, ms: number): Promise<Outcome<T>> {
  return new Promise((resolve) => {
    // After a pause of this process a response may be there, not read yet.
    const timer = setTimeout(() => setImmediate(() => resolve('late')), ms);
    const settle = (outcome: Outcome<T>) => {
      clearTimeout(timer);
      resolve(outcome);
    };
    work.then(
      (value) => settle({ value }),
      (error) => settle({ error }),
    );
  });
}

/** Async, so that a synchronous failure rejects as well. */
async function attempt<T>(
  client: RedisClient,
  work: (client: RedisClient) => Promise<T>,
): Promise<T> {
  return work(client);
}
