import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { TestApp } from '../support/test-app.ts';
import {
  ask,
  byCountry,
  expectNoOrphans,
  materialized,
  openMaterializedApp,
  patch,
  run,
  save,
  statusOf,
  storedTables,
  sync,
} from './support/materialized.ts';

/** Rows of `sales` by country: 6. The server's default is 6 and its highest limit 100. */
let test: TestApp;
let name = '';
let count = 0;

beforeAll(async () => {
  test = await openMaterializedApp({}, { defaultStoredRows: 6, maxStoredRows: 100 });
  await materialized(test, 'bystander');
});
afterAll(async () => {
  expect(await run(test, 'bystander', { refresh: 'force' })).toMatchObject({
    served_from: 'materialized',
  });
  await expectNoOrphans(test);
  await test.close();
});
beforeEach(async () => {
  await sync(test);
  name = `l${++count}`;
});

/** 7 rows: one per row of the source. */
const every = 'SELECT country, amount FROM sales WHERE amount >= {least:UInt32}';
const refused = (path: string, method: 'POST' | 'PATCH', body: object) =>
  test.rest(method, path === '' ? '/endpoints' : `/endpoints/${path}`, { body });
const words = (rows: string, limit: number) =>
  expect.stringMatching(
    new RegExp(
      `would have ${rows} rows, and its limit is ${limit}\\. Raise max_stored_rows, to at most 100`,
    ),
  );

describe('turning it on', () => {
  it('is refused with the numbers where the table would have more rows; nothing is created', async () => {
    const body = { name, query: every, is_materialized: true };
    const response = await refused('', 'POST', body);
    expect(response.status).toBe(400);
    expect(response.body).toMatchObject({
      code: 'cannot_materialize',
      attr: 'is_materialized',
      detail: words('7', 6),
    });
    expect((await test.rest('GET', `/endpoints/${name}`)).status).toBe(404);
  });

  it('works when the author raises the limit, which the status shows', async () => {
    const created = await save(test, name, {
      query: every,
      is_materialized: true,
      max_stored_rows: 7,
    });
    expect(created.materialization).toMatchObject({ max_stored_rows: 7, status: 'Modified' });
    expect(await sync(test)).toEqual(['completed']);
    expect(await statusOf(test, name)).toMatchObject({ rows: 7, max_stored_rows: 7, ready: true });
  });

  it('by PATCH is refused and allowed in the same way', async () => {
    await save(test, name, { query: every });
    const on = { is_materialized: true };
    expect((await refused(name, 'PATCH', on)).body).toMatchObject({
      code: 'cannot_materialize',
      detail: words('7', 6),
    });
    expect((await test.rest('GET', `/endpoints/${name}`)).body).toMatchObject({
      is_materialized: false,
    });
    await patch(test, name, { max_stored_rows: 50 });
    expect(await patch(test, name, on)).toMatchObject({
      materialization: { max_stored_rows: 50 },
    });
  });

  it('of fewer rows than the source has is counted, not guessed', async () => {
    await save(test, name, { query: byCountry, is_materialized: true });
    expect(await sync(test)).toEqual(['completed']);
    expect(await statusOf(test, name)).toMatchObject({ rows: 6, max_stored_rows: 6 });
  });

  it('by GraphQL is refused with the same message, and raised by maxStoredRows', async () => {
    const create = (maxStoredRows: number | null) =>
      test.graphql(
        'mutation ($input: CreateEndpointInput!) { createEndpoint(projectId: "@current", input: $input) { materialization { status maxStoredRows } } }',
        { input: { name, query: every, isMaterialized: true, maxStoredRows } },
      );
    expect((await create(null)).body.errors?.[0]).toMatchObject({
      message: words('7', 6),
      extensions: { code: 'cannot_materialize', attr: 'is_materialized' },
    });
    expect((await create(8)).body.data).toEqual({
      createEndpoint: { materialization: { status: 'Modified', maxStoredRows: 8 } },
    });
    const { body } = await test.graphql(
      'mutation ($name: String!) { updateEndpoint(projectId: "@current", name: $name, input: {maxStoredRows: 9}) { materialization { maxStoredRows } } }',
      { name },
    );
    expect(body.data).toEqual({ updateEndpoint: { materialization: { maxStoredRows: 9 } } });
  });
});

