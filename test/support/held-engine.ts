/** A way to the run's engine on which a test holds statements back: a query lasts as long as the test wants, on any machine. */
import { once } from 'node:events';
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  request,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { inject } from 'vitest';

export interface HeldEngine {
  readonly clickhouseUrl: string;
  /** From now on, requests that hold this text wait on their way to the engine. */
  hold(text: string): void;
  /** How many wait. */
  held(): number;
  /** From now on, does something before each request passes. Its own statements pass at once. Null: nothing. */
  before(work: ((statement: string) => Promise<unknown>) | null): void;
  /** The headers of the requests since the last call. */
  takeHeaders(): readonly IncomingHttpHeaders[];
  /** Lets go what waits, and holds back nothing more. */
  release(): void;
  close(): Promise<void>;
}

/** @param leadsTo the run's engine when absent. */
export async function openHeldEngine(
  leadsTo: string = inject('engine').clickhouseUrl,
): Promise<HeldEngine> {
  const target = new URL(leadsTo);
  let heldText: string | null = null;
  let gate = Promise.withResolvers<void>();
  let held = 0;
  let headers: IncomingHttpHeaders[] = [];
  let work: ((statement: string) => Promise<unknown>) | null = null;
  let isWorking = false;

  async function workBefore(statement: string): Promise<void> {
    if (work === null || isWorking) return;
    isWorking = true;
    await work(statement).finally(() => {
      isWorking = false;
    });
  }

  async function pass(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    headers.push(incoming.headers);
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks);
    if (heldText !== null && body.includes(heldText)) {
      held += 1;
      await Promise.race([gate.promise, once(outgoing, 'close')]);
      held -= 1;
    }
    await workBefore(body.toString());
    if (!outgoing.closed) forward(target, incoming, { body, outgoing });
  }

  const server = createServer((incoming, outgoing) => {
    pass(incoming, outgoing).catch(() => outgoing.destroy());
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const url = new URL(target);
  url.hostname = '127.0.0.1';
  url.port = String((server.address() as AddressInfo).port);
  const release = () => {
    heldText = null;
    gate.resolve();
    gate = Promise.withResolvers<void>();
  };
  return {
    clickhouseUrl: url.href,
    hold(text) {
      heldText = text;
    },
    held: () => held,
    before(next) {
      work = next;
    },
    takeHeaders() {
      const taken = headers;
      headers = [];
      return taken;
    },
    release,
    async close() {
      release();
      server.closeAllConnections();
      await once(server.close(), 'close');
    },
  };
}

/** Passes both ways unchanged; when one side closes, so does the other. */
function forward(
  target: URL,
  { method, url, headers }: IncomingMessage,
  { body, outgoing }: { readonly body: Buffer; readonly outgoing: ServerResponse },
): void {
  const { hostname, port } = target;
  const upstream = request({ hostname, port, method, path: url, headers }, (response) => {
    outgoing.writeHead(response.statusCode ?? 502, response.rawHeaders);
    response.pipe(outgoing).on('error', () => response.destroy());
    response.on('error', () => outgoing.destroy());
  });
  upstream.on('error', () => outgoing.destroy());
  outgoing.once('close', () => upstream.destroy());
  upstream.end(body);
}
