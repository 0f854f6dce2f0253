import { once } from 'node:events';
import net from 'node:net';
import path from 'node:path';

/** A way to the run's PostgreSQL over TCP that a test can open late, freeze or cut. */
export interface Relay {
  readonly port: number;
  /** The same database, by this way. */
  readonly databaseUrl: string;
  listen(): Promise<void>;
  /** Connections that are open stay open and carry nothing more. */
  freeze(): void;
  /** The same, and new ones are taken and carry nothing. */
  stall(): void;
  /** Cuts every connection and takes no new one. */
  cut(): Promise<void>;
  /** Carries again what is new; what was stalled goes on. */
  resume(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Takes a free port but does not listen yet.
 *
 * @param isFatal of what a caller sends: its connection breaks off then.
 */
export async function openRelay(
  databaseUrl: string,
  isFatal: (chunk: Buffer) => boolean = () => false,
): Promise<Relay> {
  const url = new URL(databaseUrl);
  const sockets = new Set<net.Socket>();
  const links = new Set<readonly [net.Socket, net.Socket]>();
  let isStalled = false;
  const server = net.createServer((socket) => {
    const upstream = net.connect(addressOf(url));
    const link = [socket, upstream] as const;
    links.add(link);
    socket.on('close', () => links.delete(link));
    for (const one of [socket, upstream]) {
      sockets.add(one);
      one.on('error', () => {});
      one.on('close', () => {
        sockets.delete(one);
        socket.destroy();
        upstream.destroy();
      });
    }
    socket.on('data', (chunk) => {
      if (isFatal(chunk)) socket.destroy();
    });
    if (isStalled) socket.pause();
    else socket.pipe(upstream).pipe(socket);
  });
  const freeze = () => {
    for (const socket of sockets) socket.unpipe().pause();
  };
  const port = await freePort();
  const user = [url.username, url.password || 'secret'].join(':');
  return {
    port,
    databaseUrl: `postgresql://${user}@127.0.0.1:${port}${url.pathname}`,
    async listen() {
      await once(server.listen(port, '127.0.0.1'), 'listening');
    },
    freeze,
    stall() {
      isStalled = true;
      freeze();
    },
    async cut() {
      for (const socket of sockets) socket.destroy();
      await once(server.close(), 'close');
    },
    async resume() {
      isStalled = false;
      for (const [socket, upstream] of links) socket.pipe(upstream).pipe(socket);
      if (!server.listening) await once(server.listen(port, '127.0.0.1'), 'listening');
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      if (server.listening) await once(server.close(), 'close');
    },
  };
}

async function freePort(): Promise<number> {
  const server = net.createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  await once(server.close(), 'close');
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}

/** Where a plain socket reaches the server of a URL. */
function addressOf(url: URL): net.NetConnectOpts {
  const folder = url.searchParams.get('host');
  if (folder !== null) return { path: path.join(folder, '.s.PGSQL.5432') };
  return { host: url.hostname, port: Number(url.port || 5432) };
}
