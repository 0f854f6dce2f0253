/** A version whose plan stores several tables: they are built, served, limited and dropped together. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { TestApp } from '../../support/test-app.ts';
import {
  ask,
  type Body,
  materialized,
  openWithBystander,
  run,
  save,
  servedTables,
  statusOf,
  storedTables,
  sync,
} from '../support/materialized.ts';

let test: TestApp;
const query =
  'SELECT day, amount FROM sales WHERE country IN (SELECT country FROM regions WHERE region = {region:Nullable(String)}) OR amount > {least:UInt32} ORDER BY day, amount LIMIT {most:UInt8}';
const values = [
  { region: 'north', least: 100, most: 10 },
  { region: 'none', least: 4, most: 2 },
  { region: null, least: 5, most: 10 },
];

beforeAll(async () => {
  test = await openWithBystander();
  await test.sql(
    "CREATE TABLE regions ENGINE = MergeTree ORDER BY country AS SELECT * FROM VALUES('region String, country String', ('north', 'de'), ('north', 'pl'), ('south', 'it'))",
  );
});
afterAll(async () => {
  const bystander = await run(test, 'bystander', { refresh: 'force' });
  expect(bystander).toMatchObject({ served_from: 'materialized' });
  await test.close();
});

const inline = (name: string, variables: Body) => run(test, name, { variables, refresh: 'direct' });
const stored = (name: string, variables: Body) => run(test, name, { variables, refresh: 'force' });

async function expectExact(name: string): Promise<void> {
  for (const variables of values) {
    const read = await stored(name, variables);
    expect(read).toMatchObject({ served_from: 'materialized' });
    const { results, types } = await inline(name, variables);
    expect(read).toMatchObject({ results, types });
  }
}

it('serves any values, NULL too, as of the last sync', async () => {
  await materialized(test, 'several', { query });
  await expectExact('several');
  expect(await statusOf(test, 'several')).toMatchObject({ rows: 10, ready: true });
  await test.sql("INSERT INTO regions VALUES ('none', 'fr')");
  const [, none] = values;
  const read = await stored('several', none ?? {});
  expect(read.results).not.toEqual((await inline('several', none ?? {})).results);
  await ask(test, 'sync', { name: 'several' });
  expect(await sync(test)).toEqual(['completed']);
  await expectExact('several');
});

it('is built anew and dropped with all of its tables', async () => {
  const further = async () => (await storedTables(test)).filter((name) => name.endsWith('_p1'));
  const before = await further();
  await ask(test, 'sync', { name: 'several' });
  expect(await sync(test)).toEqual(['completed']);
  test.clock.advance(60_000);
  await test.app.materialization.sweep();
  const after = await further();
  expect(after).toHaveLength(1);
  expect(after).not.toEqual(before);
  expect(await servedTables(test)).toContain(after[0]?.replace(/_p1$/, ''));
  await expectExact('several');
  await test.rest('DELETE', '/endpoints/several');
  test.clock.advance(60_000);
  await test.app.materialization.sweep();
  expect(await storedTables(test)).toEqual(await servedTables(test));
});

it('has the rows of all tables in its preview and within its limit', async () => {
  await save(test, 'limited', { query });
  const preview = await test.rest('POST', '/endpoints/limited/materialization_preview');
  expect(preview.body).toMatchObject({ can_materialize: true });
  expect(JSON.stringify(preview.body)).toContain('FROM regions');
  const body = { is_materialized: true, max_stored_rows: 10 };
  const refused = await test.rest('PATCH', '/endpoints/limited', { body });
  expect(refused.body).toMatchObject({
    code: 'cannot_materialize',
    detail: expect.stringContaining('would have 11 rows, and its limit is 10'),
  });
  await test.rest('PATCH', '/endpoints/limited', { body: { ...body, max_stored_rows: 11 } });
  expect(await sync(test)).toEqual(['completed']);
  await test.sql("INSERT INTO regions VALUES ('none', 'at')");
  await ask(test, 'sync', { name: 'limited' });
  expect(await sync(test)).toEqual(['failed']);
  expect(await statusOf(test, 'limited')).toMatchObject({
    error: expect.stringContaining('12 rows'),
  });
});

const joined = {
  kind: 'SQLQuery',
  query:
    'SELECT s.country AS country, sum(s.price) AS total, avg(s.price) AS mean FROM prices AS s JOIN regions AS r ON s.country = r.country AND r.region != {region:String} WHERE s.price > {least:Float64} GROUP BY country ORDER BY total DESC',
  variables: {
    region: { code_name: 'region', value: 'none' },
    least: { code_name: 'least', value: 0.25 },
  },
};

it('adds up floating point numbers to the digits that a query determines, and tells the gain before', async () => {
  await test.sql(
    "CREATE TABLE prices ENGINE = MergeTree ORDER BY tuple() AS SELECT arrayElement(['de', 'pl', 'it'], number % 3 + 1) AS country, sqrt(number) / 7 AS price FROM numbers(20000)",
  );
  await save(test, 'floats', { query: joined });
  const { body } = await test.rest('POST', '/endpoints/floats/materialization_preview');
  expect(body).toMatchObject({
    can_materialize: true,
    gain: { source_rows: expect.any(Number), expected_gain: expect.any(Number) },
  });
  await test.rest('PATCH', '/endpoints/floats', { body: { is_materialized: true } });
  expect(await sync(test)).toEqual(['completed']);
  for (const variables of [{}, { region: 'south', least: 3 }, { region: 'north', least: 1e9 }]) {
    const read = (await stored('floats', variables)).results as unknown[][];
    const { results } = await inline('floats', variables);
    expect(read).toHaveLength((results as unknown[]).length);
    for (const [at, row] of (results as [string, number, number][]).entries()) {
      const [country, total, mean] = read[at] as [string, number, number];
      expect(country).toBe(row[0]);
      expect(Math.abs(total / row[1] - 1)).toBeLessThan(1e-9);
      expect(Math.abs(mean / row[2] - 1)).toBeLessThan(1e-9);
    }
  }
});

it('compares with values of the right types where one of the tables has no rows', async () => {
  await test.sql(
    'CREATE TABLE closed (country String, at DateTime) ENGINE = MergeTree ORDER BY at',
  );
  const sql =
    'SELECT count() AS n FROM sales WHERE country IN (SELECT country FROM closed WHERE at BETWEEN {from:String} AND {to:String}) OR country = {country:String}';
  await materialized(test, 'closed', { query: sql });
  const variables = { from: '2024-01-01', to: '2024-02-01', country: 'de' };
  expect(await stored('closed', variables)).toMatchObject({ results: [[2]] });
});

it('compares with values of rows on either side of OR, and in what NOT and AND are about', async () => {
  const total = (condition: string) =>
    `(SELECT CAST(sum(toNullable(amount)) AS UInt64) AS t FROM sales WHERE ${condition})`;
  const either =
    "(country = {a:String} OR (day >= {from:Date} AND country = {b:String})) AND NOT (country = 'at')";
  const both = `SELECT x.t - y.t AS more FROM ${total(either)} AS x, ${total('country = {c:String}')} AS y`;
  // Each total fails over no rows, so nothing could be compared for other values.
  await materialized(test, 'totals', { query: both });
  const { variables } = (await test.rest('POST', '/endpoints/totals/materialization_preview'))
    .body as { readonly variables: readonly Body[] };
  expect(variables.map((one) => [one.variable, one.operator, one.expression])).toEqual([
    ['a', '=', 'country'],
    ['from', '>=', 'day'],
    ['b', '=', 'country'],
    ['c', '=', 'country'],
  ]);
  const asked = { a: 'fr', b: 'de', c: 'it', from: '2026-02-01' };
  expect(await stored('totals', asked)).toMatchObject({
    served_from: 'materialized',
    results: [[2]],
  });
});

it('may read columns that begin like virtual ones, which a copy does not have', async () => {
  await test.sql(
    'CREATE TABLE stamped (country String, region String, _timestamp DateTime) ENGINE = ReplacingMergeTree(_timestamp) ORDER BY country',
  );
  await test.sql("INSERT INTO stamped VALUES ('de', 'north', 1), ('it', 'south', 2)");
  await materialized(test, 'stamped', {
    query:
      'SELECT day, amount FROM sales WHERE country IN (SELECT country FROM stamped GROUP BY country HAVING argMax(region, _timestamp) = {region:String}) OR amount > {least:UInt32} ORDER BY day, amount',
  });
  const variables = { region: 'north', least: 100 };
  expect(await stored('stamped', variables)).toMatchObject({
    served_from: 'materialized',
    results: (await inline('stamped', variables)).results,
  });
});

it('reads a table both with FINAL and without', async () => {
  await test.sql(
    'CREATE TABLE steps (id UInt32, status String, v UInt32) ENGINE = ReplacingMergeTree(v) ORDER BY id',
  );
  await test.sql('SYSTEM STOP MERGES steps');
  await test.sql("INSERT INTO steps VALUES (1, 'open', 1), (2, 'open', 1), (3, 'done', 1)");
  await test.sql("INSERT INTO steps VALUES (1, 'done', 2)");
  await materialized(test, 'both', {
    query:
      'SELECT (SELECT count() FROM steps WHERE v < {most:UInt32}) AS n, (SELECT count() FROM steps FINAL WHERE status = {s:String}) AS m',
  });
  const variables = { most: 5, s: 'done' };
  const read = await stored('both', variables);
  expect(read).toMatchObject({ served_from: 'materialized', results: [[4, 2]] });
  expect((await inline('both', variables)).results).toEqual([[4, 2]]);
});

it('reads a view with FINAL, which is not copied, while its table does not change', async () => {
  await test.sql(
    'CREATE TABLE notes (id UInt32, status String, v UInt32) ENGINE = ReplacingMergeTree(v) ORDER BY id',
  );
  await test.sql("INSERT INTO notes VALUES (1, 'open', 1), (2, 'open', 1)");
  await test.sql("INSERT INTO notes VALUES (1, 'done', 2)");
  await test.sql('CREATE VIEW latest AS SELECT * FROM notes');
  await materialized(test, 'latest', {
    query:
      'SELECT (SELECT count() FROM latest FINAL WHERE v < {most:UInt32}) AS n, (SELECT count() FROM latest FINAL WHERE status = {s:String}) AS m',
  });
  const variables = { most: 5, s: 'done' };
  expect(await stored('latest', variables)).toMatchObject({
    served_from: 'materialized',
    results: (await inline('latest', variables)).results,
  });
});