describe('the limit', () => {
  it.each([0, -1, 101])('%i is refused, past what the server allows', async (limit) => {
    const body = { name, query: byCountry, max_stored_rows: limit };
    const response = await refused('', 'POST', body);
    expect(response.body).toMatchObject({
      code: 'invalid_input',
      attr: 'max_stored_rows',
      detail: expect.stringContaining('from 1 to 100'),
    });
    const { body: twin } = await test.graphql(
      'mutation ($input: CreateEndpointInput!) { createEndpoint(projectId: "@current", input: $input) { id } }',
      { input: { name, query: byCountry, maxStoredRows: limit } },
    );
    expect(twin.errors?.[0]).toMatchObject({
      extensions: { code: 'invalid_input', attr: 'max_stored_rows' },
    });
  });

  it('goes over to a new version and stays through every PATCH that does not name it; null takes it back', async () => {
    await materialized(test, name, { query: every, max_stored_rows: 20 });
    for (const body of [{ description: 'new' }, { sync_frequency: '1hour' }, { is_active: true }]) {
      await patch(test, name, body);
    }
    await patch(test, name, { query: `${every} ORDER BY amount` });
    expect(await statusOf(test, name)).toMatchObject({ version: 2, max_stored_rows: 20 });
    await patch(test, `${name}?version=1`, { max_stored_rows: 30 });
    expect(await statusOf(test, `${name}?version=1`)).toMatchObject({ max_stored_rows: 30 });
    expect(await statusOf(test, name)).toMatchObject({ max_stored_rows: 20 });
    const back = await refused(name, 'PATCH', { max_stored_rows: null });
    expect(back.body).toMatchObject({ code: 'cannot_materialize', detail: words('7', 6) });
    await patch(test, name, { max_stored_rows: null, is_materialized: false });
    await patch(test, name, { is_materialized: true, query: byCountry });
    expect(await statusOf(test, name)).toMatchObject({ max_stored_rows: 6 });
    await sync(test);
  });
});

describe('a sync whose rows exceed it', () => {
  async function grown(): Promise<void> {
    await materialized(test, name, { query: every, max_stored_rows: 7, sync_frequency: '1hour' });
    await test.sql("INSERT INTO sales SELECT 'de', 1000 + number, '2026-05-01' FROM numbers(3)");
    test.clock.advance(1000);
    await ask(test, 'sync', { name });
  }
  const shrink = () =>
    test.sql('ALTER TABLE sales DELETE WHERE amount >= 1000 SETTINGS mutations_sync = 2');

  it('fails with the numbers, the old table goes on, and nothing is left behind', async () => {
    await grown();
    const before = await storedTables(test);
    expect(await sync(test)).toContain('failed');
    expect(await statusOf(test, name)).toMatchObject({
      status: 'Failed',
      can_materialize: true,
      error: words('10', 7),
      rows: 7,
      ready: true,
    });
    expect(await run(test, name, { variables: { least: 0 }, refresh: 'force' })).toMatchObject({
      served_from: 'materialized',
    });
    expect(await storedTables(test)).toEqual(before);
    await shrink();
  });

  it('comes again at once when the limit is raised', async () => {
    await grown();
    expect(await sync(test)).toContain('failed');
    test.clock.advance(1000);
    await patch(test, name, { max_stored_rows: 10 });
    expect(await statusOf(test, name)).toMatchObject({ status: 'Modified' });
    expect(await sync(test)).toEqual(['completed']);
    expect(await statusOf(test, name)).toMatchObject({ rows: 10, status: 'Completed' });
    await shrink();
  });

  it('stops at the limit: a billion rows are never written', async () => {
    const query = 'SELECT n FROM billion';
    await test.sql('CREATE VIEW billion AS SELECT number AS n FROM numbers(3)');
    await materialized(test, name, { query, max_stored_rows: 5 });
    await test.sql(
      'CREATE OR REPLACE VIEW billion AS SELECT number AS n FROM numbers(100000000000)',
    );
    test.clock.advance(1000);
    await ask(test, 'sync', { name });
    expect(await sync(test)).toContain('failed');
    expect(await statusOf(test, name)).toMatchObject({ error: words('more than 5', 5), rows: 3 });
  });
});

