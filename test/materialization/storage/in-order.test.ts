/** Tables sorted like the query: a read of its first rows ends after these, and returns what the query itself returns. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { TestApp } from '../../support/test-app.ts';
import {
  type Body,
  expectNoOrphans,
  materialized,
  measured,
  openMaterializedApp,
  rowsRead,
  run,
} from '../support/materialized.ts';

let test: TestApp;
const rows = 60_000;

beforeAll(async () => {
  test = await openMaterializedApp();
  await test.sql(
    `CREATE TABLE events (id UInt32, kind LowCardinality(String), at DateTime('UTC'), label Nullable(String), url String, size Int32) ENGINE = MergeTree ORDER BY id`,
  );
  await test.sql(
    `INSERT INTO events SELECT number, ['a', 'b', 'c'][1 + cityHash64(number, 1) % 3], toDateTime('2025-01-01 00:00:00', 'UTC') + cityHash64(number, 2) % 9000000,
      if(number % 9 = 0, NULL, toString(cityHash64(number, 3) % 500)), concat('/', toString(cityHash64(number, 4) % 700), '/page'), toInt32(cityHash64(number, 5) % 2001) - 1000 FROM numbers(${rows})`,
  );
});
afterAll(async () => {
  await expectNoOrphans(test);
  await test.close();
});

let count = 0;

async function stored(sql: string): Promise<string> {
  const name = `t${++count}`;
  await materialized(test, name, { query: sql });
  await measured(test, name);
  return name;
}

const inMarch = { from: '2025-03-01 00:00:00', to: '2025-03-20 12:30:00' };

it.each<readonly [what: string, sql: string, values: readonly Body[]]>([
  [
    'one value',
    'SELECT id, label FROM events WHERE kind = {kind:String} ORDER BY at, id LIMIT 10',
    [{ kind: 'a' }, { kind: 'c' }, { kind: 'nothing' }],
  ],
  [
    'one value, from the last row to the first',
    'SELECT id, at FROM events WHERE kind = {kind:String} ORDER BY at DESC, id DESC LIMIT 10 OFFSET 5',
    [{ kind: 'a' }, { kind: 'b' }],
  ],
  [
    'one value, in two directions',
    'SELECT id, size FROM events WHERE kind = {kind:String} ORDER BY size DESC, id LIMIT 10',
    [{ kind: 'a' }, { kind: 'b' }],
  ],
  [
    'one value, NULL last',
    'SELECT id, label FROM events WHERE kind = {kind:String} ORDER BY label, id LIMIT 10',
    [{ kind: 'a' }, { kind: 'b' }],
  ],
  [
    'a range of what it is ordered by',
    'SELECT id, at FROM events WHERE at >= {from:DateTime} AND at < {to:DateTime} ORDER BY at DESC, id DESC LIMIT 10',
    [inMarch, { from: inMarch.to, to: inMarch.from }],
  ],
  [
    'a tuple that it is ordered by, after the last page',
    'SELECT id, at FROM events WHERE (at, id) > ({at:DateTime}, {id:UInt32}) ORDER BY at, id LIMIT 10',
    [
      { at: inMarch.from, id: 500 },
      { at: '2025-04-10 00:00:00', id: 0 },
      { at: '2030-01-01 00:00:00', id: 0 },
    ],
  ],
  [
    'a tuple that it is ordered by, from the last row to the first',
    "SELECT id, toDate(at) AS day FROM events WHERE (toDate(at), id) <= ({day:DateTime('UTC')}, {id:UInt32}) ORDER BY day DESC, id DESC LIMIT 10",
    [
      { day: '2025-02-10 00:00:00', id: 30_000 },
      { day: '2025-01-01 00:00:00', id: 700 },
    ],
  ],
  [
    'the name of a column',
    'SELECT id, toDate(at) AS day FROM events WHERE kind = {kind:String} AND day >= {from:Date} ORDER BY day, id LIMIT 10',
    [
      { kind: 'a', from: '2025-02-01' },
      { kind: 'b', from: '2027-01-01' },
    ],
  ],
  [
    'a pattern that many rows match',
    'SELECT id, url FROM events WHERE url LIKE {pattern:String} ORDER BY at, id LIMIT 10',
    [{ pattern: '%1%' }, { pattern: '/3%' }, { pattern: '%' }],
  ],
  [
    'values that may be left out',
    "SELECT id, url FROM events WHERE ({kind:String} = '' OR kind = {kind:String}) AND (empty({sizes:Array(Int32)}) OR size IN {sizes:Array(Int32)}) ORDER BY at DESC, id DESC LIMIT 10",
    [
      { kind: '', sizes: [] },
      { kind: 'b', sizes: [] },
      { kind: '', sizes: Array.from({ length: 200 }, (_none, at) => at) },
    ],
  ],
  [
    'one value, groups by their aggregate',
    'SELECT url, at, count() AS n, max(size) AS largest FROM events WHERE kind = {kind:String} GROUP BY url, at ORDER BY largest DESC, url DESC, at DESC LIMIT 10',
    [{ kind: 'a' }, { kind: 'b' }],
  ],
])('the first rows of %s are read alone', async (_what, sql, values) => {
  const name = await stored(sql);
  for (const variables of values) {
    const read = await run(test, name, { variables, refresh: 'force', debug: true });
    const inline = await run(test, name, { variables, refresh: 'direct' });
    expect(read).toMatchObject({ results: inline.results, served_from: 'materialized' });
    expect(rowsRead(read)).toBeLessThan(rows / 10);
  }
});

it('rows of which few match a pattern are all found', async () => {
  const name = await stored(
    'SELECT id, url FROM events WHERE url LIKE {pattern:String} ORDER BY at, id LIMIT 10',
  );
  for (const pattern of ['/699/%', '%/nowhere', '%98/page']) {
    const read = await run(test, name, { variables: { pattern }, refresh: 'force' });
    const inline = await run(test, name, { variables: { pattern }, refresh: 'direct' });
    expect(read).toMatchObject({ results: inline.results, served_from: 'materialized' });
  }
});

it('a caller who asks for the first rows of all gets these', async () => {
  const name = await stored(
    'SELECT id FROM events WHERE kind = {kind:String} ORDER BY at DESC, id DESC',
  );
  const variables = { kind: 'b' };
  const read = await run(test, name, { variables, refresh: 'force', debug: true, limit: 20 });
  const inline = await run(test, name, { variables, refresh: 'direct', limit: 20 });
  expect(read).toMatchObject({ results: inline.results, served_from: 'materialized' });
  expect(rowsRead(read)).toBeLessThan(rows / 10);
});
