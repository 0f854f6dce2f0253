/** ORDER BY that leaves rows tied, under LIMIT and OFFSET: any of the tied rows may be returned, so no proof fails. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openTestApp, type TestApp } from '../support/test-app.ts';
import { evenly, materialized, save, statusOf, sync } from './support/materialized.ts';

let test: TestApp;

beforeAll(async () => {
  test = await openTestApp({}, undefined, { workerTimes: evenly });
  await test.sql(`CREATE TABLE hits (id UInt32, time DateTime, user UInt32, phrase String, url String, region UInt8, width Float64, at DateTime64(6, 'UTC') MATERIALIZED time)
    ENGINE = MergeTree PARTITION BY toYear(at) ORDER BY (region, id) SETTINGS index_granularity = 64`);
  for (const part of [0, 1, 2]) {
    await test.sql(`INSERT INTO hits SELECT number, toDateTime('2013-07-01', 'UTC') + number * 977, h % 700,
      if(h % 3 = 0, '', concat('p', toString(h % 40))), concat('u', toString(h % 2500)), h % 5, (h % 9) / 3
      FROM (SELECT number, cityHash64(number) AS h FROM numbers(9000)) WHERE number % 3 = ${part}`);
  }
});
afterAll(() => test.close());

/** With the sort keys that settle the order; none where it is settled already. */
const queries: readonly { readonly sql: string; readonly keys?: string }[] = [
  // ClickBench 18, 39 and 40 in their own words.
  {
    sql: 'SELECT user, extract(minute FROM time) AS m, phrase, COUNT(*) FROM hits GROUP BY user, m, phrase ORDER BY COUNT(*) DESC LIMIT 10',
    keys: 'user, m, phrase',
  },
  {
    sql: "SELECT url, COUNT(*) AS views FROM hits WHERE url <> '' GROUP BY url ORDER BY views DESC LIMIT 10 OFFSET 1000",
    keys: 'url',
  },
  {
    sql: "SELECT region, user, CASE WHEN user = 0 THEN phrase ELSE '' END AS src, url AS dst, COUNT(*) AS views FROM hits GROUP BY region, user, src, dst ORDER BY views DESC LIMIT 10 OFFSET 1000",
    keys: 'region, user, src, dst',
  },
  {
    sql: 'SELECT url, COUNT(*) AS views FROM hits WHERE toDate(time) >= {from:Date} GROUP BY url ORDER BY views DESC LIMIT 10 OFFSET 100',
    keys: 'url',
  },
  {
    sql: 'SELECT user, phrase FROM hits WHERE region = {region:UInt8} ORDER BY phrase LIMIT 10 OFFSET 30',
    keys: 'user',
  },
  {
    sql: 'SELECT url, count() AS n FROM hits WHERE region = {region:UInt8} GROUP BY url HAVING n > 1 ORDER BY n LIMIT 20',
    keys: 'url',
  },
  {
    sql: 'SELECT region, url, count() AS n FROM hits WHERE toDate(time) < {to:Date} GROUP BY region, url ORDER BY n DESC LIMIT 2 BY region',
    keys: 'region, url',
  },
  { sql: 'SELECT DISTINCT phrase, region FROM hits ORDER BY region LIMIT 12', keys: 'phrase' },
  {
    sql: 'SELECT user, sum(width) AS w FROM hits GROUP BY user ORDER BY w DESC LIMIT 25',
    keys: 'user',
  },
  {
    sql: 'SELECT user FROM hits GROUP BY user ORDER BY uniq(url), max(phrase) DESC LIMIT 25',
    keys: 'user',
  },
  { sql: 'SELECT url, count() AS n FROM hits GROUP BY url ORDER BY n DESC LIMIT 9 WITH TIES' },
  {
    sql: 'SELECT phrase, url FROM hits WHERE region = {region:UInt8} ORDER BY phrase LIMIT 7, 9 WITH TIES',
    keys: 'url',
  },
  {
    sql: 'SELECT region, url, count() AS n FROM hits WHERE region = {region:UInt8} GROUP BY region, url ORDER BY n DESC, url LIMIT 5',
  },
  // Any rows, chosen by times that are texts.
  { sql: 'SELECT user, phrase FROM hits WHERE at >= {from:String} LIMIT {n:UInt8}' },
  {
    sql: 'SELECT DISTINCT phrase, url FROM hits WHERE at BETWEEN {from:String} AND {to:String} LIMIT 7',
  },
  // Limits of subqueries and CTEs.
  {
    sql: 'SELECT count() AS n, sum(id) AS s FROM (SELECT id, phrase FROM hits WHERE region = {region:UInt8} ORDER BY phrase LIMIT 50)',
    keys: 'id',
  },
  {
    sql: 'WITH top AS (SELECT url, count() AS n FROM hits GROUP BY url ORDER BY n DESC LIMIT 20) SELECT url, n FROM top ORDER BY url',
    keys: 'url',
  },
  // Windows.
  {
    sql: 'SELECT user, id, row_number() OVER (PARTITION BY region ORDER BY phrase) AS n FROM hits',
    keys: 'user, id',
  },
  {
    sql: 'SELECT id, phrase FROM (SELECT id, phrase, region, row_number() OVER w AS n FROM hits WINDOW w AS (PARTITION BY region ORDER BY phrase DESC)) WHERE n <= 3 AND region = {region:UInt8}',
    keys: 'id',
  },
  {
    sql: 'SELECT id, sum(user) OVER (PARTITION BY region ORDER BY phrase ROWS BETWEEN 2 PRECEDING AND CURRENT ROW) AS s FROM hits WHERE region = {region:UInt8}',
    keys: 'id, user',
  },
  {
    sql: 'SELECT phrase, c, lag(c) OVER (ORDER BY c) AS before FROM (SELECT phrase, uniq(user) AS c FROM hits WHERE region < {region:UInt8} GROUP BY phrase)',
    keys: 'phrase',
  },
  {
    sql: 'SELECT row_number() OVER (PARTITION BY a.region ORDER BY a.phrase) AS n, if({b:Bool}, a.width, 0) AS w FROM hits AS a JOIN hits AS other ON a.user = other.user AND other.id < {id:UInt32}',
    keys: 'a.width, a.user, other.user, other.id',
  },
  { sql: 'SELECT id, rank() OVER (PARTITION BY region ORDER BY phrase) AS n FROM hits' },
];

