/** Fails pending and new statements at once while PostgreSQL does not respond. */
import { Socket } from 'node:net';
import type pg from 'pg';
import type { Log } from '../lib/log.ts';
import { startHeartbeat } from './heartbeat.ts';
import { NotRespondingError } from './prisma-errors.ts';

export interface ConnectionWatchdog {
  /** Creates the sockets of the pool's connections, so that they can be destroyed. */
  readonly openSocket: () => Socket;
  /** The same pool, but `connect` fails at once while PostgreSQL does not respond. */
  guard(pool: pg.Pool): pg.Pool;
  close(): Promise<void>;
}

export function openConnectionWatchdog(connection: pg.ClientConfig, log: Log): ConnectionWatchdog {
  const sockets = new Set<Socket>();
  const heartbeat = startHeartbeat({
    connection,
    log,
    onSilent: () => {
      for (const socket of sockets) socket.destroy();
    },
  });
  return {
    openSocket() {
      const socket = new Socket();
      sockets.add(socket);
      socket.once('close', () => sockets.delete(socket));
      return socket;
    },
    guard(pool) {
      const connect: Connect = pool.connect.bind(pool);
      const guarded: Connect = (callback) => {
        if (!heartbeat.isSilent()) return connect(callback);
        if (callback === undefined) return Promise.reject(new NotRespondingError());
        return callback(new NotRespondingError(), undefined, () => undefined);
      };
      return Object.assign(pool, { connect: guarded });
    },
    close: () => heartbeat.stop(),
  };
}

type Callback = Parameters<pg.Pool['connect']>[0];
type Connect = (callback?: Callback) => unknown;
