/** Ways to two nodes that can alter rows which are sent to them. */
import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import type { TwoNodes } from '../../../support/two-nodes.ts';

export interface AlteringWays {
  readonly urls: readonly string[];
  /** Does something in which the last byte of the rows that are first sent to a node becomes another one. Tells whether there were any. */
  altering<T>(work: () => Promise<T>): Promise<Altered<T>>;
  /** Does something in which the partition that a node is first told to move into a table is dropped there. */
  losingRows<T>(work: () => Promise<T>): Promise<Altered<T>>;
  close(): Promise<void>;
}

interface Altered<T> {
  readonly done: T;
  readonly isAltered: boolean;
}

type Alteration = 'rows' | 'move';

export async function openAlteringWays({ urls }: TwoNodes): Promise<AlteringWays> {
  let alteration: Alteration | null = null;
  let altered = 0;
  const servers: http.Server[] = [];

  /** Alters the first one that it is about. */
  async function bodyOf(request: http.IncomingMessage): Promise<Buffer> {
    const body = await buffer(request);
    const isSent = /INSERT%20INTO/.test(request.url ?? '');
    if (alteration === null || altered > 0) return body;
    if (alteration === 'rows' && isSent && body.length > 0) {
      altered += 1;
      body[body.length - 1] = (body.at(-1) ?? 0) ^ 1;
    }
    const move = /MOVE (PARTITION ID '\w+') TO TABLE \S+/;
    if (alteration !== 'move' || !move.test(body.toString())) return body;
    altered += 1;
    return Buffer.from(body.toString().replace(move, 'DROP $1'));
  }

  async function listen(to: string): Promise<string> {
    const server = http.createServer((request, response) => {
      const { headers, method, url: path } = request;
      const { 'transfer-encoding': _chunked, ...kept } = headers;
      bodyOf(request).then(
        (body) => {
          const sent = { ...kept, 'content-length': body.length };
          const options = { method, path, headers: sent };
          const outgoing = http.request(to, options, (answered) => {
            response.writeHead(answered.statusCode ?? 500, answered.headers);
            answered.pipe(response);
          });
          outgoing.on('error', () => response.destroy());
          outgoing.end(body);
        },
        () => response.destroy(),
      );
    });
    servers.push(server);
    await once(server.listen(0, '127.0.0.1'), 'listening');
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  async function altering<T>(which: Alteration, work: () => Promise<T>): Promise<Altered<T>> {
    [alteration, altered] = [which, 0];
    try {
      const done = await work();
      return { done, isAltered: altered > 0 };
    } finally {
      alteration = null;
    }
  }

  const own: string[] = [];
  for (const url of urls) own.push(await listen(url));
  return {
    urls: own,
    altering: (work) => altering('rows', work),
    losingRows: (work) => altering('move', work),
    async close() {
      for (const server of servers) {
        server.closeAllConnections();
        await once(server.close(), 'close');
      }
    },
  };
}