interface TiedRows {
  readonly detail: string;
  readonly tie_breaker: string;
  readonly query: string;
}

async function tiedRowsOf(name: string): Promise<TiedRows | null> {
  const path = `/endpoints/${name}/materialization_preview`;
  const { status, body } = await test.rest('POST', path);
  expect(status).toBe(200);
  return body.tied_rows as TiedRows | null;
}

it.each(queries.map((query, at) => ({ ...query, at })))('$sql', async ({ sql, at, keys }) => {
  await materialized(test, `ties${at}`, { query: sql });
  const tied = await tiedRowsOf(`ties${at}`);
  expect(tied?.tie_breaker).toBe(keys);
  if (tied === null) return;
  expect(tied.detail).toContain(`Append ${keys}`);
  await save(test, `settled${at}`, { query: tied.query });
  expect(await tiedRowsOf(`settled${at}`)).toBeNull();
});

it('says nothing of an order that settles the rows, and the same by GraphQL', async () => {
  await save(test, 'settled', { query: 'SELECT id FROM hits ORDER BY id LIMIT 5' });
  await save(test, 'whole', { query: 'SELECT user FROM hits ORDER BY phrase' });
  for (const name of ['settled', 'whole']) expect(await tiedRowsOf(name)).toBeNull();
  const { body } = await test.graphql(
    '{ preview: materializationPreview(projectId: "@current", name: "ties0") { tiedRows { detail tieBreaker query } } }',
  );
  const { detail, tie_breaker: tieBreaker, query } = (await tiedRowsOf('ties0')) ?? {};
  expect(body.data).toEqual({ preview: { tiedRows: { detail, tieBreaker, query } } });
});

it.each([
  [
    'SELECT region, argMax(url, phrase) AS u, count() AS n FROM hits WHERE toDate(time) >= {from:Date} GROUP BY region ORDER BY region',
    'argMax may take any of several rows with the same phrase; write (phrase, url) in place of phrase.',
  ],
  [
    "WITH 'it(s' AS text SELECT region, argMinIf(id, lower(phrase), user > 5 AND text != '') AS i FROM hits WHERE toDate(time) >= {from:Date} GROUP BY region",
    'argMinIf may take any of several rows with the same lower(phrase); write (lower(phrase), id) in place of lower(phrase).',
  ],
  [
    "SELECT region, max_by((url, id), nullIf(phrase, 'p1')) AS u FROM hits WHERE toDate(time) >= {from:Date} GROUP BY region",
    "max_by may take any of several rows with the same nullIf(phrase, 'p1'); add to it what decides.",
  ],
])(
  'where argMax or argMin picked another row, the refusal says what to write: %s',
  async (query, hint) => {
    const name = `chosen${query.length}`;
    await save(test, name, { query, is_materialized: true });
    expect(await sync(test)).toEqual(['failed']);
    const { can_materialize: isPossible, reason } = await statusOf(test, name);
    expect(isPossible).toBe(false);
    expect(reason).toMatch(/^Its stored table does not give the same result/);
    expect(String(reason).endsWith(hint)).toBe(true);
    const [, both = '', compared = ''] = /; write (.*) in place of (.*)\.$/.exec(hint) ?? [];
    if (both === '') return;
    await materialized(test, `${name}_again`, {
      query: query.replace(`, ${compared}`, `, ${both}`),
    });
  },
);
