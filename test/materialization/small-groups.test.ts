/** `quantile` and `median`, which are exact for groups of up to 8,192 values. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { TestApp } from '../support/test-app.ts';
import {
  expectNeverMaterialized,
  expectRefusedBySync,
  expectServed,
} from './support/checked-queries.ts';
import { materialized, openMaterializedApp, run, statusOf, sync } from './support/materialized.ts';

let test: TestApp;
beforeAll(async () => {
  test = await openMaterializedApp();
  await test.sql(
    `CREATE TABLE pings (monitor UInt32, at DateTime, latency Nullable(Int32), load Float64, price Decimal(9, 2)) ENGINE = MergeTree ORDER BY (monitor, at) AS
SELECT number % 3 + 1, toDateTime('2026-01-01 00:00:00') + intDiv(number, 3) * 20, if(number % 7 = 0, NULL, cityHash64(number) % 1000), cityHash64(number, 1) % 1000 / 8, cityHash64(number, 2) % 500 FROM numbers(27000)`,
  );
});
afterAll(() => test.close());

let number = 0;
const values = [
  { m: 1, from: '2026-01-01 00:00:00' },
  { m: 3, from: '2026-01-02 11:30:10' },
  { m: 9, from: '2026-01-01 00:00:00' },
];

it.each([
  'toStartOfHour(at) AS hour, quantile(0.95)(latency) AS p95 FROM pings WHERE monitor = {m:UInt32} AND at >= {from:DateTime} GROUP BY hour ORDER BY hour',
  "quantile(latency), quantiles(0.5, 0.9)(load), median(price) FROM pings WHERE monitor = {m:UInt32} AND at >= {from:DateTime} AND at < toDateTime('2026-01-02 12:00:00')",
  'toDate(at) AS day, medianIf(latency, load > 20) AS m, quantileOrNull(0.1)(load) AS l FROM pings WHERE monitor = {m:UInt32} AND at >= {from:DateTime} GROUP BY day HAVING quantile(0.5)(load) > 1 ORDER BY day',
  'monitor, toStartOfHour(at) AS hour, round(quantile(0.5)(latency) / {m:UInt32}, 3) AS p FROM pings WHERE at >= {from:DateTime} GROUP BY monitor, hour ORDER BY monitor, hour',
  'p.monitor, toDate(at) AS day, quantileIf(0.5)(latency, load > {m:UInt32}) AS p FROM pings AS p JOIN (SELECT DISTINCT monitor FROM pings) AS q ON p.monitor = q.monitor WHERE at >= {from:DateTime} GROUP BY p.monitor, day ORDER BY p.monitor, day',
  "toStartOfHour(at) AS hour, count() AS n, quantile(0.95)(latency) AS p95 FROM pings WHERE monitor = {m:UInt32} AND at >= {from:DateTime} AND at < '2026-01-02 00:00:00' GROUP BY ROLLUP(hour) ORDER BY hour, n",
])('are served from stored tables: SELECT %s', (rest) =>
  expectServed(test, `SELECT ${rest}`, values),
);

it.each([
  'monitor, toDate(at) AS day, quantile(0.95)(latency) AS p95, quantiles(0.1, 0.5)(load) AS l FROM pings GROUP BY monitor, day ORDER BY monitor, day',
  'WITH toStartOfHour(at) AS hour SELECT hour, median(price) AS m FROM pings WHERE monitor = 2 GROUP BY hour HAVING m > 1 ORDER BY m DESC, hour LIMIT 7',
])('are served from stored tables without variables: %s', (rest) =>
  expectServed(test, rest.startsWith('WITH') ? rest : `SELECT ${rest}`, [{}]),
);

const hourly = 'toStartOfHour(at) AS hour, quantile(0.9)(latency) AS p FROM pings';

it.each([
  `SELECT * FROM (SELECT 'a' AS kind, ${hourly} WHERE monitor = 1 GROUP BY hour UNION ALL SELECT 'b' AS kind, ${hourly} WHERE monitor = 2 GROUP BY hour) ORDER BY kind, hour`,
  `WITH hours AS (SELECT monitor, ${hourly} GROUP BY monitor, hour) SELECT monitor, max(p) AS most, count() AS n FROM hours GROUP BY monitor ORDER BY monitor`,
  `WITH bounds AS (SELECT toDateTime('2026-01-02 03:00:00') AS lo, toDateTime('2026-01-02 15:00:00') AS hi) SELECT monitor, ${hourly} WHERE at >= (SELECT lo FROM bounds) AND at < (SELECT hi FROM bounds) GROUP BY monitor, hour ORDER BY monitor, hour`,
  `WITH first AS (SELECT min(at) AS lo FROM pings), days AS (SELECT toDate(at) AS day, monitor, median(load) AS m, count() AS n FROM pings WHERE at > (SELECT lo FROM first) GROUP BY day, monitor) SELECT day, quantile(0.5)(m) AS q, max(n) AS most FROM days GROUP BY day ORDER BY day`,
  "SELECT monitor, countIf(latency > (SELECT quantile(0.9)(latency) FROM pings WHERE monitor = 1 AND at < '2026-01-01 12:00:00')) AS slow FROM pings GROUP BY monitor ORDER BY monitor",
  `SELECT a.hour AS hour, a.p AS p, b.p AS q FROM (SELECT ${hourly} WHERE monitor = 1 GROUP BY hour) AS a JOIN (SELECT ${hourly} WHERE monitor = 3 GROUP BY hour) AS b ON a.hour = b.hour ORDER BY hour`,
  `WITH hours AS (SELECT monitor, ${hourly} GROUP BY monitor, hour) SELECT monitor, hour, p FROM hours WHERE monitor = {m:UInt32} AND hour >= {from:DateTime} ORDER BY hour`,
  `SELECT monitor, hour, p * {m:UInt32} AS more FROM (SELECT monitor, ${hourly} GROUP BY monitor, hour) WHERE p > {m:UInt32} * 100 ORDER BY monitor, hour`,
  `WITH hours AS (SELECT monitor, ${hourly} GROUP BY monitor, hour) SELECT q.monitor AS monitor, count() AS n FROM pings AS q JOIN hours ON hours.monitor = q.monitor AND hours.hour = toStartOfHour(q.at) WHERE q.latency > hours.p AND q.at >= {from:DateTime} GROUP BY monitor ORDER BY monitor`,
  `WITH hours AS (SELECT monitor, ${hourly} WHERE monitor = {m:UInt32} AND at >= {from:DateTime} GROUP BY monitor, hour) SELECT toDate(hour) AS day, avg(p) AS mean, count() AS n FROM hours GROUP BY day ORDER BY day`,
  `WITH whole AS (SELECT quantile(0.9)(latency) AS p FROM pings WHERE monitor = {m:UInt32} AND at < '2026-01-02 00:00:00'), hours AS (SELECT ${hourly} WHERE monitor = {m:UInt32} GROUP BY hour HAVING p > 1) SELECT hour, hours.p - whole.p AS more FROM hours CROSS JOIN whole WHERE hour >= {from:DateTime} ORDER BY hour`,
  "SELECT toStartOfInterval(at, INTERVAL {m:UInt32} * 3 HOUR) AS t, quantile(0.9)(latency) AS p, count() AS n FROM pings WHERE monitor = {m:UInt32} AND at < '2026-01-02 12:00:00' GROUP BY t ORDER BY t",
  "SELECT monitor, toStartOfDay(at, {zone:String}) AS t, median(load) AS p FROM pings WHERE at >= {from:DateTime} AND at < toDateTime('2026-01-02 12:00:00') GROUP BY 1, 2 ORDER BY monitor, t",
  'SELECT toStartOfHour(at) AS hour, quantile(0.5)(latency) AS p FROM pings WHERE monitor IN (SELECT monitor FROM pings WHERE at >= {from:DateTime}) GROUP BY hour ORDER BY hour',
  `SELECT hour, p FROM (SELECT ${hourly} WHERE monitor = 2 GROUP BY hour UNION ALL SELECT ${hourly} WHERE monitor = {m:UInt32} GROUP BY hour) ORDER BY hour, p`,
  `WITH base AS (SELECT * FROM pings WHERE monitor = {m:UInt32} AND at >= {from:DateTime}), hours AS (SELECT toStartOfHour(at) AS hour, quantile(0.9)(latency) AS p FROM base GROUP BY hour), loaded AS (SELECT toStartOfHour(at) AS hour, count() AS n FROM base WHERE load > 3 GROUP BY hour) SELECT hours.hour AS hour, p, n FROM hours LEFT JOIN loaded ON hours.hour = loaded.hour ORDER BY hour`,
  "WITH base AS (SELECT monitor AS m, at AS t, latency FROM (SELECT * FROM pings WHERE monitor = {m:UInt32}) WHERE t >= {from:DateTime} AND t < toDateTime('2026-01-02 12:00:00')) SELECT name, quantile(0.9)(latency) AS p, (SELECT count() FROM base) AS n FROM base JOIN (SELECT number AS m, concat('m', toString(number)) AS name FROM numbers(5)) AS names ON names.m = base.m GROUP BY name ORDER BY name",
  `SELECT hour, p FROM (SELECT ${hourly} WHERE monitor = 1 GROUP BY hour UNION ALL SELECT at AS hour, load AS p FROM pings WHERE monitor = {m:UInt32}) ORDER BY hour, p`,
])('are served from stored tables within the query: %s', (query) =>
  expectServed(
    test,
    query,
    values.map((given) => ({ ...given, zone: given.m === 3 ? 'Asia/Kolkata' : 'UTC' })),
  ),
);

it.each([
  'quantile(0.95)(latency) AS p FROM pings WHERE monitor = {m:UInt32}',
  'monitor, quantile(0.95)(latency) AS p FROM pings WHERE at >= {from:DateTime} GROUP BY monitor',
  'toDate(at) AS day, quantile(0.95)(latency) AS p FROM pings WHERE monitor IN {some:Array(UInt32)} GROUP BY day',
  'toDate(at) AS day, quantile(0.95)(latency) AS p FROM pings WHERE ({o:Nullable(UInt32)} IS NULL OR monitor = {o:Nullable(UInt32)}) GROUP BY day',
  'toStartOfHour(at) AS hour, quantile(0.95)(latency) AS p FROM pings WHERE at >= {from:DateTime} GROUP BY hour WITH ROLLUP',
  'quantile(0.95)(latency) AS p FROM pings',
  'max(p) AS most FROM (SELECT monitor, quantile(0.95)(latency) AS p FROM pings GROUP BY monitor)',
  '1 AS a, quantile(0.5)(load) AS p FROM pings WHERE monitor = 1 AND at < 0 UNION ALL SELECT 2 AS a, quantile(0.95)(latency) AS p FROM pings',
  'avg(p) AS most FROM (SELECT quantile(0.95)(latency) AS p FROM pings WHERE monitor IN {some:Array(UInt32)})',
  'monitor, p FROM (SELECT 1 AS monitor, quantile(0.95)(latency) AS p FROM pings WHERE at < {from:DateTime} UNION ALL SELECT 1 AS monitor, quantile(0.95)(latency) AS p FROM pings WHERE at < toDateTime(0)) ORDER BY p',
  'toStartOfInterval(at, INTERVAL {m:UInt32} HOUR) AS t, quantile(0.95)(latency) AS p FROM pings GROUP BY t',
  'day, p, (SELECT count() FROM pings WHERE at < {from:DateTime}) AS n FROM (SELECT toDate(at) AS day, quantile(0.95)(latency) AS p FROM (SELECT * FROM pings WHERE at >= {from:DateTime}) AS q GROUP BY day)',
  'count() AS n FROM pings WHERE latency < (SELECT quantile(0.95)(latency) FROM pings) AND monitor = {m:UInt32}',
])('are refused while a group has more rows: SELECT %s', (rest) =>
  expectRefusedBySync(
    test,
    `SELECT ${rest}`,
    expect.stringMatching(
      /^The result of quantile\(0\.95\)\(latency\) depends on the order of the rows where a group has more than 8,192 of them, as one does: .* write quantileExact\(0\.95\)\(latency\)\.$/,
    ),
  ),
);

it.each([
  'monitor AS m, median(load) + (0 AS at) AS p FROM pings GROUP BY m, at ORDER BY m',
  'median(load) AS p FROM pings GROUP BY at ORDER BY (1 AS at)',
  'median(load) AS p FROM pings GROUP BY 1.0',
  'monitor AS m, median(load) + (0 AS at) AS p FROM pings WHERE monitor = {m:UInt32} GROUP BY m, at ORDER BY m',
])(
  'are refused where a name hides the groups, and counted where it does not: SELECT %s',
  async (rest) => {
    number += 1;
    const name = `hidden_${number}`;
    const saved = await test.rest('POST', '/endpoints', {
      body: { name, query: `SELECT ${rest}` },
    });
    expect(saved.status).toBe(201);
    const preview = `/endpoints/${name}/materialization_preview`;
    const { body } = await test.rest('POST', preview, { body: {} });
    expect(body).toMatchObject({ can_materialize: false });
  },
);

it('are refused where a condition with a variable multiplies rows', () =>
  expectNeverMaterialized(
    test,
    'SELECT monitor, quantile(0.3)(latency) AS q, (SELECT count() FROM pings WHERE at < {from:DateTime}) AS n FROM (SELECT monitor, latency FROM pings WHERE arrayJoin([1, 2, 3]) != {m:UInt32}) GROUP BY monitor',
    'whether its groups are small cannot be checked here',
  ));

it('are exact for 8,192 rows, and no longer for one more', async () => {
  const query = 'SELECT median(n) AS m FROM counted WHERE n >= {from:UInt64}';
  await test.sql(
    'CREATE TABLE counted (n UInt64) ENGINE = MergeTree ORDER BY n AS SELECT number FROM numbers(8192)',
  );
  await materialized(test, 'counted', { query });
  const variables = { from: 0 };
  const stored = await run(test, 'counted', { variables, refresh: 'force' });
  expect(stored).toMatchObject({ served_from: 'materialized', results: [[4095.5]] });
  await test.sql('INSERT INTO counted VALUES (8192)');
  await test.rest('PATCH', '/endpoints/counted', { body: { is_materialized: false } });
  await test.rest('PATCH', '/endpoints/counted', { body: { is_materialized: true } });
  await sync(test);
  expect(await statusOf(test, 'counted')).toMatchObject({ can_materialize: false });
  expect(await run(test, 'counted', { variables })).toMatchObject({ served_from: 'inline' });
});