describe('a preview', () => {
  it('reports it too, through both interfaces', async () => {
    await save(test, name, { query: every });
    const rest = await test.rest('POST', `/endpoints/${name}/materialization_preview`);
    expect(rest.body).toMatchObject({
      can_materialize: false,
      reason: words('7', 6),
      max_stored_rows: 6,
      stored_query: expect.stringContaining('sales'),
      expected: { rows: 7, exact: true },
    });
    const { body } = await test.graphql(
      'query ($name: String!) { preview: materializationPreview(projectId: "@current", name: $name) { canMaterialize reason maxStoredRows expected { rows } } }',
      { name },
    );
    expect(body.data?.preview).toEqual({
      canMaterialize: false,
      reason: rest.body.reason,
      maxStoredRows: 6,
      expected: { rows: 7 },
    });
    await patch(test, name, { max_stored_rows: 7 });
    const after = await test.rest('POST', `/endpoints/${name}/materialization_preview`);
    expect(after.body).toMatchObject({ can_materialize: true, reason: null, max_stored_rows: 7 });
  });
});

it('days that are filled in count before the first sync, too', async () => {
  const query =
    "SELECT * FROM (SELECT day, sum(amount) AS total FROM sales GROUP BY day ORDER BY day WITH FILL FROM toDate('2026-01-01') TO toDate('2026-04-11')) WHERE total >= {least:UInt64} ORDER BY day";
  const body = { name, query, is_materialized: true, max_stored_rows: 99 };
  expect((await refused('', 'POST', body)).body).toMatchObject({ detail: words('100', 99) });
});

