/** String variables that a query compares with other types: saved without a default, materialized, and run. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  materialized,
  openMaterializedApp,
  run,
  servedRows,
} from '../../materialization/support/materialized.ts';
import type { TestApp } from '../../support/test-app.ts';

let test: TestApp;
beforeAll(async () => {
  test = await openMaterializedApp();
  await test.sql(
    `CREATE TABLE visits (id UInt64, big UInt256, price Decimal(9, 2), rate Float64, least Nullable(Int8), user UUID, ip IPv4, isNew Bool, at DateTime64(3)) ENGINE = MergeTree ORDER BY id AS
SELECT number, number % 3, number % 5, number % 2, number % 4, toUUID(concat('00000000-0000-0000-0000-00000000000', toString(number % 3))), toIPv4(number % 3), number % 2, toDateTime64('2026-01-01 00:00:00', 3) + number FROM numbers(100)`,
  );
});
afterAll(() => test.close());

let number = 0;
const query = (where: string) => `SELECT count() AS n, max(id) AS last FROM visits WHERE ${where}`;

it.each([
  ['id = {a:String}', { a: '3' }],
  ['id + 1 > {a:String}', { a: '3' }],
  ['id IN ({a:String}, {b:String})', { a: '2', b: '9' }],
  ["id IN splitByChar(',', {a:String})", { a: '2,9' }],
  ['id IN {a:Array(String)}', { a: ['2', '9'] }],
  ['id BETWEEN {a:String} AND {b:String}', { a: '2', b: '9' }],
  ['big = {a:String}', { a: '2' }],
  ['price = {a:String}', { a: '2.00' }],
  ['rate < {a:String}', { a: '0.5' }],
  ['least = {a:String}', { a: '3' }],
  ['user = {a:String}', { a: '00000000-0000-0000-0000-000000000002' }],
  ['ip = {a:String}', { a: '0.0.0.2' }],
  ['isNew = {a:String}', { a: 'true' }],
  [
    'id < {a:String} AND at >= {b:String} AND price = {c:String}',
    { a: '50', b: '2026-01-01T00:00:10Z', c: '1' },
  ],
  [
    "user = {a:String} AND ({b:String} = '' OR id = {b:String})",
    { a: '00000000-0000-0000-0000-000000000001', b: '4' },
  ],
])('%s', async (where, variables) => {
  number += 1;
  const name = `by_text_${number}`;
  await materialized(test, name, { query: query(where) });
  const results = await servedRows(test, name, variables);
  expect(results).not.toEqual([[0, 0]]);
  const other = { variables: { ...variables, a: Array.isArray(variables.a) ? ['x'] : 'x' } };
  const failed = await test.rest('POST', `/endpoints/${name}/run`, { body: other });
  expect(failed.body).toMatchObject({
    code: 'query_failed',
    detail: expect.stringMatching(/^A string, in the data or given as a value, cannot/),
  });
});

it.each([
  'toStartOfDay(toTimeZone(at, {zone:String})) AS d, count() FROM visits WHERE at >= {from:String} GROUP BY d ORDER BY d',
  "formatDateTime(at, '%F %H', {zone:String}) AS d, count() FROM visits WHERE at >= {from:String} GROUP BY d ORDER BY d",
  'dateTrunc({unit:String}, at) AS d, count() FROM visits WHERE at >= {from:String} AND id < {id:String} GROUP BY d ORDER BY d',
])('a text that must be a constant stands beside one that is compared: SELECT %s', async (rest) => {
  number += 1;
  const name = `by_text_${number}`;
  const created = await test.rest('POST', '/endpoints', {
    body: { name, query: `SELECT ${rest}` },
  });
  expect(created.body).not.toHaveProperty('code');
  const all = { zone: 'Asia/Tokyo', unit: 'minute', from: '2026-01-01T00:00:40Z', id: '70' };
  const used = Object.entries(all).filter(([variable]) => rest.includes(`{${variable}:`));
  const { results } = await run(test, name, { variables: Object.fromEntries(used) });
  expect(results).not.toEqual([]);
});

const later = 'SELECT sum(price) FROM visits WHERE at > {from:String}';
it.each([
  ['as a result', `SELECT count() AS n, (${later}) AS total FROM visits`],
  [
    'as a tuple',
    'SELECT (SELECT count() AS n, max(price) AS p FROM visits WHERE at > {from:String}) AS both',
  ],
  [
    'as an array',
    'SELECT arraySum((SELECT arraySort(groupArray(price)) FROM visits WHERE at > {from:String})) AS total',
  ],
  ['in a condition', `SELECT count() AS n FROM visits WHERE id > (${later})`],
  [
    'beside a condition',
    `SELECT count() AS n, (${later}) AS total FROM visits WHERE at > {from:String}`,
  ],
])('a time is compared in a scalar subquery %s', async (_where, sql) => {
  number += 1;
  const name = `by_text_${number}`;
  await materialized(test, name, { query: sql });
  const results = [];
  for (const from of ['2026-01-01T00:00:40Z', '2026-01-01 00:00:40', '2026-01-01T01:00:40+01:00']) {
    results.push(await servedRows(test, name, { from }));
  }
  for (const each of results) expect(each).toEqual(results[0]);
});

it('values of WITH FILL in the wrong order are said to be', async () => {
  const fill = "WITH FILL FROM toDateTime({from:String}, 'UTC') TO toDateTime({to:String}, 'UTC')";
  const day = "toStartOfDay(toDateTime(at, 'UTC')) AS d";
  const body = {
    name: 'filled',
    query: `SELECT ${day}, count() FROM visits GROUP BY d ORDER BY d ${fill} STEP 86400`,
  };
  expect((await test.rest('POST', '/endpoints', { body })).status).toBe(201);
  const variables = { from: '2026-01-03 00:00:00', to: '2026-01-01 00:00:00' };
  const failed = await test.rest('POST', '/endpoints/filled/run', { body: { variables } });
  expect(failed.body).toMatchObject({
    code: 'query_failed',
    detail: 'The values of WITH FILL are in the wrong order: from FROM, STEP has to lead to TO.',
  });
});

it('a variable that is read as two types cannot be saved without a default', async () => {
  const body = { name: 'two_types', query: query('id = {a:String} AND user = {a:String}') };
  const { status, body: error } = await test.rest('POST', '/endpoints', { body });
  expect(status).toBe(400);
  expect(error).toMatchObject({ code: 'invalid_query', attr: 'query' });
  expect(error.detail).toMatch(
    /give the variable this type, as in \{name:UInt64\}, or a default\.$/,
  );
});
