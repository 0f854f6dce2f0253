/** Many connections that say nothing, or have said something and wait. */
import { connect, type Socket } from 'node:net';

export interface IdleConnections {
  readonly sockets: readonly Socket[];
  /** Those that the service has not closed. */
  open(): number;
  close(): void;
}

/** At once so many are on their way; the queue of the listening socket has an end. */
const batch = 250;

/** Opens them one batch after the other. Every second one asks once and keeps its connection. */
export async function openIdleConnections(port: number, count: number): Promise<IdleConnections> {
  const sockets: Socket[] = [];
  let closed = 0;
  const open = (index: number): Promise<void> =>
    new Promise((resolve, reject) => {
      const socket = connect({ port, host: '127.0.0.1' });
      sockets.push(socket);
      socket.once('error', reject);
      socket.once('close', () => {
        closed += 1;
      });
      const ready = (): void => {
        socket.removeListener('error', reject);
        socket.on('error', () => undefined);
        resolve();
      };
      if (index % 2 === 0) socket.resume().once('connect', ready);
      else {
        socket.write('GET /healthz HTTP/1.1\r\nHost: querydock.test\r\n\r\n');
        socket.once('data', ready);
      }
    });
  for (let at = 0; at < count; at += batch) {
    const indexes = Array.from({ length: Math.min(batch, count - at) }, (_, n) => at + n);
    await Promise.all(indexes.map(open));
  }
  return {
    sockets,
    open: () => sockets.length - closed,
    close: () => {
      for (const socket of sockets) socket.destroy();
    },
  };
}
