/** Tables that count distinct values instead of storing sets: every form of a range reads what the query itself returns. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openPlanner } from '../../../src/materialization/open-planner.ts';
import type { TestApp } from '../../support/test-app.ts';
import { byCounts, switchedPlanner } from '../support/chosen-storage.ts';
import {
  expectNoOrphans,
  openMaterializedApp,
  patch,
  run,
  save,
  statusOf,
  sync,
} from '../support/materialized.ts';

let test: TestApp;
const planner = switchedPlanner();
const rows = 4000;

beforeAll(async () => {
  test = await openMaterializedApp({ planMaterialization: planner.plan });
  planner.use(byCounts(openPlanner(test.app.core.engine)));
  await test.sql(
    `CREATE TABLE views (site LowCardinality(String), page String, user UInt32, visitor Nullable(String), tag LowCardinality(Nullable(String)), price Float64,
      amount Int32, day Date, at DateTime('Europe/Berlin'), at_ms DateTime64(3, 'UTC'), loaded Date32, seen Nullable(Date)) ENGINE = MergeTree ORDER BY day`,
  );
  // Few users and points, so that values come back often, also on the same day and in the same second.
  await test.sql(
    `INSERT INTO views SELECT ['a', 'b', 'c'][1 + cityHash64(number, 1) % 3], concat('/', toString(cityHash64(number, 2) % 4)), cityHash64(number, 3) % 60,
      if(number % 5 = 0, NULL, toString(cityHash64(number, 4) % 25)), if(number % 6 = 0, NULL, toString(cityHash64(number, 5) % 3)), (number % 16) / 8,
      cityHash64(number, 6) % 40, toDate('2025-01-01') + cityHash64(number, 7) % 30, toDateTime('2025-03-28 00:00:00', 'Europe/Berlin') + 3600 * (cityHash64(number, 8) % 120),
      toDateTime64('2025-01-01 00:00:00', 3, 'UTC') + (cityHash64(number, 9) % 900) / 10, toDate32('2025-01-01') + cityHash64(number, 10) % 30,
      if(number % 9 = 0, NULL, toDate('2025-01-01') + number % 11) FROM numbers(${rows})`,
  );
});
afterAll(async () => {
  await expectNoOrphans(test);
  await test.close();
});

type Values = Readonly<Record<string, unknown>>;
let count = 0;

/** Of so few rows the query itself may be faster, and is what runs are served from. */
async function stored(sql: string): Promise<string> {
  const name = `c${++count}`;
  await save(test, name, { query: sql, is_materialized: true });
  await sync(test);
  expect(await statusOf(test, name)).toMatchObject({ status: 'Completed', error: null });
  await test.backends.metadata.prisma.materializationStatus.updateMany({
    where: { version: { endpoint: { name } } },
    data: { readMs: 1, inlineMs: 1 },
  });
  await patch(test, name, { description: name });
  return name;
}

async function previewOf(name: string) {
  return (await test.rest('POST', `/endpoints/${name}/materialization_preview`)).body;
}

async function compare(name: string, all: readonly Values[]): Promise<void> {
  for (const variables of all) {
    const read = await run(test, name, { variables, refresh: 'force' });
    const inline = await run(test, name, { variables, refresh: 'direct' });
    expect(read.results, JSON.stringify(variables)).toEqual(inline.results);
    expect(read).toMatchObject({ endpoint_materialized: true, types: inline.types });
  }
}

const counts = '__querydock_count';
const two = (n: number) => String(n).padStart(2, '0');
const dayOf = (n: number) => `2025-01-${two(n)}`;
const days: readonly Values[] = [
  [1, 31],
  [1, 1],
  [7, 7],
  [3, 19],
  [20, 30],
  [30, 31],
  [12, 4],
].map(([from = 1, to = 1]) => ({ from: dayOf(from), to: dayOf(to) }));
const hours: readonly Values[] = [
  ['2025-03-28 00:00:00', '2025-04-05 00:00:00'],
  ['2025-03-30 01:00:00', '2025-03-30 04:00:00'],
  ['2025-03-29 13:30:00', '2025-03-31 02:00:00'],
  ['2025-03-31 02:00:00', '2025-03-31 02:00:00'],
].map(([from, to]) => ({ from, to }));
const ofSite = (sets: readonly Values[]) =>
  sets.flatMap((set, at) => [{ ...set, site: ['a', 'b', 'nobody'][at % 3] }]);

const between = 'day >= {from:Date} AND day <= {to:Date}';

