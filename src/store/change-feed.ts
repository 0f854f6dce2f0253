/** Receives the changes of all processes, including this one, by LISTEN on its own connection. */
import { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import type { Log } from '../lib/log.ts';
import { type Change, changeChannel, parseChange } from './change.ts';

export interface ChangeFeed {
  /** Calls back for each committed change, including this process's own. Returns a function that stops listening. */
  onChange(listener: (change: Change) => void): () => void;
  /**
   * Calls back whenever changes may have been missed: when the connection is lost, when it is back, and for a change
   * that this build does not understand. All caches must then be dropped. Returns a function that stops listening.
   */
  onGap(listener: () => void): () => void;
  /** While false, caches are not invalidated, so only their maximum age bounds them. */
  isConnected(): boolean;
  close(): Promise<void>;
}

export interface ChangeFeedOptions {
  readonly connection: pg.ClientConfig;
  readonly log: Log;
  /** Interval of probes of an idle connection, which detect silent failures; milliseconds. */
  readonly heartbeatMs?: number;
}

/** The connection's application name in PostgreSQL. */
export const changeFeedName = 'querydock change feed';

const longestWaitMs = 5000;

interface Listening {
  /** Settles when the connection is gone. */
  readonly lost: Promise<void>;
  drop(): void;
}

/**
 * Resolves when the feed receives changes; rejects when the first connection fails. It reconnects by itself after that.
 */
export async function openChangeFeed(options: ChangeFeedOptions): Promise<ChangeFeed> {
  const { log } = options;
  const changes = new Set<(change: Change) => void>();
  const gaps = new Set<() => void>();
  const closing = new AbortController();
  const notifyGap = () => callAll(gaps, undefined, log);
  const onPayload = (payload: string) => {
    const change = parseChange(payload);
    if (change === null) notifyGap();
    else callAll(changes, change, log);
  };

  let current: Listening | null = await listen(options, onPayload);
  const keepListening = async () => {
    while (current !== null) {
      await current.lost;
      current = null;
      if (closing.signal.aborted) return;
      log.warn('the change feed lost its connection');
      notifyGap();
      current = await listenAgain(options, onPayload, closing.signal);
      if (current === null) return;
      if (closing.signal.aborted) current.drop();
      else notifyGap();
    }
  };
  const done = keepListening();

  return {
    onChange: (listener) => add(changes, listener),
    onGap: (listener) => add(gaps, listener),
    isConnected: () => current !== null && !closing.signal.aborted,
    async close() {
      closing.abort();
      current?.drop();
      await done;
    },
  };
}

function add<T>(all: Set<T>, one: T): () => void {
  all.add(one);
  return () => all.delete(one);
}

/** Calls the other listeners even if one fails. */
function callAll<T>(listeners: ReadonlySet<(value: T) => void>, value: T, log: Log): void {
  for (const listener of listeners) {
    try {
      listener(value);
    } catch (error) {
      log.error({ err: error }, 'a change feed listener failed');
    }
  }
}

async function listenAgain(
  options: ChangeFeedOptions,
  onPayload: (payload: string) => void,
  signal: AbortSignal,
): Promise<Listening | null> {
  for (let waitMs = 50; !signal.aborted; waitMs = Math.min(waitMs * 2, longestWaitMs)) {
    try {
      return await listen(options, onPayload);
    } catch (error) {
      options.log.debug({ err: error }, 'the change feed could not connect yet');
    }
    await delay(waitMs, undefined, { signal }).catch(() => {});
  }
  return null;
}

async function listen(
  options: ChangeFeedOptions,
  onPayload: (payload: string) => void,
): Promise<Listening> {
  // Our own socket, because destroying it also ends a connection that no longer responds.
  const socket = new Socket();
  const client = new pg.Client({
    ...options.connection,
    application_name: changeFeedName,
    stream: () => socket,
  });
  const lost = new Promise<void>((resolve) => {
    client.once('end', resolve);
    client.on('error', () => socket.destroy());
    socket.once('close', () => resolve());
  });
  client.on('notification', ({ payload }) => onPayload(payload ?? ''));
  try {
    await client.connect();
    await client.query(`LISTEN ${changeChannel}`);
  } catch (error) {
    socket.destroy();
    throw error;
  }
  const stopBeating = beat(client, options.heartbeatMs ?? 5000, () => socket.destroy());
  void lost.then(stopBeating);
  return { lost, drop: () => socket.destroy() };
}

/** Probes the connection; calls `onSilent` when there is no response before the next probe. */
function beat(client: pg.Client, everyMs: number, onSilent: () => void): () => void {
  let waiting = false;
  const timer = setInterval(() => {
    if (waiting) return onSilent();
    waiting = true;
    client.query('SELECT 1').then(
      () => {
        waiting = false;
      },
      () => onSilent(),
    );
  }, everyMs);
  timer.unref();
  return () => clearInterval(timer);
}
