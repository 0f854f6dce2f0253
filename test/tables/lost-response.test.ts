/** Loads whose engine is lost at the moment in which the table gets its rows: they are in it once, and everybody learns of them. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { run, save } from '../rest/support/sales.ts';
import { type HeldEngine, openHeldEngine } from '../support/held-engine.ts';
import { openTestApp, type TestApp } from '../support/test-app.ts';

let held: HeldEngine;
let test: TestApp;
let dataDir: string;
let key: string;

const put = (table: string, csv: string, mode = 'replace') =>
  test.rest('PUT', `/tables/${table}/rows?mode=${mode}`, {
    body: csv,
    key,
    headers: { 'content-type': 'text/csv' },
  });
const addRows = (csv: string) => put('parted', csv, 'append');

beforeAll(async () => {
  held = await openHeldEngine();
  dataDir = await mkdtemp(join(tmpdir(), 'querydock-test-lost-'));
  test = await openTestApp({ clickhouseUrl: held.clickhouseUrl, dataDir });
  ({ key } = await test.issueKey({ scopes: ['data:write'], projects: [test.project] }));
  await put('numbers_in', 'n\n1\n');
  // Partitions as well as what the engine must take over with a part.
  await test.sql(
    'CREATE TABLE parted (p Int64, n Int64, PROJECTION s (SELECT p, sum(n) GROUP BY p)) ENGINE = MergeTree PARTITION BY p ORDER BY n SETTINGS enable_block_number_column = 1, enable_block_offset_column = 1',
  );
  await saveBoth('total', 'SELECT sum(n) AS total FROM numbers_in');
  await saveBoth('parts', 'SELECT p, sum(n) AS total, count() AS c FROM parted GROUP BY p');
});
beforeEach(async () => {
  await put('numbers_in', 'n\n1\n');
  await test.sql('TRUNCATE TABLE parted');
  await addRows('p,n\n1,1\n2,2\n3,3\n');
  await test.app.materialization.runOnce();
  expect(await served('total')).toEqual({ cached: [[1]], stored: [[1]] });
  expect(await served('parts')).toEqual({ cached: before, stored: before });
});
afterEach(() => held.before(null));
afterAll(async () => {
  await test.close();
  await held.close();
  await rm(dataDir, { recursive: true, force: true });
});

const before = [
  [1, 1, 1],
  [2, 2, 1],
  [3, 3, 1],
];
const after = [
  [1, 11, 2],
  [2, 22, 2],
  [3, 33, 2],
];

/** An endpoint whose results are cached for a day, and one whose query is stored for a month. */
async function saveBoth(name: string, query: string): Promise<void> {
  const ordered = name === 'parts' ? `${query} ORDER BY p` : query;
  await save(test, name, { query: ordered, cache_age_seconds: 86_400 });
  const stored = { is_materialized: true, sync_frequency: '30day', cache_age_seconds: 0 };
  await save(test, `${name}_stored`, { query: ordered, ...stored });
}

/** What callers get, once the syncs that are due are done. The clock stands still, so nothing expires. */
async function served(name: string) {
  await test.app.materialization.runOnce();
  const stored = await run(test, `${name}_stored`);
  expect(stored).toMatchObject({ endpoint_materialized: true });
  return { cached: (await run(test, name)).results, stored: stored.results };
}

const hiddenTables = () =>
  test.sql(
    `SELECT count() FROM system.tables WHERE database = 'project_${test.project.id}' AND startsWith(name, '_load_')`,
  );

/** Breaks off the connection at the nth statement of a kind, before or after the engine has carried it out. */
function loseAt(
  kind: RegExp,
  { nth = 1, isDone = true, also = async () => {} }: Losing = {},
): { readonly count: () => number } {
  let count = 0;
  held.before(async (statement) => {
    if (!kind.test(statement)) return;
    count += 1;
    if (count !== nth) return;
    if (isDone) await test.sql(statement);
    await also(statement);
    throw new Error('the connection breaks off');
  });
  return { count: () => count };
}

interface Losing {
  readonly nth?: number;
  readonly isDone?: boolean;
  readonly also?: (statement: string) => Promise<unknown>;
}

const swaps = /^EXCHANGE TABLES/;
const additions = /(?:ATTACH|MOVE) PARTITION/;

