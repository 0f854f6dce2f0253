/** `quantile` and `median`, which are exact for groups of up to 8,192 values. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { TestApp } from '../support/test-app.ts';
import {
  materialized,
  openMaterializedApp,
  patch,
  run,
  save,
  servedRows,
  statusOf,
  sync,
} from './support/materialized.ts';

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
])('are served from stored tables: SELECT %s', async (rest) => {
  number += 1;
  const name = `small_${number}`;
  await materialized(test, name, { query: `SELECT ${rest}` });
  for (const given of values) {
    const used = Object.entries(given).filter(([variable]) => rest.includes(`{${variable}:`));
    const variables = Object.fromEntries(used);
    await servedRows(test, name, variables);
  }
});

it.each([
  'monitor, toDate(at) AS day, quantile(0.95)(latency) AS p95, quantiles(0.1, 0.5)(load) AS l FROM pings GROUP BY monitor, day ORDER BY monitor, day',
  'WITH toStartOfHour(at) AS hour SELECT hour, median(price) AS m FROM pings WHERE monitor = 2 GROUP BY hour HAVING m > 1 ORDER BY m DESC, hour LIMIT 7',
])('are served from stored tables without variables: %s', async (rest) => {
  number += 1;
  const name = `small_${number}`;
  await materialized(test, name, { query: rest.startsWith('WITH') ? rest : `SELECT ${rest}` });
  await servedRows(test, name);
});

it.each([
  'quantile(0.95)(latency) AS p FROM pings WHERE monitor = {m:UInt32}',
  'monitor, quantile(0.95)(latency) AS p FROM pings WHERE at >= {from:DateTime} GROUP BY monitor',
  'toDate(at) AS day, quantile(0.95)(latency) AS p FROM pings WHERE monitor IN {some:Array(UInt32)} GROUP BY day',
  'toDate(at) AS day, quantile(0.95)(latency) AS p FROM pings WHERE ({o:Nullable(UInt32)} IS NULL OR monitor = {o:Nullable(UInt32)}) GROUP BY day',
  'toStartOfHour(at) AS hour, quantile(0.95)(latency) AS p FROM pings WHERE at >= {from:DateTime} GROUP BY hour WITH ROLLUP',
  'quantile(0.95)(latency) AS p FROM pings',
])('are refused while a group has more rows: SELECT %s', async (rest) => {
  number += 1;
  const name = `large_${number}`;
  await save(test, name, { query: `SELECT ${rest}` });
  const refused = {
    can_materialize: false,
    reason: expect.stringMatching(
      /^The result of quantile\(0\.95\)\(latency\) depends on the order of the rows where a group has more than 8,192 of them, as one does: .* write quantileExact\(0\.95\)\(latency\)\.$/,
    ),
  };
  const path = `/endpoints/${name}/materialization_preview`;
  expect((await test.rest('POST', path, { body: {} })).body).toMatchObject(refused);
  await patch(test, name, { is_materialized: true });
  await sync(test);
  expect(await statusOf(test, name)).toMatchObject(refused);
});

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
