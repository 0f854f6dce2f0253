/** Streams over sockets: their framing, slow readers and the end of the process. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { EventSource } from 'eventsource';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openApp } from '../../src/app.ts';
import { openLog } from '../../src/config/open-log.ts';
import type { HttpListener } from '../../src/server/node-server.ts';
import { addSale, openSalesApp, save } from '../rest/support/sales.ts';
import { readEvents } from '../support/events.ts';
import { eventually } from '../support/eventually.ts';
import type { TestApp } from '../support/test-app.ts';

let test: TestApp;
let listener: HttpListener;

beforeAll(async () => {
  test = await openSalesApp({ port: 0, publicUrl: '' });
  listener = await test.app.start();
});
afterAll(async () => {
  await test.close();
});

const pathOf = (name: string) => `/api/projects/${test.project.id}/endpoints/${name}/run`;
const urlOf = (name: string, port = listener.port) => `http://127.0.0.1:${port}${pathOf(name)}`;
const bearer = () => ({ authorization: `Bearer ${test.project.readKey}` });

const follow = (name: string, port?: number) =>
  readEvents((signal) =>
    fetch(urlOf(name, port), {
      headers: { ...bearer(), accept: 'text/event-stream' },
      signal,
    }),
  );

/** A connection that has asked for the stream, and reads only when it is told to. */
async function ask(name: string, version: '1.0' | '1.1', method = 'GET'): Promise<Socket> {
  const socket = connect(listener.port, '127.0.0.1');
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  const { authorization } = bearer();
  socket.write(
    `${method} ${pathOf(name)} HTTP/${version}\r\nHost: test\r\nAuthorization: ${authorization}\r\nAccept: text/event-stream\r\n\r\n`,
  );
  return socket;
}

/** Everything that comes, until it holds the text. */
async function readUntil(socket: Socket, text: string): Promise<string> {
  const pieces: string[] = [];
  let hasCome = false;
  socket.on('data', (bytes: Buffer) => {
    pieces.push(bytes.toString('latin1'));
    hasCome ||= pieces.slice(-2).join('').includes(text);
  });
  await eventually(`${text} came`, () => hasCome);
  return pieces.join('');
}

describe('a stream over a socket', () => {
  it('is chunked in HTTP/1.1, and ends with the connection in HTTP/1.0', async () => {
    await save(test, 'framed', { query: 'SELECT 1 AS n' });
    const chunked = await ask('framed', '1.1');
    const plain = await ask('framed', '1.0');
    const [first, second] = [await readUntil(chunked, '\n\n\r\n'), await readUntil(plain, '}\n\n')];
    expect(first).toMatch(/transfer-encoding: chunked/i);
    expect(first).toMatch(/\r\n\r\n([0-9a-f]+)\r\n:\nretry: 2000\n\n\r\n/);
    expect(second).not.toMatch(/transfer-encoding/i);
    expect(second).toMatch(/connection: close\r\n/i);
    expect(second).toMatch(/\r\n\r\n:\nretry: 2000\n\nid: .*\nevent: result\ndata: \{/);
    chunked.destroy();
    plain.destroy();
  });

  it('answers HEAD without a body, and holds no place for it', async () => {
    await save(test, 'headed', { query: 'SELECT 1 AS n' });
    const response = await fetch(urlOf('headed'), {
      method: 'HEAD',
      headers: { ...bearer(), accept: 'text/event-stream' },
    });
    expect(response.headers.get('content-type')).toMatch('text/event-stream');
    await eventually('no stream is open', async () => /streams 0\n/.test(await metrics()));
  });

  it('is read by a released client, which resumes by itself', async () => {
    await save(test, 'client', { query: 'SELECT count() AS n FROM sales' });
    const lastIds: (string | null)[] = [];
    const source = new EventSource(urlOf('client'), {
      fetch: (url, init) => {
        const headers = { ...init.headers, ...bearer() };
        lastIds.push(new Headers(headers).get('last-event-id'));
        return fetch(url, { ...init, headers });
      },
    });
    const ids: string[] = [];
    source.addEventListener('result', ({ lastEventId }) => ids.push(lastEventId));
    await eventually('the first result came', () => ids.length === 1);
    await addSale(test);
    await eventually('the second came', () => ids.length === 2);
    source.close();
    expect(new Set(ids).size).toBe(2);
    expect(lastIds).toEqual([null]);
  });
});

const metrics = async () => (await fetch(`http://127.0.0.1:${listener.port}/metrics`)).text();

describe('a reader that is slow', () => {
  /** Larger than what the kernel takes for a socket, and different after each change. */
  const large =
    "SELECT number, (SELECT count() FROM sales) AS n, repeat('x', 1000) AS filler FROM numbers(4000) ORDER BY number";

  it('gets the newest result alone, and is disconnected when it stops reading', async () => {
    await save(test, 'large', { query: large });
    const quick = await follow('large');
    const slow = await ask('large', '1.1');
    const stopped = await ask('large', '1.1');
    await quick.until(1);
    const results: number[] = [];
    for (let at = 2; at <= 9; at += 1) {
      await addSale(test);
      const events = await quick.until(at);
      const { data } = events[at - 1] as { data: { results: number[][] } };
      results.push(data.results[0]?.[1] ?? 0);
    }

    const newest = `[0, ${results.at(-1)},`;
    const text = await readUntil(slow, newest);

    const seen = [...text.matchAll(/"results":\[\[0, (\d+),/g)].map(([, n]) => Number(n));
    expect(seen.length).toBeLessThan(9);
    expect(seen.at(-1)).toBe(results.at(-1));
    expect(await metrics()).toMatch(/querydock_live_skipped_total [1-9]/);
    slow.destroy();
    const closed = once(stopped, 'close');
    await eventually('only the quick one is left', async () => {
      test.clock.advance(60_000);
      test.app.live.tick();
      return /querydock_live_streams 1\n/.test(await metrics());
    });
    stopped.resume();
    await closed;
    expect(quick.isOver()).toBe(false);
    quick.close();
  });
});

describe('a process that stops', () => {
  it('tells its streams to connect elsewhere, and refuses new ones', async () => {
    await save(test, 'moving', { query: 'SELECT 1 AS n' });
    const other = await openApp({
      config: test.app.core.config,
      log: openLog('silent'),
      backends: test.backends,
      clock: test.clock,
    });
    const { port } = await other.start();
    const [here, there] = [await follow('moving'), await follow('moving', port)];
    await there.until(1);
    await other.stop();
    await there.ended();
    expect(there.events.at(-1)).toMatchObject({ event: 'reconnect', data: {} });
    expect(there.text()).toMatch(/retry: \d+\nevent: reconnect\n/);
    const request = new Request(urlOf('moving'), {
      headers: { ...bearer(), accept: 'text/event-stream' },
    });
    const refused = await other.fetch(request);
    expect(refused.status).toBe(503);
    expect(await refused.json()).toMatchObject({ code: 'service_unavailable' });
    expect(here.isOver()).toBe(false);
    here.close();
  });
});
