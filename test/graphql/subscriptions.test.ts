/** Subscriptions by the released clients of both protocols. */
import { setTimeout as delay } from 'node:timers/promises';
import { createClient as createSseClient } from 'graphql-sse';
import { createClient as createWsClient } from 'graphql-ws';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { openApp } from '../../src/app.ts';
import { openLog } from '../../src/config/open-log.ts';
import type { HttpListener } from '../../src/server/node-server.ts';
import { addSale, openSalesApp, save } from '../rest/support/sales.ts';
import { eventually } from '../support/eventually.ts';
import type { TestApp } from '../support/test-app.ts';

let test: TestApp;
let listener: HttpListener;

beforeAll(async () => {
  test = await openSalesApp({
    port: 0,
    publicUrl: '',
    maxStreamsPerKey: 20,
    // Longer than any test waits: what is not cancelled runs on.
    queryTimeoutSeconds: 600,
  });
  listener = await test.app.start();
});
afterAll(async () => {
  await test.close();
});

interface Result {
  readonly data?: Readonly<Record<string, unknown>> | null | undefined;
  readonly errors?:
    | readonly { readonly message: string; readonly extensions?: unknown }[]
    | undefined;
}

interface Following {
  readonly results: Result[];
  isOver: boolean;
  error: unknown;
  stop(): void;
}

interface Transport {
  subscribe(
    payload: { query: string; variables?: Record<string, unknown> },
    sink: { next(value: unknown): void; error(error: unknown): void; complete(): void },
  ): () => void;
  dispose(): void;
}

const headersOf = (key: string) => ({ authorization: `Bearer ${key}` });

/** While no process listens. */
const patient = { retryAttempts: 10_000 } as const;
const soon = () => delay(20);

const transports = {
  'over SSE, distinct connections': (key: string, port = listener.port) =>
    createSseClient({
      url: `http://127.0.0.1:${port}/graphql`,
      headers: headersOf(key),
      ...patient,
      retry: soon,
    }),
  'over SSE, single connection': (key: string, port = listener.port) =>
    createSseClient({
      url: `http://127.0.0.1:${port}/graphql`,
      headers: headersOf(key),
      ...patient,
      retry: soon,
      singleConnection: true,
    }),
  'over WebSocket': (key: string, port = listener.port) =>
    createWsClient({
      url: `ws://127.0.0.1:${port}/graphql`,
      webSocketImpl: WebSocket,
      connectionParams: headersOf(key),
      shouldRetry: () => true,
      ...patient,
      retryWait: soon,
    }),
} as const;

const clients: Transport[] = [];
afterAll(() => {
  for (const client of clients) client.dispose();
});

function open(name: keyof typeof transports, key = test.project.readKey): Transport {
  const client = transports[name](key) as unknown as Transport;
  clients.push(client);
  return client;
}

function follow(
  client: Transport,
  query: string,
  variables: Record<string, unknown> = {},
): Following {
  const following: Following = { results: [], isOver: false, error: null, stop: () => undefined };
  following.stop = client.subscribe(
    { query, variables },
    {
      next: (value) => following.results.push(value as Result),
      error(error) {
        following.error = error;
        following.isOver = true;
      },
      complete() {
        following.isOver = true;
      },
    },
  );
  return following;
}

const until = (following: Following, count: number) =>
  eventually(`${count} results came`, () => {
    if (following.isOver && following.results.length < count)
      throw new Error(JSON.stringify([following.error, following.results]));
    return following.results.length >= count;
  });

const runDocument =
  'subscription ($name: String!) { runEndpoint(projectId: "@current", name: $name) { results endpointVersion } }';
const rowsOf = ({ data = {} }: Result) => {
  const { runEndpoint } = data as { readonly runEndpoint: { readonly results: unknown } };
  return runEndpoint.results;
};

