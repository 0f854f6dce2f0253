/** An unsaved query takes the way of a run: its limits, its rates, its place in the queue. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type BusyApp, openBusyApp } from '../access/support/busy.ts';
import { openSalesApp } from '../rest/support/sales.ts';
import type { TestApp } from '../support/test-app.ts';

describe('the limits of runs', () => {
  let test: TestApp;
  let key: string;
  beforeAll(async () => {
    test = await openSalesApp({ maxRows: 2, ratePerKey: 3 });
  });
  beforeEach(async () => {
    const { scopes, projects } = { scopes: ['endpoint:write'], projects: [test.project] };
    key = (await test.issueKey({ scopes, projects })).key;
  });
  afterAll(() => test.close());

  const ask = (body: object) => test.rest('POST', '/query', { body, key });
  const query = 'SELECT number FROM numbers(5)';

  it('hold for it: the most rows, in memory and as a stream', async () => {
    expect((await ask({ query })).body).toMatchObject({ limit: 2, hasMore: true });
    expect((await ask({ query, limit: 100 })).body).toMatchObject({ results: [[0], [1]] });
    expect((await ask({ query, format: 'csv' })).text.trim().split('\r\n')).toHaveLength(6);
  });

  it('hold for it: each run, check and failed run counts once', async () => {
    const statuses = [
      (await ask({ query })).status,
      (await ask({ query, dry_run: true })).status,
      (await ask({ query: 'SELECT nothing FROM sales' })).status,
      (await ask({ query })).status,
      (await ask({ query, dry_run: true })).status,
    ];
    expect(statuses).toEqual([200, 200, 400, 429, 429]);
  });

  it('hold for it in GraphQL in the same way', async () => {
    const document = '{ runQuery(projectId: "@current", query: "SELECT 1") { results } }';
    const codes: unknown[] = [];
    for (let at = 0; at < 4; at += 1) {
      const { body } = await test.graphql(document, {}, { key });
      codes.push(body.errors?.[0]?.extensions.code ?? 'ok');
    }
    expect(codes).toEqual(['ok', 'ok', 'ok', 'throttled']);
  });

  it('hold for the first rows of a table, which count as a run beside the request', async () => {
    const get = async (path: string) => (await test.rest('GET', path, { key })).status;
    expect(await get('/tables/sales')).toBe(200);
    expect(await get('/tables/sales?rows=0')).toBe(200);
    expect(await get('/tables/sales?rows=0')).toBe(429);
  });
});

describe('the queue for the engine', () => {
  let test: BusyApp;
  beforeAll(async () => {
    test = await openBusyApp({ engineCores: 2, maxEngineQueries: 1, queueSeconds: 600 });
  });
  afterAll(async () => {
    await test.freeAll();
    await test.close();
  });

  it('has a place for it, from which it can be found and cancelled', async () => {
    await test.block();
    const body = { query: 'SELECT 1 AS one', client_query_id: 'waiting' };
    const run = test.rest('POST', '/query', { body });
    await test.untilWaiting(1);
    const cancelled = await test.graphql(
      'mutation { cancelQuery(projectId: "@current", id: "waiting") { complete endpointName } }',
    );
    expect(cancelled.body.data).toEqual({ cancelQuery: { complete: false, endpointName: null } });
    expect((await run).body).toMatchObject({ code: 'query_cancelled' });
  });
});
