/** Grouping SELECTs within a query, of which variables select rows: what is stored of them, and what reads merge. */
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { tablesOf } from '../../../src/model/materialization-plan.ts';
import { takeProjectIds } from '../../support/take-project-ids.ts';
import { rolledPlans } from '../support/chosen-storage.ts';
import { type Laboratory, openLaboratory, type Values } from '../support/laboratory.ts';
import { planIn, storedBy } from '../support/plan-in.ts';
import { createTables } from '../support/tables.ts';

let laboratory: Laboratory;
beforeAll(async () => {
  laboratory = await openLaboratory(inject('engine'), await takeProjectIds(inject('postgres')));
  await createTables(laboratory, 5);
});
afterAll(() => laboratory?.close());

const planOf = (sql: string) => planIn(laboratory, { sql });

const numbers: readonly Values[] = [{ x: 0 }, { x: 1 }, { x: 2 }, { x: 9 }];
const days: readonly Values[] = ['2024-01-30', '2024-02-01', '2024-03-01'].map((day) => ({ day }));
const texts: readonly Values[] = ['a', 'zz', '', 'none'].map((t) => ({ t, x: 1 }));
const many = (columns: string, rest: string) =>
  `SELECT ${columns} FROM many WHERE u > {x:UInt8} ${rest}`;
const filled = "WITH FILL FROM toDate('2024-01-28') TO toDate('2024-02-07') INTERPOLATE (n)";

const merged: readonly (readonly [sql: string, values: readonly Values[]])[] = [
  ...[
    `SELECT avg(n) AS a, max(m) AS m FROM (${many('d, count() AS n, avg(i) AS m', 'GROUP BY d')})`,
    `WITH per AS (${many('d, sum(i) AS n', 'GROUP BY d')}) SELECT d, sum(n) OVER (ORDER BY d) AS r FROM per ORDER BY d`,
    `SELECT s, count() AS n, (${many('count()', '')}) AS total FROM many WHERE u > {x:UInt8} GROUP BY s ORDER BY s`,
    `SELECT a.d, a.n, b.n FROM (${many('d, count() AS n', 'GROUP BY d')}) AS a LEFT JOIN (SELECT d, uniqExact(s) AS n FROM many WHERE u = {x:UInt8} + 1 GROUP BY d) AS b ON a.d = b.d ORDER BY a.d`,
    `SELECT sum(n) AS n FROM (${many('DISTINCT count() AS n', 'GROUP BY s, lc')})`,
    `SELECT n, m FROM (${many('s, sum(dec) AS n, min(ns) AS m, max(big) AS b', 'GROUP BY s HAVING count() > {x:UInt8}')}) ORDER BY n, m`,
    `SELECT count() AS n FROM (SELECT f.d, o.g, sum(o.w) AS n FROM many AS f JOIN other AS o ON f.s = o.s WHERE f.u > {x:UInt8} AND o.w != {x:UInt8} GROUP BY f.d, o.g HAVING n > 3)`,
    `SELECT sum(q) AS q, sum(length(mp)) AS l FROM (${many('quantileExact(0.9)(i) AS q, sumMap(map(s, 1)) AS mp', 'GROUP BY lc')})`,
    `SELECT max(q) AS q FROM (${many('toStartOfMinute(ts) AS minute, avg(i) AS q', 'GROUP BY minute')})`,
    `SELECT sum(n) AS n FROM (SELECT s, count() AS n FROM many WHERE has(arr, {x:Int32}) GROUP BY s)`,
    `SELECT max(n) AS n FROM (${many('id % 7 AS k, sum(intDiv(id, 2)) AS n', 'GROUP BY k')})`,
    `SELECT max(n) AS n, max(m) AS m FROM (${many('s, avgIf(i, b) AS n, argMax(i, id) AS m', 'AND ts > toDateTime({x:UInt8}) GROUP BY s')})`,
    `SELECT max(n) AS n FROM (${many('toStartOfMinute(ts) AS minute, count() AS n', 'AND ts > toDateTime({x:UInt8}) GROUP BY minute')})`,
  ].map((sql) => [sql, numbers] as const),
  ...[
    `SELECT day, n FROM (SELECT toDate(ts) AS day, count() AS n FROM many WHERE day >= {day:Date} GROUP BY day) ORDER BY day ${filled}`,
    'WITH cur AS (SELECT s, sum(i) AS v FROM many WHERE d >= {day:Date} AND d < {day:Date} + 3 GROUP BY s), before AS (SELECT s, sum(i) AS v FROM many WHERE d >= {day:Date} - 3 AND d < {day:Date} GROUP BY s) SELECT cur.s, cur.v - before.v AS v FROM cur LEFT JOIN before ON cur.s = before.s ORDER BY cur.s',
    "SELECT * FROM (SELECT 'now' AS k, sum(i) AS v FROM many WHERE d >= {day:Date} UNION ALL SELECT 'before' AS k, sum(i) AS v FROM many WHERE d < {day:Date}) ORDER BY k",
  ].map((sql) => [sql, days] as const),
  ...[
    `SELECT * FROM (${many('d AS day, countIf(s = {t:String}) AS n, sumIf(i, u > {x:UInt8} AND s != {t:String}) AS v, avgIf(i, lc = {t:String}) AS w', 'GROUP BY day')}) WHERE n > 0 ORDER BY day`,
    "SELECT count() AS n FROM (SELECT s FROM many WHERE lower(s) LIKE concat({t:String}, '%') GROUP BY s HAVING sum(i) > 0)",
    `SELECT max(n) AS n FROM (SELECT s, count() AS n FROM many WHERE {t:String} = '' OR lcn = {t:String} GROUP BY s)`,
  ].map((sql) => [sql, texts] as const),
];