/** A query that has read many rows, which only the long one does. */
async function isRunning(): Promise<boolean> {
  const reader = `project_${test.project.id}_reader`;
  const found = await test.sql(
    `SELECT count() FROM system.processes WHERE user = '${reader}' AND read_rows > 1000000`,
  );
  return found.trim() !== '0';
}

describe.each(Object.keys(transports) as (keyof typeof transports)[])(
  'a subscription %s',
  (via) => {
    const nameOf = (name: string) => `${name}_${via.replace(/\W+/g, '_')}`;

    it('gets the result of a run, and again when it differs', async () => {
      const name = nameOf('counted');
      await save(test, name, { query: 'SELECT count() AS n FROM sales' });
      const client = open(via);
      const first = follow(client, runDocument, { name });
      const second = follow(client, runDocument, { name });
      await until(first, 1);
      await until(second, 1);
      const [[before = 0] = []] = rowsOf(first.results[0] ?? {}) as number[][];
      await addSale(test);
      await until(first, 2);
      await until(second, 2);
      expect(rowsOf(first.results[1] ?? {})).toEqual([[before + 1]]);
      expect(second.results).toEqual(first.results);
      first.stop();
      await eventually('it has ended', () => first.isOver);
      await addSale(test);
      await until(second, 3);
      expect(first.results).toHaveLength(2);
    });

    it('gets nothing while it has the content that it names', async () => {
      const name = `had_${Object.keys(transports).indexOf(via)}`;
      await save(test, name, { query: 'SELECT count() AS n FROM sales' });
      const query = `subscription ($lastContentId: ID) { runEndpoint(projectId: "@current", name: "${name}", lastContentId: $lastContentId) { results contentId } }`;
      const first = follow(open(via), query);
      await eventually('the first came', () => first.results.length === 1);
      const lastContentId = (
        first.results[0]?.data?.runEndpoint as { contentId?: string } | undefined
      )?.contentId;
      first.stop();
      const again = follow(open(via), query, { lastContentId });
      const other = follow(open(via), query, { lastContentId: 'another' });
      await eventually('the one that has another came', () => other.results.length === 1);
      expect(other.results).toEqual(first.results);
      await addSale(test);
      await eventually('it came again', () => again.results.length === 1);
      await eventually('the second came', () => other.results.length === 2);
      expect(again.results).toEqual([other.results[1]]);
      expect(other.results[1]).not.toEqual(other.results[0]);
      for (const { stop } of [again, other]) stop();
    });

    it('begins with what another process may have told of already, before this one is told', async () => {
      const name = nameOf('ahead');
      await save(test, name, { query: 'SELECT count() AS n FROM sales' });
      const first = follow(open(via), runDocument, { name });
      await until(first, 1);
      const [[before = 0] = []] = rowsOf(first.results[0] ?? {}) as number[][];
      // As a load by another process does, whose notification has not come yet.
      await test.sql("INSERT INTO sales VALUES ('ch', 1, '2026-03-01', NULL)");
      const { prisma } = test.backends.metadata;
      await prisma.$executeRaw`UPDATE project SET data_revision = data_revision + 1 WHERE id = ${test.project.id}`;
      const moved = follow(open(via), runDocument, { name });
      await until(moved, 1);
      expect(rowsOf(moved.results[0] ?? {})).toEqual([[before + 1]]);
    });

    it('gets the errors of a run with their codes', async () => {
      const name = nameOf('erring');
      await save(test, name, { query: 'SELECT {n:UInt8} AS n' });
      const missing = follow(open(via), runDocument, { name });
      await eventually('it has ended', () => missing.isOver);
      expect(missing.results).toMatchObject([
        { errors: [{ path: ['runEndpoint'], extensions: { code: 'missing_variable' } }] },
      ]);
      const none = follow(open(via), runDocument, { name: 'no_such' });
      await eventually('it has ended', () => none.isOver);
      expect(none.results).toMatchObject([
        { errors: [{ path: ['runEndpoint'], extensions: { code: 'not_found' } }] },
      ]);
    });

    it('ends its first run when it is stopped before the result', async () => {
      const name = nameOf('left');
      await save(test, name, {
        query: 'SELECT sum(cityHash64(number)) AS s FROM numbers(100000000000)',
      });
      const client = open(via);
      const following = follow(client, runDocument, { name });
      await eventually('it runs', isRunning);
      following.stop();
      await eventually('it has ended', async () => !(await isRunning()));
      const again = follow(client, runDocument, { name });
      await eventually('another one runs', isRunning);
      client.dispose();
      await eventually('it has ended with its connection', async () => !(await isRunning()));
      expect([...following.results, ...again.results]).toEqual([]);
    });

    it('is told of a later failure with the path of its field', async () => {
      const name = nameOf('later');
      await save(test, name, { query: 'SELECT {n:UInt8} AS n' });
      const following = follow(
        open(via),
        `fragment Run on Subscription { told: runEndpoint(projectId: "@current", name: "${name}", input: { variables: { n: 200 } }) { results } } subscription { ...Run }`,
      );
      await until(following, 1);
      await test.rest('PATCH', `/endpoints/${name}`, { body: { query: 'SELECT {n:Int8} AS n' } });
      await eventually('it has ended', () => following.isOver);
      expect(following.results[1]).toMatchObject({
        errors: [{ path: ['told'], extensions: { code: 'invalid_input', attr: 'variables.n' } }],
      });
    });

    it('is ended with the code when its key is revoked', async () => {
      const name = nameOf('keyed');
      await save(test, name, { query: 'SELECT 1 AS n' });
      const { id, key } = await test.issueKey({
        scopes: ['endpoint:read'],
        projects: [test.project],
      });
      const following = follow(open(via, key), runDocument, { name });
      await until(following, 1);
      await test.graphql(
        'mutation ($id: ID!) { revokeApiKey(id: $id) }',
        { id },
        { key: test.adminKey },
      );
      await until(following, 2);
      expect(following.results[1]).toMatchObject({
        errors: [{ path: ['runEndpoint'], extensions: { code: 'authentication_failed' } }],
      });
    });

    it('tells the progress of a query until it is complete', async () => {
      const name = nameOf('slow');
      await save(test, name, {
        query: 'SELECT sum(cityHash64(number)) AS s FROM numbers(100000000000)',
      });
      const run = test.rest('GET', `/endpoints/${name}/run?client_query_id=${name}`);
      await eventually('it runs', async () => {
        const { body } = await test.graphql(
          'query ($id: ID!) { queryStatus(projectId: "@current", id: $id) { id } }',
          { id: name },
        );
        return body.data?.queryStatus !== null;
      });
      const following = follow(
        open(via),
        'subscription ($id: ID!) { queryStatus(projectId: "@current", id: $id) { complete errorCode queryProgress { rowsRead } } }',
        { id: name },
      );
      await until(following, 1);
      expect(following.results[0]?.data?.queryStatus).toMatchObject({ complete: false });
      await test.graphql(
        'mutation ($id: ID!) { cancelQuery(projectId: "@current", id: $id) { id } }',
        { id: name },
      );
      await run;
      test.clock.advance(1000);
      await eventually('it is complete', () => {
        test.clock.advance(1000);
        test.app.live.tick();
        return following.isOver;
      });
      expect(following.results.at(-1)?.data?.queryStatus).toMatchObject({
        complete: true,
        errorCode: 'query_cancelled',
      });
    });

    it('connects again when its process stops', async () => {
      const name = nameOf('moving');
      await save(test, name, { query: 'SELECT count() AS n FROM sales' });
      const other = await openApp({
        config: test.app.core.config,
        log: openLog('silent'),
        backends: test.backends,
        clock: test.clock,
      });
      const { port } = await other.start();
      const client = transports[via](test.project.readKey, port) as unknown as Transport;
      clients.push(client);
      const following = follow(client, runDocument, { name });
      await until(following, 1);
      await other.stop();
      const again = await openApp({
        config: { ...test.app.core.config, port },
        log: openLog('silent'),
        backends: test.backends,
        clock: test.clock,
      });
      await again.start();
      await until(following, 2);
      expect(rowsOf(following.results[1] ?? {})).toEqual(rowsOf(following.results[0] ?? {}));
      following.stop();
      client.dispose();
      await again.stop();
    });
  },
);

