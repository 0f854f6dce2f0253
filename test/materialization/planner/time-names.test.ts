/** Columns, tables and aliases that are called like functions of the current time. */
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { takeProjectIds } from '../../support/take-project-ids.ts';
import { type Laboratory, openLaboratory } from '../support/laboratory.ts';
import { planIn, storedBy } from '../support/plan-in.ts';

let laboratory: Laboratory;
beforeAll(async () => {
  laboratory = await openLaboratory(inject('engine'), await takeProjectIds(inject('postgres')));
  await laboratory.admin(
    'CREATE TABLE readings (k String, n UInt8, now String, today UInt32, ts DateTime) ENGINE = MergeTree ORDER BY n',
  );
  await laboratory.admin(
    "INSERT INTO readings SELECT ['a', 'b', 'c'][number % 3 + 1], number % 7, concat('n', toString(number % 4)), number % 5, toDateTime('2024-01-01 00:00:00') + number FROM numbers(60)",
  );
});
afterAll(() => laboratory?.close());

const of = (day: string) =>
  `${day} AS (SELECT k, count() AS c FROM readings WHERE n ${day === 'today' ? '=' : '<'} {x:UInt8} GROUP BY k)`;

it.each([
  'WITH now AS (SELECT k, count() AS c FROM readings WHERE n > {x:UInt8} GROUP BY k) SELECT * FROM now ORDER BY k',
  `WITH ${of('today')}, ${of('yesterday')} SELECT today.k, today.c, yesterday.c FROM today JOIN yesterday ON today.k = yesterday.k ORDER BY today.k`,
  'SELECT sum(today) AS s, min(now) AS m FROM readings WHERE n > {x:UInt8}',
  'SELECT today, count() AS c FROM readings WHERE n > {x:UInt8} GROUP BY today ORDER BY today',
  "SELECT n, now FROM readings WHERE now = concat('n', toString({x:UInt8})) ORDER BY n",
  'SELECT max(c) AS m FROM (SELECT now, count() AS c FROM readings WHERE today > {x:UInt8} GROUP BY now)',
  'SELECT arrayMap(now -> now + 1, [n]) AS a FROM readings WHERE n = {x:UInt8} ORDER BY a',
  'SELECT k, today, ts < today() AS past FROM readings WHERE n = {x:UInt8} ORDER BY k, today',
  'SELECT today, min(now) AS m FROM readings GROUP BY today ORDER BY today',
])('are names alone: %s', async (sql) => {
  await expectSame(sql);
});

it.each([
  "SELECT k, dateDiff('year', max(ts), CURRENT_TIMESTAMP) > 0 AS old FROM readings GROUP BY k ORDER BY k",
  'SELECT k, countIf(toDate(ts) < CURRENT_DATE - INTERVAL 7 DAY) AS c FROM readings WHERE n > {x:UInt8} GROUP BY k ORDER BY k',
  'SELECT max(c) AS m FROM (SELECT k, countIf(ts < CURRENT_DATE) AS c FROM readings WHERE n > {x:UInt8} GROUP BY k)',
  'SELECT today, curdate > toDate(ts) AS past FROM readings WHERE n = {x:UInt8} ORDER BY today, past',
  'SELECT k, CURRENT_DATE FROM readings WHERE n = {x:UInt8} ORDER BY k',
  'WITH CURRENT_DATE AS d SELECT k, d > toDate(ts) AS past FROM readings WHERE n = {x:UInt8} ORDER BY k, past',
])('without parentheses, are evaluated by each run: %s', async (sql) => {
  expect((await expectSame(sql)).join()).not.toMatch(/current_|curdate/i);
});

it.each([
  [
    'now',
    'SELECT arrayMap(now -> now + 1, [n]) AS a, NOW > ts AS past FROM readings WHERE n = {x:UInt8}',
  ],
  ['now', 'WITH now AS (SELECT max(ts) AS t FROM readings) SELECT NOW > max(t) AS past FROM now'],
])('are refused where %s is both: %s', async (name, sql) => {
  expect(await laboratory.plan({ sql })).toMatchObject({
    reason: expect.stringMatching(
      new RegExp(`^The function ${name} is used outside of WHERE`, 'i'),
    ),
  });
});

/** @returns what is stored. */
async function expectSame(sql: string): Promise<readonly string[]> {
  const plan = await planIn(laboratory, { sql });
  const table = await laboratory.store(plan);
  for (const values of sql.includes('{x:') ? [{ x: 0 }, { x: 3 }, { x: 9 }] : [{}]) {
    const inline = await laboratory.run({ sql }, values);
    expect(inline[0]).not.toMatch(/^error/);
    expect(await laboratory.read({ plan, table }, { sql }, values)).toEqual(inline);
  }
  await laboratory.drop(table);
  return storedBy(plan);
}