describe('partial results', () => {
  it.each(merged)('are stored and merged: %s', async (sql, values) => {
    const plan = await planOf(sql);
    expect(storedBy(plan).every((text) => /__[kv]\d+, .*\bGROUP BY\b/.test(text))).toBe(true);
    const table = await laboratory.store(plan);
    for (const given of values) {
      const own = Object.fromEntries(
        Object.entries(given).filter(([name]) => sql.includes(`{${name}:`)),
      );
      const inline = await laboratory.run({ sql }, own);
      expect(inline[0]).not.toMatch(/^error/);
      expect(await laboratory.read({ plan, table }, { sql }, own)).toEqual(inline);
    }
    await laboratory.drop(table);
  });

  it('are one table where two SELECTs need the same', async () => {
    const sum = (days: string) => `SELECT s, sum(i) AS v FROM many WHERE d ${days} GROUP BY s`;
    const sql = `SELECT a.s, a.v, b.v FROM (${sum('= {day:Date}')}) AS a JOIN (${sum('= {day:Date} - 1')}) AS b ON a.s = b.s`;
    const plan = await planOf(sql);
    expect(tablesOf(plan)).toMatchObject([
      {
        storedQuery: 'SELECT s AS __k0, d AS __v0, sum(i) AS __a0 FROM many GROUP BY s, d',
        sortingKey: ['__v0'],
      },
    ]);
  });

  it('are one table where two SELECTs need other aggregates of the same rows and groups', async () => {
    const plan = await planOf(
      'WITH a AS (SELECT s, sum(i) AS v FROM many WHERE b AND d = {day:Date} GROUP BY s), b AS (SELECT s, count() AS n, sum(i) AS v, countIf(u > {x:UInt8}) AS m FROM many WHERE b AND u = {x:UInt8} GROUP BY s) SELECT a.s, a.v, b.n, b.v, b.m FROM a JOIN b ON a.s = b.s',
    );
    expect(storedBy(plan)).toEqual([
      'SELECT s AS __k0, d AS __v0, sum(i) AS __a0 FROM many WHERE (b) GROUP BY s, d',
      'SELECT s AS __k1000, u AS __v1000, count() AS __a1000, sum(i) AS __a1001 FROM many WHERE (b) GROUP BY s, u',
    ]);
    const same = await planOf(
      'SELECT k, v, (SELECT avg(n) FROM (SELECT d, s, count() AS n FROM many WHERE u = {x:UInt8} GROUP BY d, s)) AS mean FROM (SELECT s AS k, d, sum(i) AS v FROM many WHERE u < {x:UInt8} GROUP BY k, d) ORDER BY ALL',
    );
    expect(storedBy(same)).toEqual([
      'SELECT d AS __k0, s AS __k1, u AS __v0, count() AS __a0, sum(i) AS __a1 FROM many GROUP BY d, s, u',
    ]);
  });

  it.each([
    ['groups of numbers that may be 0 or -0', many('f, count() AS n', 'GROUP BY f')],
    [
      'conditions of such numbers',
      'SELECT s, count() AS n FROM many WHERE f > {x:UInt8} GROUP BY s',
    ],
    ['any value of a group', many('s, any(s) AS a, count() AS n', 'GROUP BY s')],
    ['arrays of values', many('s, length(groupArray(i)) AS n', 'GROUP BY s')],
    [
      'divisions of which conditions leave out those by zero',
      'SELECT s, sum(intDiv(10, u) + 10 % u) AS n FROM many WHERE u > {x:UInt8} GROUP BY s',
    ],
    ['groups of no column', many('count() AS n', 'GROUP BY materialize(1)')],
    ['rows that arrayJoin makes', many('arrayJoin(arr) AS e, count() AS n', 'GROUP BY e')],
    [
      'sets by points in time',
      'SELECT s, uniqExact(i) AS n FROM many WHERE ts > toDateTime({x:UInt8}) GROUP BY s',
    ],
    [
      'values that are counted once, by points in time',
      'SELECT s, sumDistinct(i) AS n FROM many WHERE ts > toDateTime({x:UInt8}) GROUP BY s',
    ],
    [
      'conditions with a subquery',
      'SELECT s, count() AS n FROM many WHERE s IN (SELECT s FROM other WHERE w > {x:UInt8}) GROUP BY s',
    ],
  ])('are not stored of %s', async (_what, inner) => {
    const plan = await planOf(`SELECT max(n) AS n, count() FROM (${inner})`);
    expect(storedBy(plan).join()).not.toMatch(/GROUP BY/);
  });

  it('by a text that several times have are not merged', async () => {
    await laboratory.admin(
      "CREATE TABLE zoned (ts DateTime('Europe/Berlin'), u UInt8) ENGINE = MergeTree ORDER BY ts",
    );
    const plan = await planOf(
      'SELECT max(n) AS n FROM (SELECT toString(ts) AS t, count() AS n FROM zoned WHERE u > {x:UInt8} GROUP BY t)',
    );
    expect(storedBy(plan).join()).not.toMatch(/GROUP BY/);
  });

  it('per period are found by the index where a time of another type is beyond those of the column', async () => {
    await laboratory.admin(
      'CREATE TABLE valid (k UInt8, until DateTime, x Int32) ENGINE = MergeTree ORDER BY k',
    );
    await laboratory.admin(
      "INSERT INTO valid SELECT number % 3, if(number % 4 = 0, toDateTime(4294967295), toDateTime('2024-01-01 00:00:00') + number * 40000), number FROM numbers(400)",
    );
    const sql =
      "SELECT part, sum(n) AS n FROM (SELECT 'after' AS part, k, count() AS n FROM valid WHERE until >= {day:Date} GROUP BY k UNION ALL SELECT 'before' AS part, k, count() AS n FROM valid WHERE {day:Date} > until GROUP BY k) GROUP BY part ORDER BY part";
    const plans = rolledPlans(await planOf(sql));
    expect(plans).toHaveLength(4);
    for (const plan of plans) {
      // A range for the index, rounded to the type of the column.
      expect(plan.readQuery).toMatch(/\bidentity\(__v0\) >= \{day:Date\}\) AND \(\(__v0 >= CAST\(/);
      const table = await laboratory.store(plan);
      for (const day of ['2106-02-07', '2106-02-08', '2149-06-06', '2024-03-01', '1970-01-01']) {
        const inline = await laboratory.run({ sql }, { day });
        expect(await laboratory.read({ plan, table }, { sql }, { day })).toEqual(inline);
      }
      await laboratory.drop(table);
    }
  });

  it('are checked for -0 by each sync', async () => {
    const plan = await planOf(`SELECT max(m) AS m FROM (${many('s, min(f) AS m', 'GROUP BY s')})`);
    expect(storedBy(plan)[0]).toContain('min(f) AS __a0');
    expect(plan.sourceChecks?.map(({ countFaults }) => countFaults).join()).toContain('`f`');
  });
});
