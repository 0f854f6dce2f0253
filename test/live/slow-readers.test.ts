/** Readers that take a large result slowly, by every transport: they get it, however long that takes. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { untakenBytes } from '../../src/lib/untaken-bytes.ts';
import type { HttpListener } from '../../src/server/node-server.ts';
import { openSalesApp, save } from '../rest/support/sales.ts';
import { eventually } from '../support/eventually.ts';
import { type ServerSockets, watchServerSockets } from '../support/server-sockets.ts';
import type { TestApp } from '../support/test-app.ts';

let sockets: ServerSockets;
let test: TestApp;
let listener: HttpListener;

beforeAll(async () => {
  sockets = watchServerSockets();
  test = await openSalesApp({ port: 0, publicUrl: '' });
  listener = await test.app.start();
  await save(test, 'large', {
    query: "SELECT number, repeat('x', 1000) AS filler FROM numbers(12000) ORDER BY number",
  });
});
afterAll(async () => {
  await test.close();
  sockets.close();
});

const resultBytes = 12_000_000;
const subscription =
  'subscription { runEndpoint(projectId: "@current", name: "large") { results } }';

/** 40 seconds of the test's clock, which contain at least two heartbeats. */
function passTime(): void {
  for (let second = 0; second < 40; second += 1) {
    test.clock.advance(1000);
    test.app.live.tick();
  }
}

/** Changes when the service sees that the reader has read something. */
const progressOf = (served: Socket) => `${untakenBytes(served)} ${served.bytesRead}`;

/** Time passes whenever the reader has read something, so that it never reads nothing for 60 seconds. */
async function readSlowly(
  served: Socket,
  reader: { readSome(): void; isOver(): boolean },
): Promise<void> {
  while (!reader.isOver()) {
    passTime();
    const before = progressOf(served);
    while (progressOf(served) === before && !reader.isOver()) {
      reader.readSome();
      await turn();
    }
    await turn();
  }
}

async function connectTo(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => undefined);
  socket.pause();
  await once(socket, 'connect');
  return socket;
}

async function openWebSocket(options: { readonly autoPong?: boolean } = {}) {
  const client = new WebSocket(
    `ws://127.0.0.1:${listener.port}/graphql`,
    'graphql-transport-ws',
    options,
  );
  client.on('error', () => undefined);
  const seen = { bytes: 0, code: 0 };
  client.on('message', (message) => {
    seen.bytes = (message as Buffer).length;
  });
  client.on('close', (code) => {
    seen.code = code;
  });
  await once(client, 'open');
  const { _socket: socket } = client as unknown as { readonly _socket: Socket };
  const payload = { authorization: `Bearer ${test.project.readKey}` };
  client.send(JSON.stringify({ type: 'connection_init', payload }));
  await once(client, 'message');
  return { client, seen, served: sockets.of(socket) };
}

/** A connection whose result is on its way; the client reads nothing yet. */
async function followByWebSocket() {
  const opened = await openWebSocket();
  opened.client.pause();
  const message = { type: 'subscribe', id: '1', payload: { query: subscription } };
  opened.client.send(JSON.stringify(message));
  await eventually('the result is sent', () => untakenBytes(opened.served) > 0);
  return opened;
}

async function followByEvents(how: 'rest' | 'graphql') {
  const client = await connectTo(listener.port);
  const { id, readKey } = test.project;
  const body = JSON.stringify({ query: subscription });
  const line =
    how === 'rest'
      ? `GET /api/projects/${id}/endpoints/large/run HTTP/1.1`
      : `POST /graphql HTTP/1.1\r\nContent-Type: application/json\r\nContent-Length: ${body.length}`;
  client.write(
    `${line}\r\nHost: test\r\nAuthorization: Bearer ${readKey}\r\nAccept: text/event-stream\r\n\r\n${how === 'rest' ? '' : body}`,
  );
  const served = sockets.of(client);
  await eventually('the result is sent', () => untakenBytes(served) > 0);
  return { client, served };
}

describe('a reader that takes long for a result, and never stops reading', () => {
  it.each(['rest', 'graphql'] as const)('gets it as an event of %s', async (how) => {
    const { client, served } = await followByEvents(how);
    let bytes = 0;
    let end = '';
    let isWhole = false;
    let isClosed = false;
    client.on('close', () => {
      isClosed = true;
    });
    await readSlowly(served, {
      readSome() {
        const piece = client.read() as Buffer | null;
        bytes += piece?.length ?? 0;
        end = end.slice(-10) + (piece?.toString('latin1') ?? '');
        isWhole ||= end.includes('}\n\n\r\n');
      },
      isOver: () => isClosed || isWhole,
    });
    expect(isClosed).toBe(false);
    expect(bytes).toBeGreaterThan(resultBytes);
    client.destroy();
  });

  it('gets it over WebSocket', async () => {
    const { client, seen, served } = await followByWebSocket();
    await readSlowly(served, {
      readSome() {
        client.resume();
        setImmediate(() => client.pause());
      },
      isOver: () => seen.code !== 0 || seen.bytes > resultBytes,
    });
    expect(seen).toMatchObject({ code: 0 });
    expect(seen.bytes).toBeGreaterThan(resultBytes);
    client.terminate();
  });
});

describe('a WebSocket', () => {
  it('whose client stops reading is disconnected after the timeout, and not after a heartbeat', async () => {
    const { client, served } = await followByWebSocket();
    let before = '';
    await eventually('nothing more is taken', () => {
      const now = progressOf(served);
      const isStill = now === before;
      before = now;
      return isStill;
    });
    test.app.live.tick();
    passTime();
    expect(served.destroyed).toBe(false);
    await eventually('it is disconnected', () => {
      passTime();
      return served.destroyed;
    });
    client.terminate();
  });

  it('whose client is dead is disconnected after a heartbeat without an answer, and no other', async () => {
    const dead = await openWebSocket({ autoPong: false });
    const alive = await openWebSocket();
    for (let beat = 1; beat <= 4; beat += 1) {
      const { bytesRead, bytesWritten } = alive.served;
      while (alive.served.bytesWritten === bytesWritten) test.app.live.tick();
      await eventually('the pong came', () => alive.served.bytesRead > bytesRead);
    }
    await eventually('it is disconnected', () => dead.seen.code === 1006);
    expect(alive.seen.code).toBe(0);
    alive.client.close();
  });
});
