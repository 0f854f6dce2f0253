/** Loads into a table that another load creates at the same time. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type HeldEngine, openHeldEngine } from '../support/held-engine.ts';
import { openTestApp, type TestApp, type TestResponse } from '../support/test-app.ts';

let held: HeldEngine;
let test: TestApp;
let dataDir: string;
let key: string;
let table = '';
let count = 0;

const put = (csv: string, mode: string) =>
  test.rest('PUT', `/tables/${table}/rows?mode=${mode}`, {
    body: csv,
    key,
    headers: { 'content-type': 'text/csv' },
  });
const rowsOf = async () =>
  (await test.sql(`SELECT * FROM ${table} ORDER BY ALL FORMAT TSV`)).trim().split('\n');
/** All tables but those of these tests; hidden ones of loads included. */
const otherTables = async () =>
  (await test.sql('SHOW TABLES'))
    .trim()
    .split('\n')
    .filter((name) => !name.startsWith('newt_'));
const audited = async () => {
  const { rows } = await test.backends.metadata.pool.query<{ readonly action: string }>(
    "SELECT action FROM audit_entry WHERE action LIKE 'data.%' AND after->>'table' = $1 ORDER BY action",
    [table],
  );
  return rows.map(({ action }) => action);
};

beforeAll(async () => {
  held = await openHeldEngine();
  dataDir = await mkdtemp(join(tmpdir(), 'querydock-test-created-'));
  test = await openTestApp({ clickhouseUrl: held.clickhouseUrl, dataDir, maxLoads: 4 });
  ({ key } = await test.issueKey({ scopes: ['data:write'], projects: [test.project] }));
  await test.sql('CREATE TABLE bystander (n UInt8) ENGINE = MergeTree ORDER BY n');
});
beforeEach(() => {
  table = `newt_${++count}`;
});
afterEach(() => {
  held.before(null);
});
afterAll(async () => {
  await test.close();
  await held.close();
  await rm(dataDir, { recursive: true, force: true });
});

/** Loads the rows; another load creates the table just before the engine gets this statement. */
async function lose(load: {
  readonly before: string;
  readonly csv: string;
  readonly mode: string;
  readonly winner?: string;
}): Promise<TestResponse> {
  const { before, csv, mode, winner = 'n\n1.5\n' } = load;
  let won: TestResponse | undefined;
  held.before(async (statement) => {
    if (!statement.includes(before)) return;
    held.before(null);
    won = await put(winner, 'create');
  });
  const response = await put(csv, mode);
  expect(won?.status).toBe(200);
  return response;
}

const moments = [
  ['before its rows are sent', 'CREATE TABLE'],
  ['when its rows are in place', 'RENAME TABLE'],
] as const;

describe.each(moments)('a load whose table is created %s', (_moment, before) => {
  it('adds its rows to it, with its types', async () => {
    const { status, body } = await lose({ before, csv: 'n\n2\n3\n', mode: 'append' });
    expect([status, body]).toEqual([
      200,
      { table, mode: 'append', rows: 2, columns: [{ name: 'n', type: 'Float64' }] },
    ]);
    expect(await rowsOf()).toEqual(['1.5', '2', '3']);
    expect(await otherTables()).toEqual(['bystander']);
    expect(await audited()).toEqual(['data.load', 'data.load', 'data.loaded', 'data.loaded']);
  });

  it('is refused if its rows do not fit, and leaves the table alone', async () => {
    const { status, body } = await lose({ before, csv: 'other\n2\n', mode: 'append' });
    expect([status, body.code]).toEqual([400, 'invalid_input']);
    expect(await rowsOf()).toEqual(['1.5']);
    expect(await otherTables()).toEqual(['bystander']);
  });

  it('is refused as unique if it must be new', async () => {
    const { status, body } = await lose({ before, csv: 'n\n2\n', mode: 'create' });
    expect([status, body]).toMatchObject([
      400,
      { code: 'unique', attr: 'table', detail: expect.stringContaining('mode=append') },
    ]);
    expect(await rowsOf()).toEqual(['1.5']);
    expect(await otherTables()).toEqual(['bystander']);
  });

  it('replaces it if that is wanted', async () => {
    const { status, body } = await lose({ before, csv: 'n\n2\n', mode: 'replace' });
    expect([status, body]).toMatchObject([200, { rows: 1, columns: [{ type: 'Int64' }] }]);
    expect(await rowsOf()).toEqual(['2']);
    expect(await otherTables()).toEqual(['bystander']);
  });
});

it('loads that append to one new table at once all have their rows in it, once', async () => {
  const loads = await Promise.all([1, 2, 3, 4].map((n) => put(`n\n${n}\n${n}0\n`, 'append')));
  expect(loads.map(({ status, body }) => [status, body.rows])).toEqual(
    [1, 2, 3, 4].map(() => [200, 2]),
  );
  expect(await rowsOf()).toEqual(['1', '2', '3', '4', '10', '20', '30', '40']);
  expect(await otherTables()).toEqual(['bystander']);
});
