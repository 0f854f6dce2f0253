/** The service's side of its connections, for tests that need to know what the operating system took of a response. */
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { Socket } from 'node:net';

export interface ServerSockets {
  /** Of a client in this process. Throws when there is none. */
  of(client: Socket): Socket;
  close(): void;
}

/** Call it before the clients connect. */
export function watchServerSockets(): ServerSockets {
  const byPort = new Map<number | undefined, Socket>();
  const take = (message: unknown): void => {
    const { socket } = message as { readonly socket: Socket };
    byPort.set(socket.remotePort, socket);
  };
  subscribe('net.server.socket', take);
  return {
    of(client) {
      const found = byPort.get(client.localPort);
      if (found === undefined) throw new Error('the service has no such connection');
      return found;
    },
    close: () => unsubscribe('net.server.socket', take),
  };
}