describe('a join of more pairs of rows than the limit', () => {
  const connections =
    'SELECT a.origin, b.destination, a.id + b.id AS ids FROM legs AS a JOIN legs AS b ON a.destination = b.origin WHERE a.origin = {from:String} AND b.destination = {to:String} ORDER BY ids LIMIT 10';
  const given = { variables: { from: 'x1', to: 'y2' }, refresh: 'force' };
  /** Each of the legs to the hub is joined with each from it. */
  const insert = (to: number, from: number) =>
    test.sql(
      `INSERT INTO legs SELECT number, number < ${to} ? 'x' || toString(number % 5) : 'hub', number < ${to} ? 'hub' : 'y' || toString(number % 5) FROM numbers(${to + from})`,
    );

  beforeAll(async () => {
    await test.sql(
      'CREATE TABLE legs (id UInt32, origin String, destination String) ENGINE = MergeTree ORDER BY id',
    );
  });
  beforeEach(async () => {
    await test.sql('TRUNCATE TABLE legs');
  });

  async function expectSameRows(): Promise<void> {
    const served = await run(test, name, given);
    const direct = await run(test, name, { ...given, refresh: 'direct' });
    expect(served).toMatchObject({ served_from: 'materialized' });
    expect(served.results).not.toEqual([]);
    expect(served.results).toEqual(direct.results);
  }

  it('is stored as the rows of its tables, as the preview shows', async () => {
    await insert(20, 15);
    await save(test, name, { query: connections, max_stored_rows: 80 });
    const preview = await test.rest('POST', `/endpoints/${name}/materialization_preview`);
    expect(preview.body).toMatchObject({ can_materialize: true, expected: { rows: 70 } });
    await patch(test, name, { is_materialized: true });
    expect(await sync(test)).toEqual(['completed']);
    expect(await statusOf(test, name)).toMatchObject({ rows: 70, ready: true });
    await expectSameRows();
    test.clock.advance(1000);
    await ask(test, 'sync', { name });
    expect(await sync(test)).toEqual(['completed']);
    expect(await statusOf(test, name)).toMatchObject({ rows: 70 });
  });

  it.each([
    `SELECT a.origin, b.destination, a.id + b.id AS ids FROM legs AS a, legs AS b WHERE a.destination = b.origin AND a.origin = {from:String} AND b.destination = {to:String} ORDER BY ids LIMIT 10`,
    'WITH pairs AS (SELECT a.origin AS origin, b.destination AS destination, a.id + b.id AS ids FROM legs AS a, legs AS b WHERE a.destination = b.origin AND a.origin = {from:String}) SELECT * FROM pairs WHERE destination = {to:String} ORDER BY ids LIMIT 10',
  ])('is found before the first sync also where commas join it: %s', async (query) => {
    await insert(20, 15);
    await save(test, name, { query, max_stored_rows: 80 });
    const preview = await test.rest('POST', `/endpoints/${name}/materialization_preview`);
    expect(preview.body).toMatchObject({ can_materialize: true, expected: { rows: 70 } });
    const body = { is_materialized: true, max_stored_rows: 69 };
    expect((await refused(name, 'PATCH', body)).body).toMatchObject({ detail: words('300', 69) });
    await patch(test, name, { is_materialized: true });
    expect(await sync(test)).toEqual(['completed']);
    expect(await statusOf(test, name)).toMatchObject({ rows: 70, ready: true });
    await expectSameRows();
  });

  it('is stored in the other way when it grows or shrinks beyond that', async () => {
    await insert(8, 5);
    await materialized(test, name, { query: connections, max_stored_rows: 80 });
    expect(await statusOf(test, name)).toMatchObject({ rows: 40 });
    await expectSameRows();
    await insert(12, 9);
    for (const rows of [68, 40]) {
      test.clock.advance(1000);
      await ask(test, 'sync', { name });
      expect(await sync(test)).toEqual(['completed']);
      expect(await statusOf(test, name)).toMatchObject({ rows });
      await expectSameRows();
      await test.sql('TRUNCATE TABLE legs');
      await insert(8, 5);
    }
  });

  it('is refused where these are too many, too', async () => {
    await insert(20, 15);
    const body = { name, query: connections, is_materialized: true, max_stored_rows: 69 };
    expect((await refused('', 'POST', body)).body).toMatchObject({
      code: 'cannot_materialize',
      detail: words('300', 69),
    });
  });
});

it('a table is refused while -0 among its numbers would leave open which zero is the least', async () => {
  await test.sql(
    'CREATE TABLE prices (shop String, price Float64) ENGINE = MergeTree ORDER BY shop',
  );
  await test.sql("INSERT INTO prices VALUES ('a', 0), ('a', 2.5), ('b', -1)");
  const query =
    'SELECT shop, min(price) AS low FROM prices WHERE shop >= {from:String} GROUP BY shop ORDER BY shop';
  await materialized(test, name, { query });
  const given = { variables: { from: 'a' }, refresh: 'force' };
  const served = {
    served_from: 'materialized',
    results: [
      ['a', 0],
      ['b', -1],
    ],
  };
  expect(await run(test, name, given)).toMatchObject(served);
  await test.sql("INSERT INTO prices VALUES ('a', -0.)");
  await ask(test, 'sync', { name });
  expect(await sync(test)).toEqual(['failed']);
  expect(await statusOf(test, name)).toMatchObject({
    status: 'Failed',
    can_materialize: false,
    reason:
      'The result of min(price) meets -0 in the data, so that it may be 0 or -0 depending on the order of the rows; write min(price + 0).',
  });
  // The table of the last good sync stays in use.
  expect(await run(test, name, given)).toMatchObject(served);
});