describe('a load whose engine is lost', () => {
  it.each([true, false])('replaces the rows (carried out: %s)', async (isDone) => {
    const lost = loseAt(swaps, { isDone });
    const response = await put('numbers_in', 'n\n10\n');
    expect(lost.count()).toBe(isDone ? 1 : 2);
    expect(response).toMatchObject({ status: 200, body: { rows: 1 } });
    expect(await served('total')).toEqual({ cached: [[10]], stored: [[10]] });
    expect(await hiddenTables()).toBe('0\n');
  });

  it('creates its table', async () => {
    const lost = loseAt(/^RENAME TABLE/);
    expect(await put('created', 'n\n1\n', 'create')).toMatchObject({ status: 200 });
    expect(lost.count()).toBe(1);
    expect(await test.sql('SELECT n FROM created')).toBe('1\n');
    await test.sql('DROP TABLE created');
    expect(await hiddenTables()).toBe('0\n');
  });

  it.each([true, false])('adds the rows once (carried out: %s)', async (isDone) => {
    const lost = loseAt(additions, { isDone });
    const response = await put('numbers_in', 'n\n10\n', 'append');
    expect(lost.count()).toBe(isDone ? 1 : 2);
    expect(response).toMatchObject({ status: 200, body: { rows: 1 } });
    expect(await served('total')).toEqual({ cached: [[11]], stored: [[11]] });
    expect(await hiddenTables()).toBe('0\n');
  });

  it.each([
    { nth: 2, isDone: true },
    { nth: 2, isDone: false },
    { nth: 3, isDone: false },
  ])('adds the rows of all partitions once (%j)', async (at) => {
    loseAt(additions, at);
    expect(await addRows('p,n\n1,10\n2,20\n3,30\n')).toMatchObject({
      status: 200,
      body: { rows: 3 },
    });
    expect(await served('parts')).toEqual({ cached: after, stored: after });
    expect(await hiddenTables()).toBe('0\n');
  });

  it.each([true, false])('adds them when it is lost before (carried out: %s)', async (isDone) => {
    const lost = loseAt(/^RENAME TABLE/, { isDone });
    expect(await addRows('p,n\n1,10\n2,20\n3,30\n')).toMatchObject({ status: 200 });
    expect(lost.count()).toBeGreaterThan(0);
    expect(await served('parts')).toEqual({ cached: after, stored: after });
    expect(await hiddenTables()).toBe('0\n');
  });
});

/** Here because somebody else drops the hidden table. */
describe('a load whose outcome is unknown', () => {
  it('says so when rows were added, and all results are computed again', async () => {
    loseAt(additions, { nth: 2, isDone: false, also: dropHidden });
    const response = await addRows('p,n\n1,10\n2,20\n3,30\n');
    expect(response).toMatchObject({
      status: 500,
      body: {
        code: 'error',
        detail:
          'The engine was lost while the table parted got the rows, so all, some or none of them may be in it. Count its rows before you add them again.',
      },
    });
    const { rows } = await test.backends.metadata.pool.query(
      'SELECT action, "after" FROM audit_entry ORDER BY sequence DESC LIMIT 1',
    );
    expect(rows).toEqual([
      {
        action: 'data.loaded',
        after: { table: 'parted', mode: 'append', format: 'CSVWithNames', rows: null },
      },
    ]);
    const partly = [after[0], before[1], before[2]];
    expect(await served('parts')).toEqual({ cached: partly, stored: partly });
  });

  it('can be sent again when it replaces rows', async () => {
    loseAt(swaps, { also: dropReplaced });
    const response = await put('numbers_in', 'n\n10\n');
    expect(response).toMatchObject({
      status: 503,
      body: {
        code: 'engine_unavailable',
        detail:
          'The engine was lost while the table numbers_in got the rows, so it may have them or its former ones. Load them again.',
      },
    });
    expect(response.headers.get('retry-after')).toBe('10');
    held.before(null);
    await test.sql('CREATE TABLE numbers_in (n Int64) ENGINE = MergeTree ORDER BY n');
    await test.sql('INSERT INTO numbers_in VALUES (5)');
    expect(await served('total')).toEqual({ cached: [[5]], stored: [[5]] });
  });

  async function dropHidden(statement: string): Promise<void> {
    const hidden = /[\w.]*`?_load_\w+`?/.exec(statement)?.[0] ?? '';
    await test.sql(`DROP TABLE ${hidden} SYNC`);
  }
  const dropReplaced = () => test.sql('DROP TABLE numbers_in SYNC');
});
