/** Tables that set the greatest groups apart: a read of the greatest ones returns what the query itself returns. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openPlanner } from '../../../src/materialization/open-planner.ts';
import type { TestApp } from '../../support/test-app.ts';
import { byTop, switchedPlanner } from '../support/chosen-storage.ts';
import {
  expectNoOrphans,
  measured,
  openMaterializedApp,
  run,
  save,
  statusOf,
  sync,
} from '../support/materialized.ts';

let test: TestApp;
const planner = switchedPlanner();
let threshold = '1';

beforeAll(async () => {
  test = await openMaterializedApp({ planMaterialization: planner.plan });
  planner.use(byTop(openPlanner(test.app.core.engine), () => threshold));
  await test.sql(
    `CREATE TABLE hits (site LowCardinality(String), page String, tag LowCardinality(Nullable(String)), weight UInt8, amount Int32, maybe Nullable(Int32), price Decimal(9, 2),
      large UInt64, low Int64, ratio Float64, day Date) ENGINE = MergeTree ORDER BY day`,
  );
  // A few pages have most of the hits, and many have equally few.
  await test.sql(
    `INSERT INTO hits SELECT ['a', 'b', 'c'][1 + cityHash64(number, 1) % 3], concat('/', toString(toUInt32(exp((cityHash64(number, 2) % 1000) / 200)))),
      if(number % 6 = 0, NULL, toString(cityHash64(number, 5) % 3)), cityHash64(number, 3) % 5, toInt32(cityHash64(number, 6) % 41) - 20, if(number % 7 = 0, NULL, number % 5),
      toDecimal64(toInt32(cityHash64(number, 7) % 2001) - 700, 2) / 100, if(number % 50 = 0, 18446744073709551000 + number % 600, number % 9),
      if(number % 40 = 0, -9223372036854775000 + number % 700, number % 11), (number % 16) / 8, toDate('2025-01-01') + cityHash64(number, 8) % 30 FROM numbers(3000)`,
  );
});
afterAll(async () => {
  await expectNoOrphans(test);
  await test.close();
});

type Values = Readonly<Record<string, unknown>>;
let count = 0;

async function stored(sql: string): Promise<string> {
  const name = `t${++count}`;
  await save(test, name, { query: sql, is_materialized: true });
  await sync(test);
  expect(await statusOf(test, name)).toMatchObject({ status: 'Completed', error: null });
  await measured(test, name);
  return name;
}

async function readQueryOf(name: string): Promise<string> {
  const { body } = await test.rest('POST', `/endpoints/${name}/materialization_preview`);
  return String(body.read_query);
}

async function compare(name: string, all: readonly Values[]): Promise<void> {
  for (const variables of all) {
    const read = await run(test, name, { variables, refresh: 'force' });
    const inline = await run(test, name, { variables, refresh: 'direct' });
    expect(read.results, JSON.stringify(variables)).toEqual(inline.results);
    expect(read).toMatchObject({ endpoint_materialized: true, types: inline.types });
  }
}

const dayOf = (n: number) => `2025-01-${String(n).padStart(2, '0')}`;
const days: readonly Values[] = [
  [1, 31],
  [1, 1],
  [7, 7],
  [3, 19],
  [30, 31],
  [12, 4],
].map(([from = 1, to = 1]) => ({ from: dayOf(from), to: dayOf(to) }));
const ofSite = days.map((set, at) => ({ ...set, site: ['a', 'b', 'nobody'][at % 3] }));
const between = 'day >= {from:Date} AND day <= {to:Date}';

describe.each(['4', '60', '90000'])('from a total of %s on, the greatest groups', (from) => {
  it.each<readonly [what: string, sql: string, values: readonly Values[]]>([
    [
      'by a count',
      `SELECT page, count() AS n, avg(amount) AS mean FROM hits WHERE ${between} GROUP BY page ORDER BY n DESC, page LIMIT 7`,
      days,
    ],
    [
      'by a count of one value, on a later page',
      `SELECT page, tag, count() FROM hits WHERE site = {site:String} AND ${between} GROUP BY page, tag ORDER BY count() DESC, page, tag LIMIT 5 OFFSET 3`,
      ofSite,
    ],
    [
      'by a count of several values',
      `SELECT page, count() AS n FROM hits WHERE site IN {sites:Array(String)} GROUP BY page ORDER BY n DESC, page LIMIT 4`,
      [{ sites: ['a'] }, { sites: ['a', 'b', 'c'] }, { sites: [] }],
    ],
    [
      'by a sum of numbers below 0',
      `SELECT page, sum(amount) AS total, count() AS n FROM hits WHERE ${between} GROUP BY page ORDER BY total DESC, page LIMIT 6`,
      days,
    ],
    [
      'by a sum with a condition',
      `SELECT page, sumIf(weight, amount > 0) AS total FROM hits WHERE ${between} GROUP BY page ORDER BY total DESC, page ASC LIMIT 6`,
      days,
    ],
    [
      'by a sum of decimals',
      `SELECT page, tag, sum(price) AS total FROM hits WHERE ${between} GROUP BY page, tag ORDER BY total DESC, page, tag LIMIT 5`,
      days,
    ],
    [
      'by a sum that is greater than its type, or less',
      `SELECT page, sum(large) AS total, sum(low) AS least FROM hits WHERE ${between} GROUP BY page ORDER BY total DESC, page LIMIT 5`,
      days,
    ],
    [
      'by a sum below the least number of its type',
      `SELECT page, sum(low) AS total FROM hits WHERE ${between} GROUP BY page ORDER BY total DESC, page LIMIT 9`,
      days,
    ],
  ])('%s are read exactly', async (_what, sql, values) => {
    threshold = from;
    const name = await stored(sql);
    expect(await readQueryOf(name)).toContain('__querydock_top');
    await compare(name, values);
  });
});

it.each([
  ['the least groups', 'count() AS n', 'n ASC LIMIT 5'],
  ['groups by an average', 'avg(amount) AS n', 'n DESC LIMIT 5'],
  ['groups by a float', 'sum(ratio) AS n', 'n DESC LIMIT 5'],
  ['groups by a sum that may be NULL', 'sum(maybe) AS n', 'n DESC LIMIT 5'],
  ['groups by more than an aggregate', 'count() + 1 AS n', 'n DESC LIMIT 5'],
  ['groups by a key first', 'count() AS n', 'page, n DESC LIMIT 5'],
  ['all groups', 'count() AS n', 'n DESC'],
  ['groups with NULL first', 'count() AS n', 'n DESC NULLS FIRST LIMIT 5'],
  ['a number of groups that is a variable', 'count() AS n', 'n DESC LIMIT {n:UInt8}'],
])('%s are not set apart', async (_what, item, order) => {
  const sql = `SELECT page, ${item} FROM hits WHERE ${between} GROUP BY page ORDER BY ${order}`;
  await save(test, `t${++count}`, { query: sql });
  const shown = await readQueryOf(`t${count}`);
  expect(shown).toContain('GROUP BY');
  expect(shown).not.toContain('__querydock_top');
});
