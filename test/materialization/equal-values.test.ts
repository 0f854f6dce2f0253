/** `any` and the like, which are exact for groups in which their argument has one value. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { TestApp } from '../support/test-app.ts';
import {
  expectNeverMaterialized,
  expectRefusedBySync,
  expectServed,
} from './support/checked-queries.ts';
import {
  materialized,
  openMaterializedApp,
  run,
  servedRows,
  statusOf,
  sync,
} from './support/materialized.ts';

let test: TestApp;
beforeAll(async () => {
  test = await openMaterializedApp();
  await test.sql(
    `CREATE TABLE visits (user UInt32, at DateTime, name Nullable(String), tags Array(String), plan LowCardinality(String), zero Float64, page String) ENGINE = MergeTree ORDER BY (user, at) AS
SELECT number % 7 AS user, toDateTime('2026-01-01 00:00:00') + number * 3600, if(number % 3 = 0 OR user = 4, NULL, concat('user ', toString(user))), [toString(user), 'x'], if(user > 2, 'paid', 'free'), if(number % 2 = 0, 0., -0.), toString(number % 5) FROM numbers(300)`,
  );
  await test.sql(
    `CREATE TABLE assets (id UInt256, key Nullable(Int128), ip IPv6, old IPv4, slug String, at DateTime) ENGINE = MergeTree ORDER BY id AS
SELECT if(number % 9 = 8, toUInt256(-1), number % 9) AS id, if(number % 9 = 0, NULL, toInt128(number % 9) - 5) AS key, toIPv6(concat('2001:db8::', toString(number % 9))) AS ip, toIPv4(number % 9) AS old, concat('slug ', toString(number % 9)) AS slug, toDateTime('2026-01-01 00:00:00') + number * 3600 FROM numbers(300)`,
  );
  await test.sql(
    'CREATE TABLE loose (g UInt8, k UInt32, j JSON, d Dynamic, v Variant(String, UInt64), s AggregateFunction(groupArray, String)) ENGINE = MergeTree ORDER BY k',
  );
  await test.sql(
    "CREATE TABLE titles (user UInt32, part UInt8, title AggregateFunction(argMax, String, UInt64)) ENGINE = MergeTree ORDER BY user AS SELECT number % 7 AS user, intDiv(number, 7) AS part, initializeAggregation('argMaxState', concat('title ', toString(number)), part) AS title FROM numbers(21)",
  );
});
afterAll(() => test.close());

let number = 0;
const values = [
  { u: 1, from: '2026-01-01 00:00:00' },
  { u: 4, from: '2026-01-05 11:30:10' },
  { u: 9, from: '2026-01-01 00:00:00' },
  { u: 2, from: '2026-01-13 09:00:00' },
];

it.each([
  'user, any(name) AS n, anyLast(tags) AS t, count() AS c FROM visits WHERE at >= {from:DateTime} GROUP BY user ORDER BY user',
  'any(name) AS n, first_value(plan), max(at) FROM visits WHERE user = {u:UInt32} AND at >= {from:DateTime}',
  'user, anyIf(name, at >= {from:DateTime}) AS n, last_value(user) AS l FROM visits GROUP BY user ORDER BY user',
  "toDate(at) AS day, anyIf(plan, user = 3) AS p, anyOrNullIf(plan, user = 8) AS q FROM visits WHERE at < '2026-02-01 00:00:00' AND user != {u:UInt32} GROUP BY day ORDER BY day",
  'user, upper(any(name)) AS n FROM visits WHERE at >= {from:DateTime} GROUP BY user HAVING any(plan) = {p:String} ORDER BY any(name), user',
  'any(n) AS one, count() AS c FROM (SELECT user, any(name) AS n, count() AS c FROM visits GROUP BY user) WHERE user = {u:UInt32}',
  'v.user AS user, g.n AS n, count() AS c FROM visits AS v JOIN (SELECT user, any(name) AS n FROM visits GROUP BY user) AS g ON g.user = v.user WHERE v.at >= {from:DateTime} GROUP BY v.user, g.n ORDER BY user',
  'user, any(name) AS n, anyHeavy(plan) AS p FROM visits GROUP BY user ORDER BY user',
  'user, any(name) AS name, any(plan) AS plan FROM visits WHERE at >= {from:DateTime} GROUP BY user ORDER BY user',
  'lower(plan) AS plan, any(plan) AS p, count() AS c FROM visits WHERE at >= {from:DateTime} GROUP BY plan ORDER BY plan',
  "user, any(j) AS j, any(m) AS m, any(f) AS f FROM (SELECT user, at, map('a', user) AS m, toFixedString(plan, 4) AS f, (toUUID('61f0c404-5cb3-11e7-907b-a6006ad3dba0'), user) AS j FROM visits) WHERE at >= {from:DateTime} GROUP BY user ORDER BY user",
  'max(n) AS m, count() AS c FROM (SELECT user, any(name) AS n, quantile(0.5)(toHour(at)) AS h FROM visits GROUP BY user HAVING h > 1)',
  'n, count() AS c FROM (SELECT user, plan, any(name) AS n FROM visits WHERE user != {u:UInt32} GROUP BY (user, plan)) GROUP BY n ORDER BY n',
  '(user, plan) AS pair, max(name) AS n FROM visits WHERE at >= {from:DateTime} GROUP BY (user, plan) WITH ROLLUP ORDER BY pair, n',
  '(user, plan), count() AS c FROM visits WHERE at >= {from:DateTime} GROUP BY (user, plan) WITH CUBE ORDER BY (user, plan), c',
  'user, any(part < 9) AS p, argMaxMerge(title) AS t FROM titles WHERE user >= {u:UInt32} GROUP BY user ORDER BY user',
  'user, p, t FROM (SELECT user, any(part < 9) AS p, argMaxMerge(title) AS t FROM titles WHERE user != {u:UInt32} GROUP BY user) ORDER BY t',
])('are served from stored tables: SELECT %s', (rest) =>
  expectServed(
    test,
    `SELECT ${rest}`,
    values.map((given) => ({ ...given, p: given.u > 2 ? 'paid' : 'free' })),
  ),
);

it.each([
  'id = {id:UInt256}',
  'id = toUInt256({text:String})',
  'key = {key:Int64} AND id != {id:UInt256}',
  'ip = {ip:IPv6}',
  'old = {old:IPv4}',
])('are served where a run chooses one long number or address: %s', async (condition) => {
  const max = `${2n ** 256n - 1n}`;
  const given = [1, 3, 0].map((n) => ({ key: n - 5, ip: `2001:db8::${n}`, old: `0.0.0.${n}` }));
  const chosen = [
    { ...given[0], id: '1', text: '1', from: '2026-01-03 00:00:00' },
    { ...given[1], id: max, text: max, from: '1970-01-01 00:00:00' },
    { ...given[2], id: '77', text: '0', from: '2026-01-03 00:00:00' },
  ];
  await expectServed(
    test,
    `SELECT any(slug) AS s, count() AS n FROM assets WHERE ${condition} AND at >= {from:DateTime}`,
    chosen,
  );
  await expectServed(
    test,
    `WITH found AS (SELECT slug FROM assets WHERE ${condition} LIMIT 1) SELECT slug, count() AS n FROM assets WHERE slug = (SELECT slug FROM found) GROUP BY slug`,
    chosen,
  );
});

const recent =
  'WITH recent AS (SELECT * FROM visits WHERE user != {u:UInt32} AND at >= {from:DateTime})';
const named =
  'named AS (SELECT user, any(name) AS n, any(plan) AS p, count() AS c FROM recent GROUP BY user)';

it.each([
  `${recent}, ${named} SELECT p, sum(c) AS s, uniqExact(n) AS u FROM named GROUP BY p ORDER BY p`,
  `${recent}, ${named}, days AS (SELECT toDate(at) AS day, user FROM recent GROUP BY day, user) SELECT day, n, c FROM days JOIN named ON named.user = days.user ORDER BY day, c, n`,
  'SELECT v.user AS user, any(p.plan) AS one, count() AS c FROM (SELECT user, at FROM visits WHERE user = {u:UInt32}) AS v JOIN (SELECT user, plan FROM visits WHERE page != {p:String}) AS p ON p.user = v.user WHERE at >= {from:DateTime} GROUP BY user ORDER BY user',
  `${recent} SELECT r.user AS user, any(g.m) AS m, (SELECT count() FROM recent) AS c FROM recent AS r ANY LEFT JOIN (SELECT user, max(at) AS m FROM visits GROUP BY user) AS g ON g.user = r.user GROUP BY user ORDER BY user`,
  `${recent}, some AS (SELECT user FROM recent GROUP BY user ORDER BY max(at) DESC, user LIMIT 3) SELECT user, any(name) AS n, count() AS c FROM visits WHERE user IN some AND page != {p:String} GROUP BY user ORDER BY user`,
  `${recent}, some AS (SELECT user FROM recent GROUP BY user ORDER BY user LIMIT 3), names AS (SELECT user, any(name) AS n FROM visits WHERE page != {p:String} AND (user IN some) GROUP BY user) SELECT *, arrayJoin([1, 2]) AS twice FROM names ORDER BY user, twice`,
  'SELECT f.plan AS plan, m.n AS n FROM (SELECT plan FROM visits GROUP BY plan) AS f LEFT JOIN (SELECT plan, any(user) AS n FROM (SELECT plan, user AS user FROM visits WHERE user = {u:UInt32}) GROUP BY plan) AS m ON m.plan = f.plan ORDER BY plan',
])('are served from stored tables where CTEs have variables: %s', (query) =>
  expectServed(
    test,
    query,
    values.map((given) => ({ ...given, p: String(given.u) })),
  ),
);

it.each([
  `${recent} SELECT user, p FROM (SELECT user, any(page) AS p FROM recent GROUP BY user) WHERE p != {p:String}`,
  'SELECT v.user AS user, any(q.page) AS p FROM (SELECT user, at FROM visits WHERE at >= {from:DateTime}) AS v LEFT JOIN visits AS q ON q.user = v.user GROUP BY user',
  'SELECT plan, n FROM (SELECT plan, any(name) AS n FROM (SELECT plan, name FROM visits WHERE user <= {u:UInt32}) AS q GROUP BY plan) WHERE n != {p:String}',
])('are refused while a group has several values, whatever variables choose: %s', (query) =>
  expectRefusedBySync(
    test,
    query,
    expect.stringContaining(
      'depends on the order of the rows where a group has several values, as one does',
    ),
  ),
);

it('are refused where the check fails for rows that runs leave out', () =>
  expectRefusedBySync(
    test,
    'WITH r AS (SELECT user, user AS h FROM visits WHERE user > {u:UInt32}) SELECT user, any(intDiv(10, h)) AS n, (SELECT count() FROM r) AS c FROM r GROUP BY user',
    expect.stringMatching(
      /cannot be checked over the rows of all values of its variables: Division by zero/,
    ),
  ));

it.each([
  'SELECT q.user AS user, any(v.c) AS n FROM visits AS q JOIN (SELECT user, count() AS c FROM visits WHERE at >= {from:DateTime} GROUP BY user) AS v ON v.user = q.user GROUP BY user',
  'SELECT q.user AS user, any(v.name) AS n FROM visits AS q LEFT JOIN (SELECT user, name FROM visits WHERE at >= {from:DateTime}) AS v ON v.user = q.user GROUP BY user',
  'SELECT user, any(plan) AS n, {u:UInt32} AS u FROM (SELECT user, plan FROM visits WHERE at >= {from:DateTime} ORDER BY at LIMIT 100) GROUP BY user',
  'SELECT user, any(n) AS one FROM (SELECT user, row_number() OVER (PARTITION BY user ORDER BY at) AS n FROM visits WHERE at >= {from:DateTime}) WHERE n = 1 GROUP BY user',
])('are refused where fewer rows may have other values: %s', (query) =>
  expectNeverMaterialized(test, query, 'depends on the order of the rows'),
);

it.each([
  'user, any(page) AS p FROM visits WHERE at >= {from:DateTime} GROUP BY user',
  'user, anyIf(page, plan = {p:String}) AS p FROM visits GROUP BY user',
  "user, any(zero) AS p, any(name) AS n FROM visits WHERE at < {from:DateTime} AND page = '1' GROUP BY user",
  'max(p) AS m FROM (SELECT user, anyLast(page) AS p FROM visits GROUP BY user)',
  'user, any((name, user)) AS p FROM visits GROUP BY user',
])('are refused while a group has several values: SELECT %s', (rest) =>
  expectRefusedBySync(
    test,
    `SELECT ${rest}`,
    expect.stringMatching(
      /^The result of any.* depends on the order of the rows where a group has several values, as one does; write min.*argMin and argMax/,
    ),
  ),
);

it.each([
  'any(name) AS n FROM visits',
  'any(name) AS n FROM visits WHERE at >= {from:DateTime}',
  'user, any(name) RESPECT NULLS AS n FROM visits WHERE at >= {from:DateTime} GROUP BY user',
  'user, any(arrayJoin(tags)) AS n FROM visits WHERE at >= {from:DateTime} GROUP BY user',
  'user, anyArray(tags) AS n FROM visits GROUP BY user',
  'any(n) AS one FROM (SELECT user, any(name) AS n FROM visits WHERE at >= {from:DateTime} GROUP BY user) WHERE user = 2',
  'user, any(user + {u:UInt32}) AS n FROM visits GROUP BY user',
])('are refused before anything is stored: SELECT %s', async (rest) => {
  number += 1;
  const body = { name: `refused_${number}`, query: `SELECT ${rest}`, is_materialized: true };
  const { status, body: answer } = await test.rest('POST', '/endpoints', { body });
  expect({ status, ...answer }).toMatchObject({ status: 400, code: 'cannot_materialize' });
});

it('are what to write instead of anySimpleState', () =>
  expectNeverMaterialized(
    test,
    'SELECT user, anySimpleState(name) AS n FROM visits WHERE at >= {from:DateTime} GROUP BY user',
    'write any(name)',
  ));

it.each([
  'WITH any(page) AS one SELECT user, any(name) AS n, one FROM visits GROUP BY user',
  'WITH quantile(0.5)(user) AS one SELECT user, any(name) AS n, one FROM visits GROUP BY user',
  'SELECT user, user + {u:UInt32} AS page, any(page) AS n FROM visits GROUP BY user',
  'SELECT user, any(name) AS n, max(page) OVER w AS m FROM visits GROUP BY user, page WINDOW w AS (ORDER BY any(at))',
])('are refused beside one that is not checked: %s', async (query) => {
  number += 1;
  const body = { name: `beside_${number}`, query, is_materialized: true };
  const { status, body: answer } = await test.rest('POST', '/endpoints', { body });
  expect({ status, ...answer }).toMatchObject({ status: 400, code: 'cannot_materialize' });
});

it.each([
  'SELECT {u:UInt32} AS user, plan, anyIf(page, user = 3) AS p FROM visits GROUP BY plan',
  'SELECT * FROM (SELECT {u:UInt32} AS user, plan, any(page) AS p FROM visits WHERE user = 3 GROUP BY plan) ORDER BY plan',
  'WITH ({u:UInt32} AS user) + 1 AS z SELECT plan, any(page) AS p FROM visits WHERE user = 3 GROUP BY plan',
  'WITH 5 AS page SELECT user, p FROM (SELECT user, any(page) AS p FROM visits GROUP BY user) WHERE user >= {u:UInt32}',
  'WITH 5 AS page SELECT user, p FROM (SELECT user, any(page) AS p FROM visits GROUP BY user)',
  "WITH toDate('2026-01-05') AS at SELECT user, p FROM (SELECT user, anyIf(page, at > '2026-01-06') AS p FROM visits GROUP BY user)",
  "SELECT 'x' AS kk, (SELECT concat(any(page), kk) FROM visits WHERE user = 2) AS p, (SELECT median(user) FROM visits WHERE user = 2) AS m",
  'SELECT {w:String} AS kk, (SELECT concat(any(page), kk) FROM visits WHERE user = 2) AS p, (SELECT median(user) FROM visits WHERE user = 2) AS m',
])('are refused where a name has another meaning for the check: %s', async (query) => {
  number += 1;
  const name = `named_${number}`;
  const { status } = await test.rest('POST', '/endpoints', { body: { name, query } });
  expect(status).toBe(201);
  const preview = `/endpoints/${name}/materialization_preview`;
  const { body } = await test.rest('POST', preview, { body: {} });
  expect(body).toMatchObject({ can_materialize: false });
});

it.each([
  'SELECT a.user AS user, n, c FROM (SELECT user, any(name) AS n FROM visits GROUP BY user) AS a JOIN (SELECT user, count() AS c FROM visits GROUP BY user) AS b ON a.user = b.user ORDER BY user',
  'WITH toDate({d:String}) AS lo SELECT day, n, lo FROM (SELECT toDate(at) AS day, median(user) AS n FROM visits GROUP BY day) ORDER BY day LIMIT 3',
  'SELECT user, any(name) AS n, (SELECT max(c) FROM (SELECT user, count() AS c FROM visits GROUP BY user)) AS m FROM visits GROUP BY user ORDER BY user',
])('are served beside what needs no check: %s', async (query) => {
  number += 1;
  const name = `beside_${number}`;
  await materialized(test, name, { query });
  await servedRows(test, name, query.includes('{d:') ? { d: '2026-01-03' } : {});
});

it.each([
  'SELECT g, any(j.a) AS p, anyLast(j.a) AS q FROM loose WHERE g >= {u:UInt8} GROUP BY g',
  'SELECT g, any(j.a) AS p FROM loose GROUP BY g',
  'SELECT g, p FROM (SELECT g, anyIf(d, k > 3) AS p FROM loose GROUP BY g) WHERE g >= {u:UInt8}',
  'SELECT g, last_value(v) AS p FROM loose WHERE g = {u:UInt8} GROUP BY g',
  'SELECT g, finalizeAggregation(any(s)) AS p FROM loose GROUP BY g',
])('are refused for values whose NULL is a value, or without a hash: %s', async (query) => {
  number += 1;
  const body = { name: `loose_${number}`, query, is_materialized: true };
  const { status, body: answer } = await test.rest('POST', '/endpoints', { body });
  expect({ status, ...answer }).toMatchObject({ status: 400, code: 'cannot_materialize' });
});

it('find a second value that comes later', async () => {
  const query = 'SELECT id, any(v) AS v FROM changing WHERE id >= {from:UInt32} GROUP BY id';
  await test.sql('CREATE TABLE changing (id UInt32, v String) ENGINE = MergeTree ORDER BY id');
  await test.sql("INSERT INTO changing VALUES (1, 'a'), (1, 'a'), (2, 'b')");
  await materialized(test, 'changing', { query });
  expect(await run(test, 'changing', { variables: { from: 2 } })).toMatchObject({
    served_from: 'materialized',
    results: [[2, 'b']],
  });
  await test.sql("INSERT INTO changing VALUES (1, 'c')");
  await test.rest('PATCH', '/endpoints/changing', { body: { is_materialized: false } });
  await test.rest('PATCH', '/endpoints/changing', { body: { is_materialized: true } });
  await sync(test);
  expect(await statusOf(test, 'changing')).toMatchObject({ can_materialize: false });
});
