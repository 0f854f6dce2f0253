/**
 * Detects a PostgreSQL that no longer responds because it was suspended or the network is down. Without it, pending
 * statements and their callers would wait for as long as that lasts.
 */
import { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import type { Log } from '../lib/log.ts';

export interface Heartbeat {
  /** Whether PostgreSQL does not respond. False while it refuses connections, because a refusal is a response. */
  isSilent(): boolean;
  stop(): Promise<void>;
}

export interface HeartbeatOptions {
  readonly connection: pg.ClientConfig;
  readonly log: Log;
  /** Called each time PostgreSQL stops responding. */
  readonly onSilent: () => void;
  /** Interval between probes; default 1 s. */
  readonly everyMs?: number;
  /** Timeout of a probe; default 4 s. */
  readonly timeoutMs?: number;
}

type Outcome = 'alive' | 'refused' | 'silent';

const retryMs = 200;
/** A timeout is counted in as many steps, so that time in which this process itself is blocked counts as one of them. */
const steps = 20;

interface Probe {
  readonly client: pg.Client;
  readonly socket: Socket;
}

/** Probes on its own connection until it is stopped. Its timer does not keep the process alive. */
export function startHeartbeat(options: HeartbeatOptions): Heartbeat {
  const { everyMs = 1000, timeoutMs = 4000 } = options;
  const stopping = new AbortController();
  let probe: Probe | null = null;
  let silent = false;

  async function beat(): Promise<Outcome> {
    probe ??= openProbe(options.connection);
    const { client, socket } = probe;
    const outcome = await outcomeOf(client, timeoutMs);
    if (outcome !== 'alive') {
      socket.destroy();
      probe = null;
    }
    return outcome;
  }

  async function watch(): Promise<void> {
    while (!stopping.signal.aborted) {
      const outcome = await beat();
      if (stopping.signal.aborted) return;
      if (outcome === 'silent' && !silent) {
        silent = true;
        options.log.warn('PostgreSQL does not respond; its connections were closed');
        options.onSilent();
      } else if (outcome !== 'silent' && silent) {
        silent = false;
        options.log.info('PostgreSQL responds again');
      }
      await pause(silent ? retryMs : everyMs, stopping.signal);
    }
  }

  const done = watch();
  return {
    isSilent: () => silent,
    async stop() {
      stopping.abort();
      probe?.socket.destroy();
      await done;
    },
  };
}

/** Our own socket, because destroying it also ends a connection that no longer responds. */
function openProbe(connection: pg.ClientConfig): Probe {
  const socket = new Socket();
  const client = new pg.Client({ ...connection, stream: () => socket });
  client.on('error', () => socket.destroy());
  socket.unref();
  void client.connect().catch(() => socket.destroy());
  return { client, socket };
}

/** A query on a connection that is still opening waits until it is open. */
function outcomeOf(client: pg.Client, timeoutMs: number): Promise<Outcome> {
  return new Promise((resolve) => {
    let passed = 0;
    const counting = setInterval(() => {
      passed += 1;
      if (passed > steps) settle('silent');
    }, timeoutMs / steps).unref();
    const settle = (outcome: Outcome) => {
      clearInterval(counting);
      resolve(outcome);
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
