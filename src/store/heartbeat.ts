/**
 * Notices a PostgreSQL that has gone silent: one that was stopped, or whose network carries nothing more. Without it a
 * statement that was sent would wait for as long as that lasts, with whoever asked.
 */
import { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import type { Log } from '../lib/log.ts';

export interface Heartbeat {
  /** While true nothing that is sent is answered. False also for a PostgreSQL that refuses: it answers. */
  isSilent(): boolean;
  stop(): Promise<void>;
}

export interface HeartbeatOptions {
  readonly connection: pg.ClientConfig;
  readonly log: Log;
  /** Called each time silence begins. */
  readonly onSilent: () => void;
  /** Between two signs of life; default 1 s. */
  readonly everyMs?: number;
  /** How long one is waited for; default 4 s. */
  readonly patienceMs?: number;
}

type Sign = 'alive' | 'refused' | 'silent';

const againMs = 200;
/** When this process itself was held up, an answer that has come is still to be read. */
const graceMs = 250;

interface Line {
  readonly client: pg.Client;
  readonly socket: Socket;
}

/** Asks for signs of life on a connection of its own until it is stopped. Keeps no process alive. */
export function startHeartbeat(options: HeartbeatOptions): Heartbeat {
  const { everyMs = 1000, patienceMs = 4000 } = options;
  const stopping = new AbortController();
  let line: Line | null = null;
  let silent = false;

  async function feel(): Promise<Sign> {
    line ??= openLine(options.connection);
    const { client, socket } = line;
    const sign = await signOf(client, patienceMs);
    if (sign !== 'alive') {
      socket.destroy();
      line = null;
    }
    return sign;
  }

  async function watch(): Promise<void> {
    while (!stopping.signal.aborted) {
      const sign = await feel();
      if (stopping.signal.aborted) return;
      if (sign === 'silent' && !silent) {
        silent = true;
        options.log.warn('the records do not answer; their connections are cut');
        options.onSilent();
      } else if (sign !== 'silent' && silent) {
        silent = false;
        options.log.info('the records answer again');
      }
      await pause(silent ? againMs : everyMs, stopping.signal);
    }
  }

  const done = watch();
  return {
    isSilent: () => silent,
    async stop() {
      stopping.abort();
      line?.socket.destroy();
      await done;
    },
  };
}

/** Our own socket: destroying it ends a connection that does not answer any more, too. */
function openLine(connection: pg.ClientConfig): Line {
  const socket = new Socket();
  const client = new pg.Client({ ...connection, stream: () => socket });
  client.on('error', () => socket.destroy());
  socket.unref();
  void client.connect().catch(() => socket.destroy());
  return { client, socket };
}

/** A line that is being opened answers when it is open. */
function signOf(client: pg.Client, patienceMs: number): Promise<Sign> {
  return new Promise((resolve) => {
    let late = setTimeout(() => {
      late = setTimeout(() => resolve('silent'), graceMs).unref();
    }, patienceMs).unref();
    const settle = (sign: Sign) => {
      clearTimeout(late);
      resolve(sign);
    };
    client.query('SELECT 1').then(
      () => settle('alive'),
      () => settle('refused'),
    );
  });
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await delay(ms, undefined, { signal, ref: false }).catch(() => undefined);
}