describe('the materialization of a version', () => {
  it('is told as its syncs come and go', async () => {
    await save(test, 'stored', { query: 'SELECT count() AS n FROM sales' });
    const following = follow(
      open('over WebSocket'),
      'subscription { materializationStatus(projectId: "@current", name: "stored") { enabled status rows history { outcome } } }',
    );
    await until(following, 1);
    expect(following.results[0]?.data?.materializationStatus).toMatchObject({ enabled: false });
    await test.rest('PATCH', '/endpoints/stored', { body: { is_materialized: true } });
    await until(following, 2);
    await test.app.materialization.runOnce();
    await eventually('it is completed', () => {
      const { materializationStatus: status } = following.results.at(-1)?.data ?? {};
      return (status as { status: string }).status === 'Completed';
    });
    expect(following.results.at(-1)?.data?.materializationStatus).toMatchObject({
      rows: 1,
      history: [{ outcome: 'completed' }],
    });
    following.stop();
  });
});

describe('what subscriptions share', () => {
  it('is one execution for all, whichever way they come and whatever they select', async () => {
    await save(test, 'shared', { query: 'SELECT count() AS n FROM sales' });
    const prisma = test.backends.metadata.prisma;
    const executions = async () => {
      await test.app.core.recorder.flush();
      return prisma.queryStatus.count({ where: { endpointName: 'shared' } });
    };
    const all = (Object.keys(transports) as (keyof typeof transports)[]).map((via) =>
      follow(open(via), runDocument, { name: 'shared' }),
    );
    const other = follow(
      open('over WebSocket'),
      'subscription { runEndpoint(projectId: "@current", name: "shared") { hasMore rows: results } }',
    );
    for (const one of [...all, other]) await until(one, 1);
    const before = await executions();
    await addSale(test);
    for (const one of [...all, other]) await until(one, 2);
    expect((await executions()) - before).toBe(1);
    for (const one of [...all, other]) one.stop();
  });
});

