/** Columns without a name that are computed with variables: callers see the same names, and groups are stored. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { TestApp } from '../support/test-app.ts';
import { materialized, openMaterializedApp, run, statusOf } from './support/materialized.ts';

let test: TestApp;
beforeAll(async () => {
  test = await openMaterializedApp();
});
afterAll(() => test.close());

const number = { x: { code_name: 'x', type: 'Number' } };

it.each([
  [
    'of groups',
    'SELECT country, sum(amount) * {x:Int32} FROM sales GROUP BY country ORDER BY country',
    { columns: ['country', 'multiply(sum(amount), {x})'], rows: 6 },
  ],
  [
    'of all rows, twice',
    'SELECT sum(amount) * {x:Int32}, {x:Int32} - count() FROM sales',
    { columns: ['multiply(sum(amount), {x})', 'minus({x}, count())'], rows: 1 },
  ],
  [
    'in the kept spelling',
    'SELECT max(amount) * {variables.x} FROM sales',
    { columns: ['multiply(max(amount), {x})'], rows: 1 },
  ],
  [
    'in an order by the same expression, beside a filter',
    'SELECT country, sum(amount) % {x:Int32} FROM sales WHERE amount > {x:Int32} - 3 GROUP BY country ORDER BY sum(amount) % {x:Int32}, country',
    { columns: ['country', 'modulo(sum(amount), {x})'], rows: 7 },
  ],
])('%s', async (what, query, { columns, rows }) => {
  const name = what.replaceAll(/\W/g, '_');
  const variables = query.includes('{variables.') ? number : {};
  await materialized(test, name, { query: { kind: 'SQLQuery', query, variables } });
  expect(await statusOf(test, name)).toMatchObject({ status: 'Completed', rows });
  for (const x of [2, 3, -1]) {
    const inline = await run(test, name, { variables: { x }, refresh: 'direct' });
    const stored = await run(test, name, { variables: { x }, refresh: 'force' });
    expect(stored).toMatchObject({
      served_from: 'materialized',
      columns,
      types: inline.types,
      results: inline.results,
    });
    expect(inline.columns).toEqual(columns);
  }
});

it('may hold a text beside a column that is called as a type', async () => {
  await test.sql('CREATE TABLE events (timestamp DateTime, n UInt8) ENGINE = MergeTree ORDER BY n');
  await test.sql(
    "INSERT INTO events VALUES ('2026-01-01 00:00:00', 1), ('2026-01-03 00:00:00', 2)",
  );
  const query =
    "SELECT countIf(timestamp > '2026-01-02 00:00:00'), countIf(toString(timestamp) != 'https://a') FROM events WHERE n <= {most:UInt8}";
  await materialized(test, 'timed', { query });
  expect(await run(test, 'timed', { variables: { most: 2 }, refresh: 'force' })).toMatchObject({
    served_from: 'materialized',
    columns: [
      "countIf(greater(timestamp, '2026-01-02 00:00:00'))",
      "countIf(notEquals(toString(timestamp), 'https://a'))",
    ],
    results: [[1, 2]],
  });
});

it('is read by its name where rows are objects', async () => {
  const inline = await run(test, 'of_groups', {
    variables: { x: 5 },
    refresh: 'direct',
    rows: 'objects',
  });
  const stored = await run(test, 'of_groups', {
    variables: { x: 5 },
    refresh: 'force',
    rows: 'objects',
  });
  expect(stored.results).toEqual(inline.results);
  expect(stored.results).toContainEqual({ country: 'de', 'multiply(sum(amount), {x})': 25 });
});

it('is left unnamed where the query has another column of that name', async () => {
  await test.sql(
    'CREATE TABLE odd (a Int32, `multiply(sum(a), {x})` Int32) ENGINE = MergeTree ORDER BY a',
  );
  await test.sql('INSERT INTO odd VALUES (1, 100), (2, 200)');
  const query = 'SELECT sum(a) * {x:Int32}, max(`multiply(sum(a), {x})`) AS m FROM odd';
  await materialized(test, 'odd', { query });
  const [inline, stored] = [
    await run(test, 'odd', { variables: { x: 2 }, refresh: 'direct' }),
    await run(test, 'odd', { variables: { x: 2 }, refresh: 'force' }),
  ];
  expect(inline.results).toEqual([[6, 200]]);
  expect(stored).toMatchObject({
    served_from: 'materialized',
    results: [[6, 200]],
    columns: inline.columns,
  });
});

it('have the name that the engine gives to the query itself, with subqueries that are limited', async () => {
  const least = 'SELECT country FROM sales GROUP BY country ORDER BY sum(amount), country LIMIT 2';
  const query = `SELECT countIf(country IN (${least})), countIf(country NOT IN (${least} OFFSET 1)) FROM sales`;
  await materialized(test, 'limited', { query });
  const columns = ['countIf(in(country, _subquery_1))', 'countIf(notIn(country, _subquery_2))'];
  for (const refresh of ['direct', 'force'])
    expect(await run(test, 'limited', { refresh })).toMatchObject({ columns });
  const csv = await test.rest('GET', '/endpoints/limited/run?format=csv&refresh=direct');
  expect(csv.text.split('\r\n')[0]).toBe(columns.map((name) => `"${name}"`).join(','));
});
