/** Columns, tables and aliases that are called like functions of the current time. */
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { takeProjectIds } from '../../support/take-project-ids.ts';
import { type Laboratory, openLaboratory } from '../support/laboratory.ts';
import { planIn } from '../support/plan-in.ts';

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
  const plan = await planIn(laboratory, { sql });
  const table = await laboratory.store(plan);
  for (const values of sql.includes('{x:') ? [{ x: 0 }, { x: 3 }, { x: 9 }] : [{}]) {
    const inline = await laboratory.run({ sql }, values);
    expect(inline[0]).not.toMatch(/^error/);
    expect(await laboratory.read({ plan, table }, { sql }, values)).toEqual(inline);
  }
  await laboratory.drop(table);
});

it.each([
  ['now', 'SELECT k, now AS at FROM (SELECT k, n FROM readings) WHERE n = {x:UInt8}'],
  ['curdate', 'SELECT k, curdate AS day FROM readings WHERE n = {x:UInt8}'],
  ['LOCALTIME', 'SELECT k, LOCALTIME AS at FROM readings'],
])('are the function %s where nothing has the name: %s', async (name, sql) => {
  expect(await laboratory.plan({ sql })).toMatchObject({
    reason: expect.stringMatching(new RegExp(`^The function ${name} is used outside of WHERE`)),
  });
});
