/** A followed run that fails and then succeeds with the same rows: its followers leave the error, by every transport. */
import { createClient as createSseClient } from 'graphql-sse';
import { createClient as createWsClient } from 'graphql-ws';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { commandLineActor } from '../../src/model/actor.ts';
import type { HttpListener } from '../../src/server/node-server.ts';
import { executions, openSalesApp, save } from '../rest/support/sales.ts';
import { readEvents } from '../support/events.ts';
import { eventually } from '../support/eventually.ts';
import type { TestApp } from '../support/test-app.ts';

let test: TestApp;
let listener: HttpListener;
const closing: (() => void)[] = [];

beforeAll(async () => {
  test = await openSalesApp({ port: 0, publicUrl: '', shutdownSeconds: 0 });
  listener = await test.app.start();
});
afterEach(() => {
  for (const close of closing.splice(0)) close();
});
afterAll(async () => {
  await test.close();
});

const headers = () => ({ authorization: `Bearer ${test.project.readKey}` });
const query = 'SELECT country, intDiv(6, amount) AS share FROM sales ORDER BY country, share';

/** What a follower has received, in order: ids of results, or `error`. */
interface Follower {
  readonly seen: readonly string[];
}

async function byRest(path: string, lastId: string | null = null): Promise<Follower> {
  const resuming = lastId === null ? {} : { 'last-event-id': lastId };
  const seen: string[] = [];
  const reader = await readEvents(
    (signal) =>
      fetch(`http://127.0.0.1:${listener.port}/api/projects/${test.project.id}/endpoints/${path}`, {
        headers: { ...headers(), ...resuming, accept: 'text/event-stream' },
        signal,
      }),
    ({ event, id }) => seen.push(event === 'error' ? `error${id}` : String(id)),
  );
  closing.push(reader.close);
  return { seen };
}

interface Client {
  subscribe(
    payload: { readonly query: string },
    sink: { next(value: unknown): void; error(): void; complete(): void },
  ): () => void;
  dispose(): void;
}

function byGraphQL(name: string, client: Client): Follower {
  const seen: string[] = [];
  const stop = client.subscribe(
    {
      query: `subscription { runEndpoint(projectId: "@current", name: "${name}") { results contentId } }`,
    },
    {
      next(value) {
        const { data } = value as { data?: { runEndpoint: { contentId: string } } };
        seen.push(data?.runEndpoint.contentId ?? 'error');
      },
      error: () => seen.push('refused'),
      complete: () => seen.push('complete'),
    },
  );
  closing.push(() => {
    stop();
    client.dispose();
  });
  return { seen };
}

const overSse = (singleConnection: boolean) =>
  createSseClient({
    url: `http://127.0.0.1:${listener.port}/graphql`,
    headers: headers(),
    ...(singleConnection ? { singleConnection } : {}),
  }) as unknown as Client;

const overWebSocket = () =>
  createWsClient({
    url: `ws://127.0.0.1:${listener.port}/graphql`,
    webSocketImpl: WebSocket,
    connectionParams: headers(),
  }) as unknown as Client;

/** The service is told of it as of a load. */
async function changeSales(statement: string): Promise<void> {
  await test.sql(statement);
  await test.app.core.projects.recordDataChange({
    projectId: test.project.id,
    table: 'sales',
    by: commandLineActor,
    action: 'data.loaded',
  });
}

const addRow = (amount: number) =>
  changeSales(`INSERT INTO sales VALUES ('zz', ${amount}, '2026-03-01', NULL)`);
const removeZero = () =>
  changeSales('ALTER TABLE sales DELETE WHERE amount = 0 SETTINGS mutations_sync = 2');

const all = (followers: readonly Follower[], count: number) =>
  eventually(`${count} events came to each`, () =>
    followers.every(({ seen }) => seen.length >= count),
  );

it('the same result is sent again after an error, once, and the next one after it', async () => {
  await save(test, 'failing', { query });
  const followers = [
    await byRest('failing/run'),
    await byRest('failing/run?changes=true&key=country,share'),
    byGraphQL('failing', overSse(false)),
    byGraphQL('failing', overSse(true)),
    byGraphQL('failing', overWebSocket()),
  ];
  await all(followers, 1);
  const id = followers[0]?.seen[0] ?? '';
  await addRow(0);
  await all(followers, 2);
  const before = await executions(test, 'failing');
  await addRow(0);
  await eventually('it failed again', async () => (await executions(test, 'failing')) > before);
  await removeZero();
  await all(followers, 3);
  const unmoved = await executions(test, 'failing');
  await changeSales('SELECT 1');
  await eventually('it ran once more', async () => (await executions(test, 'failing')) > unmoved);
  const upToDate = await byRest('failing/run', id);
  const afterError = await byRest('failing/run', '');
  await all([afterError], 1);
  await addRow(3);
  await all(followers, 4);
  await all([afterError], 2);
  await all([upToDate], 1);
  const next = upToDate.seen[0] ?? '';
  expect(next).not.toBe(id);
  expect(followers.map(({ seen }) => seen)).toEqual(followers.map(() => [id, 'error', id, next]));
  expect(upToDate.seen).toEqual([next]);
  expect(afterError.seen).toEqual([id, next]);
});

it('a follower that comes during the failure does not make the others miss the result', async () => {
  await save(test, 'joined', { query });
  const first = await byRest('joined/run');
  await all([first], 1);
  await addRow(0);
  await all([first], 2);
  await test.sql('ALTER TABLE sales DELETE WHERE amount = 0 SETTINGS mutations_sync = 2');
  const second = await byRest('joined/run');
  await all([second], 1);
  await all([first], 3);
  expect(first.seen).toEqual([first.seen[0], 'error', first.seen[0]]);
  expect(second.seen).toEqual([first.seen[0]]);
});