describe('a message on a WebSocket', () => {
  const init = { type: 'connection_init', payload: {} };
  const deep = `${'['.repeat(65)}${']'.repeat(65)}`;
  const message = (payload: string) => `{"type":"ping","payload":{"v":${payload}}}`;

  it.each([
    ['that is not JSON', '{'],
    ['nested too deeply', message(deep)],
    ['with a number that would lose digits', message('1.000000000000000001')],
    ['that is the text of a message', JSON.stringify(JSON.stringify(init))],
  ])('%s ends the connection', async (_what, text) => {
    const socket = new WebSocket(`ws://127.0.0.1:${listener.port}/graphql`, 'graphql-transport-ws');
    const closed = new Promise<number>((resolve) => socket.once('close', resolve));
    await new Promise((resolve) => socket.once('open', resolve));
    socket.send(text);
    expect(await closed).toBe(4400);
  });

  it('may have long numbers, and blanks around it', async () => {
    const socket = new WebSocket(`ws://127.0.0.1:${listener.port}/graphql`, 'graphql-transport-ws');
    await new Promise((resolve) => socket.once('open', resolve));
    const answer = new Promise<unknown>((resolve) => socket.once('message', resolve));
    socket.send(` ${message('[1234567890123456, 0.1234567890123457]')} `);
    expect(JSON.parse(String(await answer))).toMatchObject({ type: 'pong' });
    socket.close();
  });
});
