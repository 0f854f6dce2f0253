/** Operations of one WebSocket that are stopped before their first result, message by message. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import type { HttpListener } from '../../src/server/node-server.ts';
import { openSalesApp, save } from '../rest/support/sales.ts';
import { eventually } from '../support/eventually.ts';
import type { TestApp } from '../support/test-app.ts';

let test: TestApp;
let listener: HttpListener;

beforeAll(async () => {
  // Longer than the test waits: what is not cancelled runs on.
  test = await openSalesApp({ port: 0, publicUrl: '', queryTimeoutSeconds: 600 });
  listener = await test.app.start();
  await save(test, 'long', {
    query: 'SELECT sum(cityHash64(number)) AS s FROM numbers(100000000000)',
  });
  await save(test, 'short', { query: 'SELECT 7 AS n' });
});
afterAll(async () => {
  await test.close();
});

interface Received {
  readonly type: string;
  readonly id?: string;
  readonly payload?: unknown;
}

async function open(): Promise<{ socket: WebSocket; received: Received[] }> {
  const socket = new WebSocket(`ws://127.0.0.1:${listener.port}/graphql`, 'graphql-transport-ws');
  const received: Received[] = [];
  socket.on('message', (data) =>
    received.push(JSON.parse((data as Buffer).toString()) as Received),
  );
  await new Promise((resolve) => socket.once('open', resolve));
  const payload = { authorization: `Bearer ${test.project.readKey}` };
  socket.send(JSON.stringify({ type: 'connection_init', payload }));
  await eventually('it is accepted', () => received.length === 1);
  return { socket, received };
}

const subscribe = (id: string, name: string) =>
  JSON.stringify({
    type: 'subscribe',
    id,
    payload: {
      query: `subscription { runEndpoint(projectId: "@current", name: "${name}") { results } }`,
    },
  });
const complete = (id: string) => JSON.stringify({ type: 'complete', id });

async function isRunning(): Promise<boolean> {
  const reader = `project_${test.project.id}_reader`;
  const running = `SELECT count() FROM system.processes WHERE user = '${reader}' AND read_rows > 1000000`;
  return (await test.sql(running)).trim() !== '0';
}

const rows = {
  type: 'next',
  id: '1',
  payload: { data: { runEndpoint: { results: [[7]] } } },
};

it('another operation of the same id gets its own rows alone', async () => {
  const { socket, received } = await open();
  socket.send(subscribe('1', 'long'));
  await eventually('it runs', isRunning);
  socket.send(complete('1'));
  socket.send(subscribe('1', 'short'));
  await eventually('the rows came', () => received.length > 1);
  expect(received.slice(1)).toEqual([rows]);
  await eventually('the first query is over', async () => !(await isRunning()));
  expect(received.slice(1)).toEqual([rows]);
  socket.close();
});

it('messages that come together are taken in their order', async () => {
  const { socket, received } = await open();
  for (const text of [
    ...[subscribe('1', 'long'), complete('1'), subscribe('1', 'long'), complete('1')],
    ...[subscribe('1', 'short'), subscribe('2', 'short')],
  ])
    socket.send(text);
  await eventually('the rows came', () => received.length > 2);
  expect(received.slice(1)).toEqual(expect.arrayContaining([rows, { ...rows, id: '2' }]));
  await eventually('no query runs', async () => !(await isRunning()));
  expect(received).toHaveLength(3);
  socket.close();
});
