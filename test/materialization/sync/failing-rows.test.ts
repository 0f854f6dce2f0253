/** Expressions that fail for rows which the values of a run leave out. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { TestApp } from '../../support/test-app.ts';
import {
  ask,
  expectNoOrphans,
  materialized,
  openMaterializedApp,
  run,
  save,
  statusOf,
  sync,
} from '../support/materialized.ts';

let test: TestApp;
beforeAll(async () => {
  test = await openMaterializedApp();
  await test.sql(
    'CREATE TABLE properties (id UInt32, name String, value String, n Int32) ENGINE = MergeTree ORDER BY id',
  );
  await test.sql(
    "INSERT INTO properties SELECT number, ['size', 'color', 'price'][number % 3 + 1], if(number % 3 = 1, 'red', toString(number)), number % 7 FROM numbers(3000)",
  );
});
afterAll(async () => {
  await expectNoOrphans(test);
  await test.close();
});

async function expectSame(name: string, variables: object): Promise<void> {
  const inline = await run(test, name, { variables, refresh: 'direct' });
  expect(inline).toMatchObject({ served_from: 'inline' });
  expect(await run(test, name, { variables, refresh: 'force' })).toMatchObject({
    served_from: 'materialized',
    columns: inline.columns,
    types: inline.types,
    results: inline.results,
  });
}

const ofName = 'FROM properties WHERE name = {name:String}';

it.each([
  ['a text that is parsed', `SELECT id, toInt32(value) AS v ${ofName} ORDER BY id`],
  ['one in an aggregate', `SELECT n, sum(toInt32(value)) AS v ${ofName} GROUP BY n ORDER BY n`],
  [
    'one in a CTE',
    `WITH c AS (SELECT n, toInt32(value) AS v ${ofName}) SELECT n, max(v) AS m FROM c GROUP BY n ORDER BY n`,
  ],
  [
    'a division by zero',
    `SELECT sum(intDiv(toInt32OrZero(value), n)) AS v ${ofName} AND n > {least:Int32}`,
  ],
])('are computed by each run: %s', async (what, query) => {
  const name = what.replaceAll(' ', '_');
  const given = query.includes('least') ? { least: 0 } : {};
  await materialized(test, name, { query });
  for (const value of ['size', 'price', 'none']) {
    await expectSame(name, { ...given, name: value });
  }
  test.clock.advance(1000);
  await test.sql("INSERT INTO properties VALUES (9000, 'size', '17', 3)");
  await ask(test, 'sync', { name });
  expect(await sync(test)).toEqual(['completed']);
  await expectSame(name, { ...given, name: 'size' });
});

it('may be served from the source where the engine compares first', async () => {
  const query = `SELECT n, count() AS v ${ofName} AND toInt32(value) > {least:Int32} GROUP BY n ORDER BY n`;
  await materialized(test, 'compared', { query });
  for (const name of ['size', 'price', 'none']) {
    const variables = { name, least: 0 };
    const inline = await run(test, 'compared', { variables, refresh: 'direct' });
    const stored = await run(test, 'compared', { variables, refresh: 'force' });
    expect(stored).toMatchObject({ types: inline.types, results: inline.results });
    if (stored.served_from === 'inline') expect(stored.inline_reason).toBe('failed');
  }
});

it('may come later and go again', async () => {
  await test.sql(
    'CREATE TABLE later (id UInt32, name String, value String) ENGINE = MergeTree ORDER BY id',
  );
  await test.sql("INSERT INTO later SELECT number, 'size', toString(number) FROM numbers(100)");
  const query = 'SELECT sum(toInt32(value)) AS v FROM later WHERE name = {name:String}';
  await materialized(test, 'later', { query });
  const syncAgain = async () => {
    test.clock.advance(1000);
    await ask(test, 'sync', { name: 'later' });
    expect(await sync(test)).toEqual(['completed']);
    await expectSame('later', { name: 'size' });
    return Number((await statusOf(test, 'later')).rows);
  };
  expect(await syncAgain()).toBe(1);
  await test.sql("INSERT INTO later VALUES (200, 'color', 'red')");
  expect(await syncAgain()).toBe(101);
  expect(await syncAgain()).toBe(101);
  await test.sql("DELETE FROM later WHERE name = 'color'");
  expect(await syncAgain()).toBe(1);
});

it('tell why the first table failed where the columns are too many', async () => {
  const query = `SELECT n, sum(toInt32(value)) AS v ${ofName} GROUP BY n`;
  await save(test, 'few', { query, is_materialized: true, max_stored_rows: 500 });
  expect(await sync(test)).toEqual(['failed']);
  expect((await statusOf(test, 'few')).error).toMatch(/cannot be parsed as Int32/);
});

it('are previewed as they will be stored', async () => {
  const preview = async (name: string, query: string) => {
    await save(test, name, { query });
    const path = `/endpoints/${name}/materialization_preview`;
    return (await test.rest('POST', path, { body: {} })).body;
  };
  const sum = `SELECT n, sum(toInt32(value)) AS v ${ofName} GROUP BY n`;
  const rows = Number((await test.sql('SELECT count() FROM properties')).trim());
  expect(await preview('previewed', sum)).toMatchObject({
    can_materialize: true,
    stored_query: 'SELECT `name`, `value`, `n` FROM properties',
    expected: { rows, exact: true },
  });
  const all = 'SELECT id, toInt32(value) AS v FROM properties';
  expect(await preview('failing_always', all)).toMatchObject({
    can_materialize: false,
    reason: expect.stringContaining('cannot be parsed as Int32 in the function toInt32'),
  });
});

it('fail in the stored run as they fail in the inline run', async () => {
  await materialized(test, 'failing', { query: `SELECT max(toInt32(value)) AS v ${ofName}` });
  const path = '/endpoints/failing/run';
  for (const refresh of ['direct', 'force']) {
    const body = { variables: { name: 'color' }, refresh };
    expect((await test.rest('POST', path, { body })).body).toMatchObject({
      code: 'query_failed',
      detail: expect.stringContaining('cannot be parsed as Int32 in the function toInt32'),
    });
  }
});

it('fail the sync where no values leave the rows out', async () => {
  await save(test, 'all', { query: 'SELECT id, toInt32(value) AS v FROM properties' });
  await save(test, 'always', {
    query: 'SELECT id FROM properties WHERE toInt32(value) > 3 AND name = {name:String}',
  });
  for (const name of ['all', 'always']) {
    const body = { is_materialized: true };
    expect((await test.rest('PATCH', `/endpoints/${name}`, { body })).status).toBe(200);
    expect(await sync(test)).toEqual(['failed']);
    expect(await statusOf(test, name)).toMatchObject({
      status: 'Failed',
      error: expect.stringContaining('cannot be parsed as Int32 in the function toInt32'),
    });
  }
});