describe('a range of', () => {
  it.each<readonly [what: string, where: string, values: readonly Values[]]>([
    ['days', between, days],
    ['days, one of whose ends is open', 'day > {from:Date}', days.map(({ from }) => ({ from }))],
    [
      'days of BETWEEN, for one value',
      'site = {site:String} AND day BETWEEN {from:Date} AND {to:Date}',
      ofSite(days),
    ],
    ['hours of a zone whose clocks change', 'at >= {from:DateTime} AND at < {to:DateTime}', hours],
    [
      'times with milliseconds',
      "at_ms >= {from:DateTime64(3, 'UTC')} AND at_ms < {to:DateTime64(3, 'UTC')}",
      [
        { from: '2025-01-01 00:00:10.000', to: '2025-01-01 00:01:10.500' },
        { from: '2025-01-01 00:00:10.100', to: '2025-01-01 00:00:10.100' },
      ],
    ],
    [
      'hours, given as texts in ISO 8601',
      'at >= {from:String} AND at < {to:String}',
      hours.map(({ from, to }) => ({
        from: `${String(from).replace(' ', 'T')}Z`,
        to: `${String(to).replace(' ', 'T')}.000Z`,
      })),
    ],
    [
      'days from a file, which have another type',
      'loaded >= {from:Date} AND loaded < {to:Date}',
      days,
    ],
    [
      'numbers',
      'amount >= {from:Int32} AND amount < {to:Int32}',
      [
        { from: 0, to: 40 },
        { from: 5, to: 6 },
        { from: 30, to: 100 },
      ],
    ],
    [
      'texts',
      'page >= {from:String} AND page <= {to:String}',
      [
        { from: '/0', to: '/3' },
        { from: '/1', to: '/2' },
      ],
    ],
    [
      'days with optional ends',
      '({from:Nullable(Date)} IS NULL OR day >= {from:Nullable(Date)}) AND ({to:Nullable(Date)} IS NULL OR day < {to:Nullable(Date)})',
      [
        { from: null, to: null },
        { from: null, to: dayOf(9) },
        { from: dayOf(11), to: null },
        ...days,
      ],
    ],
    [
      'days by month',
      `${between} AND toStartOfMonth(day) = {month:Date}`,
      days.map((set) => ({ ...set, month: '2025-01-01' })),
    ],
  ])('%s', async (_what, where, values) => {
    const sql = `SELECT site, count() AS n, count(DISTINCT user) AS users, uniqExactIf(visitor, page = '/1') AS visitors, sum(amount) AS total, min(amount) AS least,
      avg(amount) AS mean, count(DISTINCT tag) AS tags, quantileExact(0.5)(amount) AS middle, countIf(amount > 20) AS large FROM views WHERE ${where} GROUP BY site ORDER BY site`;
    const name = await stored(sql);
    const shown = await previewOf(name);
    expect(String(shown.read_query)).toContain(counts);
    expect(String(shown.read_query)).not.toContain('uniqExact');
    await compare(name, values);
  });
});

describe('the rest of a query', () => {
  it.each([
    `SELECT count(DISTINCT user) AS users FROM views WHERE ${between}`,
    `SELECT uniqExact(visitor) FROM views WHERE ${between} AND visitor != '3'`,
    `SELECT page, site, uniqExact(user) / count() AS share FROM views WHERE ${between} GROUP BY page, site HAVING uniqExact(user) > 30 ORDER BY share DESC, page, site LIMIT 3`,
    `SELECT toStartOfWeek(day) AS week, uniqExact(user) AS u, sum(u) OVER (ORDER BY week) AS running FROM views WHERE ${between} GROUP BY week ORDER BY week`,
    `SELECT lower(page) AS p, uniqExact(concat(site, toString(user))) AS u, max(amount) AS most FROM views WHERE ${between} GROUP BY p ORDER BY u DESC, p`,
    `SELECT v.site AS s, uniqExact(v.user) AS u FROM views AS v JOIN (SELECT DISTINCT page FROM views WHERE amount > 38) AS w ON v.page = w.page WHERE v.day >= {from:Date} AND v.day <= {to:Date} GROUP BY s ORDER BY s`,
  ])('is the same: %s', async (sql) => {
    const name = await stored(sql);
    expect(String((await previewOf(name)).read_query)).toContain(counts);
    await compare(name, days);
  });
});

describe('sets are stored where', () => {
  const from = `FROM views WHERE ${between}`;
  it.each<readonly [why: string, sql: string, more: Values]>([
    [
      'a run takes several values of another column',
      `SELECT uniqExact(user) AS u ${from} AND site IN {sites:Array(String)}`,
      { sites: ['a', 'c'] },
    ],
    [
      'another condition may be left out',
      `SELECT uniqExact(user) AS u ${from} AND ({s:String} = '' OR site = {s:String})`,
      { s: '' },
    ],
    [
      'a condition is no range',
      'SELECT uniqExact(user) AS u FROM views WHERE day != {from:Date} AND day < {to:Date}',
      {},
    ],
    [
      'the column of the range may be NULL',
      'SELECT uniqExact(user) AS u FROM views WHERE seen >= {from:Date} AND seen <= {to:Date}',
      {},
    ],
    ['floating point numbers are counted', `SELECT uniqExact(price) AS u ${from}`, {}],
    ['pairs are counted', `SELECT uniqExact(user, page) AS u ${from}`, {}],
    [
      'groups are merged further',
      `SELECT site, page, uniqExact(user) AS u ${from} GROUP BY ROLLUP(site, page) ORDER BY site, page, u`,
      {},
    ],
    [
      'an array multiplies the rows',
      `SELECT uniqExact(arrayJoin([user, user + 1])) AS u, count() AS n ${from}`,
      {},
    ],
    [
      'a part of the source may differ each time that it is read',
      `SELECT uniqExact(user) AS u FROM (SELECT user, day FROM views ORDER BY day, user LIMIT 900) WHERE ${between}`,
      {},
    ],
    ['the source depends on the time', `SELECT uniqExact(user) AS u ${from} AND at < now()`, {}],
    [
      'a variable decides what is counted',
      `SELECT uniqExactIf(user, page = {page:String}) AS u ${from}`,
      { page: '/2' },
    ],
  ])('%s', async (_why, sql, more) => {
    const name = await stored(sql);
    const shown = await previewOf(name);
    expect(String(shown.read_query)).not.toContain(counts);
    await compare(
      name,
      days.map((set) => ({ ...set, ...more })),
    );
  });
});
