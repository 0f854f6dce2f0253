/** Joins that take one of the matching rows, which are exact as long as there is one at most: each sync checks that. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { TestApp } from '../support/test-app.ts';
import { expectRefusedBySync, expectServed } from './support/checked-queries.ts';
import {
  openMaterializedApp,
  patch,
  save,
  servedRows,
  statusOf,
  sync,
} from './support/materialized.ts';

let test: TestApp;
beforeAll(async () => {
  test = await openMaterializedApp();
  for (const sql of [
    'CREATE TABLE trades (id UInt32, symbol String, place LowCardinality(String), at DateTime, user Nullable(UInt32), price Float64) ENGINE = MergeTree ORDER BY id',
    "INSERT INTO trades SELECT number, ['a', 'b', 'c', ''][number % 4 + 1], ['x', 'y'][number % 2 + 1], toDateTime('2026-01-01 00:00:00') + number * 7, if(number % 5 = 0, NULL, number % 9), number / 4 FROM numbers(400)",
    'CREATE TABLE quotes (symbol String, at DateTime, bid Decimal(9, 2)) ENGINE = MergeTree ORDER BY (symbol, at)',
    "INSERT INTO quotes SELECT ['a', 'b', 'd'][number % 3 + 1], toDateTime('2026-01-01 00:00:00') + number * 20, number FROM numbers(120)",
    'CREATE TABLE users (user Nullable(UInt32), name String, plan LowCardinality(String)) ENGINE = MergeTree ORDER BY name',
    "INSERT INTO users SELECT number, concat('user ', toString(number)), ['free', 'paid'][number % 2 + 1] FROM numbers(6)",
    "INSERT INTO users VALUES (NULL, 'one', 'free'), (NULL, 'another', 'paid')",
    'CREATE TABLE places (place LowCardinality(String), name String, version UInt32) ENGINE = ReplacingMergeTree(version) ORDER BY place',
    "INSERT INTO places VALUES ('x', 'old', 1), ('y', 'why', 1)",
    "INSERT INTO places VALUES ('x', 'new', 2), ('z', 'zed', 1)",
    'CREATE TABLE twice (symbol String, at DateTime, w Int32, d Date) ENGINE = MergeTree ORDER BY symbol',
    "INSERT INTO twice VALUES ('a', '2026-01-01 00:00:10', 1, '2026-01-01'), ('a', '2026-01-01 00:00:10', 2, '2026-01-02'), ('b', '2026-01-01 00:00:20', 3, '2026-01-01')",
  ]) {
    await test.sql(sql);
  }
});
afterAll(() => test?.close());

const values = [
  { s: 'a', u: 3, d: '2026-01-01 00:03:00', v: 2 },
  { s: '', u: 8, d: '2026-01-01 00:00:00', v: 2 },
  { s: 'd', u: 0, d: '2026-01-02 00:00:00', v: 1 },
];

it.each([
  'SELECT t.id, u.name, u.plan FROM trades AS t ANY LEFT JOIN users AS u ON t.user = u.user WHERE t.symbol = {s:String} ORDER BY t.id',
  'SELECT plan, count() AS n, sum(price) AS total FROM trades AS t LEFT ANY JOIN users AS u USING (user) WHERE t.at >= {d:DateTime} GROUP BY plan ORDER BY plan',
  'SELECT t.id, u.name FROM trades AS t ANY LEFT JOIN users AS u ON t.user = u.user WHERE u.user > {u:UInt32} OR t.symbol = {s:String} ORDER BY t.id',
  'SELECT u.name, t.id FROM users AS u ANY RIGHT JOIN trades AS t ON t.user = u.user WHERE t.symbol = {s:String} ORDER BY t.id',
  'SELECT t.id, u.name FROM trades AS t SEMI LEFT JOIN users AS u ON t.user = u.user WHERE t.symbol = {s:String} ORDER BY t.id',
  'SELECT t.id, p.name FROM trades AS t ANY LEFT JOIN places AS p FINAL ON t.place = p.place WHERE t.symbol = {s:String} ORDER BY t.id',
  "SELECT t.id, p.name FROM trades AS t ANY LEFT JOIN (SELECT place, name FROM places FINAL WHERE name != 'zed') AS p ON t.place = p.place WHERE t.symbol = {s:String} ORDER BY t.id",
  'WITH named AS (SELECT place AS code, upper(name) AS name FROM places WHERE version = 2) SELECT t.id, named.name FROM trades AS t ANY LEFT JOIN named ON t.place = named.code WHERE t.at > {d:DateTime} ORDER BY t.id',
  'SELECT t.id, p.name, u.name FROM trades AS t ANY LEFT JOIN (SELECT place, argMax(name, version) AS name FROM places GROUP BY place) AS p USING (place) ANY LEFT JOIN users AS u USING (user) WHERE t.symbol = {s:String} ORDER BY t.id',
  'SELECT t.id, u.name FROM trades AS t ANY LEFT JOIN users AS u ON t.user = u.user AND u.user > {u:UInt32} WHERE t.symbol = {s:String} ORDER BY t.id',
  'SELECT t.id, q.bid, q.at FROM trades AS t ASOF JOIN quotes AS q ON t.symbol = q.symbol AND t.at >= q.at WHERE t.symbol = {s:String} ORDER BY t.id',
  'SELECT t.symbol, count(), sum(q.bid) AS total FROM trades AS t ASOF LEFT JOIN quotes AS q USING (symbol, at) WHERE t.at >= {d:DateTime} GROUP BY t.symbol ORDER BY t.symbol',
  'SELECT t.id, q.bid FROM trades AS t ASOF JOIN quotes AS q ON t.symbol = q.symbol AND t.at < q.at WHERE q.bid > {u:UInt32} OR t.user = {u:UInt32} ORDER BY t.id',
  'SELECT t.id, q.bid FROM trades AS t ASOF LEFT JOIN (SELECT symbol, at, max(w) AS bid FROM twice GROUP BY symbol, at) AS q ON t.symbol = q.symbol AND t.at > q.at WHERE t.symbol = {s:String} ORDER BY t.id',
  'SELECT t.id, w.w FROM trades AS t SEMI LEFT JOIN twice AS w ON t.symbol = w.symbol AND w.d = toDate({d:DateTime}) ORDER BY t.id',
  "SELECT t.id, w.name FROM trades AS t ANY LEFT JOIN (SELECT user, name FROM users WHERE name != concat('user ', toString({u:UInt32}))) AS w ON t.user = w.user ORDER BY t.id",
  'WITH bought AS (SELECT * FROM trades WHERE symbol = {s:String}), named AS (SELECT user AS id, upper(name) AS name FROM (SELECT * FROM users WHERE user >= {u:UInt32})) SELECT t.id, w.name, (SELECT count() FROM bought) AS n FROM bought AS t ANY LEFT JOIN named AS w ON t.user = w.id ORDER BY t.id',
  "SELECT t.id, q.bid FROM trades AS t ASOF JOIN (SELECT q.symbol AS symbol, q.at AS at, q.bid AS bid FROM quotes AS q JOIN (SELECT name FROM places FINAL WHERE version = {v:UInt32}) AS p ON p.name = 'new' WHERE q.bid > {u:UInt32}) AS q ON t.symbol = q.symbol AND t.at >= q.at ORDER BY t.id",
])('are served from stored tables: %s', (query) => expectServed(test, query, values));

it.each([
  [
    'SELECT t.id, w.w FROM trades AS t ANY LEFT JOIN twice AS w ON t.symbol = w.symbol WHERE t.symbol = {s:String}',
    'An ANY JOIN takes any of several matching rows, and twice has several with the same symbol; write a LEFT JOIN with one row for each key: LEFT JOIN (SELECT key, min(value) AS value FROM … GROUP BY key) USING (key).',
  ],
  [
    'SELECT t.id, w.w FROM trades AS t SEMI LEFT JOIN twice AS w ON t.symbol = w.symbol AND w.d >= toDate({d:DateTime}) WHERE t.symbol = {s:String}',
    'A SEMI JOIN takes any of several matching rows, and twice has several with the same symbol; write',
  ],
  [
    'SELECT t.id, w.w FROM trades AS t ANY LEFT JOIN (SELECT symbol, w FROM twice WHERE d = toDate({d:DateTime})) AS w ON t.symbol = w.symbol',
    'An ANY JOIN takes any of several matching rows, and the subquery that it searches has several with the same symbol; write',
  ],
  [
    'SELECT t.id, g.n FROM trades AS t ANY LEFT JOIN (SELECT symbol, w, count() AS n FROM twice GROUP BY symbol, w) AS g ON t.symbol = g.symbol WHERE t.user = {u:UInt32}',
    'An ANY JOIN takes any of several matching rows, and the subquery that it searches has several with the same symbol; write',
  ],
  [
    'SELECT t.id, g.n FROM trades AS t ANY LEFT JOIN (SELECT symbol, count() AS n FROM trades GROUP BY symbol WITH ROLLUP) AS g ON t.symbol = g.symbol WHERE t.user = {u:UInt32}',
    'An ANY JOIN takes any of several matching rows, and the subquery that it searches has several with the same symbol; write',
  ],
  [
    'SELECT t.id, g.a FROM trades AS t ANY LEFT JOIN (SELECT symbol, arrayJoin([2, 1, 3]) AS a FROM trades GROUP BY symbol) AS g ON t.symbol = g.symbol WHERE t.user = {u:UInt32}',
    'An ANY JOIN takes any of several matching rows, and the subquery that it searches has several with the same symbol; write',
  ],
  [
    'SELECT t.id, g.w FROM trades AS t ANY LEFT JOIN (SELECT symbol, max(twice.w) AS w FROM twice GROUP BY symbol ORDER BY w WITH FILL FROM 0 TO 10) AS g ON t.symbol = g.symbol WHERE t.user = {u:UInt32}',
    'An ANY JOIN takes any of several matching rows, and the subquery that it searches has several with the same symbol; write',
  ],
  [
    'SELECT t.id, w.w FROM trades AS t ASOF JOIN twice AS w ON t.symbol = w.symbol AND t.at >= w.at WHERE t.symbol = {s:String}',
    'An ASOF JOIN takes any of several matching rows, and twice has several with the same symbol, at; write ASOF JOIN (SELECT key, time, min(value) AS value FROM … GROUP BY key, time) with one row for each key and time.',
  ],
])('are refused while a row has several matches: %s', (query, reason) =>
  expectRefusedBySync(test, query, expect.stringContaining(reason)),
);

it('are served once the rows that are too many are gone', async () => {
  await test.sql('CREATE TABLE rates (place String, rate Int32) ENGINE = MergeTree ORDER BY place');
  await test.sql("INSERT INTO rates VALUES ('x', 1), ('x', 2), ('y', 3)");
  const query =
    'SELECT t.id, r.rate FROM trades AS t ANY LEFT JOIN rates AS r ON t.place = r.place WHERE t.symbol = {s:String} ORDER BY t.id';
  await save(test, 'rated', { query });
  await patch(test, 'rated', { is_materialized: true });
  await sync(test);
  expect(await statusOf(test, 'rated')).toMatchObject({ can_materialize: false });
  await test.sql('DELETE FROM rates WHERE rate = 2');
  await patch(test, 'rated', { is_materialized: false });
  await patch(test, 'rated', { is_materialized: true });
  await sync(test);
  await servedRows(test, 'rated', { s: 'a' });
});
