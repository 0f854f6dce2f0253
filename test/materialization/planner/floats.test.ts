/** 0 and -0, and several NaNs: as keys, values, in tuples, in sets, distinct and compared. Exact, or refused. */
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { takeProjectIds } from '../../support/take-project-ids.ts';
import { meetsZero } from '../support/comparison.ts';
import { type Laboratory, openLaboratory } from '../support/laboratory.ts';

let laboratory: Laboratory;
beforeAll(async () => {
  laboratory = await openLaboratory(inject('engine'), await takeProjectIds(inject('postgres')));
  await laboratory.admin(
    'CREATE TABLE p (id UInt32, u UInt8, s String, f Float64, g Float32, n Nullable(Float64)) ENGINE = MergeTree ORDER BY id SETTINGS index_granularity = 8',
  );
  // Two NaNs of other bits beside the usual one.
  for (const rest of [0, 1]) {
    await laboratory.admin(
      `INSERT INTO p SELECT number, number % 3, toString(number % 4), [0., -0., nan, -nan, reinterpretAsFloat64(reinterpretAsUInt64(nan) + 1), 1.5, inf, -inf][cityHash64(number) % 8 + 1] AS v, v, if(number % 5 = 0, NULL, v) FROM numbers(200) WHERE number % 2 = ${rest}`,
    );
  }
});
afterAll(() => laboratory?.close());

/** Its stored table gives what the inline run gives, row by row. */
async function expectExact(sql: string): Promise<void> {
  const planned = await laboratory.plan({ sql });
  if (planned.kind === 'refusal') throw new Error(`${sql}: ${planned.reason}`);
  const { plan } = planned;
  const table = await laboratory.store(plan);
  for (const v of [0, 1, 2, 9]) {
    const inline = await laboratory.run({ sql }, { v });
    const read = await laboratory.read({ plan, table }, { sql }, { v });
    expect([sql, v, ...read]).toEqual([sql, v, ...inline]);
  }
  await laboratory.drop(table);
}

const selects: readonly (readonly [select: string, tail: string])[] = [
  ...['f', 'n', '-f', '(f, s)', '[f, g]'].flatMap((key): (readonly [string, string])[] => [
    [`DISTINCT ${key} AS k`, ''],
    [`${key} AS k, count() AS c, uniqExact(id)`, ' GROUP BY k'],
    [`${key} AS k, max(id)`, ` GROUP BY ${key}`],
    [`count(DISTINCT ${key}), uniqExact(${key}), uniq(${key})`, ''],
    [`u, arraySort(groupUniqArray(toString(${key})))`, ' GROUP BY u'],
    [`id, count() OVER (PARTITION BY u, ${key}) AS c`, ''],
    [`argMax(${key}, id), argMin(${key}, id)`, ''],
    [`min(${key}), max(${key})`, ''],
    [`u, quantileExact(0.5)(${key})`, ' GROUP BY u'],
    [`id, ${key} AS k`, ' ORDER BY id LIMIT 1 BY k'],
  ]),
];

const wheres: readonly (readonly [where: string, values: readonly unknown[]])[] = [
  ['u = {v:UInt8}', [0, 1, 9]],
  ['u >= {v:UInt8}', [0, 2]],
  ['f = {v:Float64}', [0, -0, 1.5, 'nan']],
  ['f >= {v:Float64}', [0, -0, 'inf', 'nan']],
  ['n != {v:Float64}', [0, 'nan']],
  ['g IN {v:Array(Float32)}', [[0], [-0], ['nan'], [1.5, 0]]],
  ['f < {v:Float64}', [0, 'nan']],
  ['(u = {v:UInt8} OR f = {v:UInt8})', [0, 1, 9]],
  ['(f = {v:Float64} OR g > 1 OR n IN ({v:Float64}, 1.5))', [0, -0, 'nan']],
];

const sorted = (lines: readonly string[]) => [...lines.slice(0, 2), ...lines.slice(2).toSorted()];

it('floats that are not numbers sort and group as in the inline run', async () => {
  let [compared, refused] = [0, 0];
  for (const [at, [select, tail]] of selects.entries()) {
    for (const [where, values] of wheres.filter((_where, other) => (at + other) % 3 === 0)) {
      const sql = `SELECT ${select} FROM p WHERE ${where}${tail}`;
      const planned = await laboratory.plan({ sql });
      if (planned.kind === 'refusal') {
        refused += 1;
        continue;
      }
      const { plan } = planned;
      const table = await laboratory.store(plan).catch(meetsZero);
      if (table === null) {
        refused += 1;
        continue;
      }
      for (const v of values) {
        const [inline, read] = await Promise.all([
          laboratory.run({ sql }, { v }),
          laboratory.read({ plan, table }, { sql }, { v }),
        ]);
        expect([sql, v, ...sorted(read)]).toEqual([sql, v, ...sorted(inline)]);
        compared += 1;
      }
      await laboratory.drop(table);
    }
  }
  console.info(`${compared} compared, ${refused} refused`);
  expect(compared).toBeGreaterThan(200);
});

it('the least, the greatest and quantiles of floats are exact where no -0 is among them', async () => {
  await laboratory.admin(
    'CREATE TABLE z (id UInt32, u UInt8, s String, f Float64, g Float32, n Nullable(Float64), m SimpleAggregateFunction(max, Float64), l SimpleAggregateFunction(min, Nullable(Float64))) ENGINE = MergeTree ORDER BY id AS SELECT id, u, s, if(f = 0, 0, f) AS f, if(g = 0, 0, g) AS g, if(n = 0, 0, n) AS n, f AS m, n AS l FROM p',
  );
  const wheres = ['u = {v:UInt8}', 'u >= {v:UInt8}', '(u = {v:UInt8} OR id = 7)'];
  const chosen = ['f', 'g', 'n', 'm', 'l', 'if(u = 1, f * 1.5, g)'];
  for (const x of chosen) {
    const all = `min(${x}) AS a, max(${x}), maxIf(${x}, id > 20), minOrNull(${x}), quantileExact(0.3)(${x}), quantilesExactLow(0.1, 0.9)(${x}), quantile(0.3)(${x}), quantiles(0.1, 0.9)(${x})`;
    for (const where of wheres) {
      for (const sql of [
        `SELECT ${all} FROM z WHERE ${where}`,
        `SELECT s, ${all} FROM z WHERE ${where} GROUP BY s HAVING min(${x}) < 100 ORDER BY s, a`,
        `SELECT u, ${all} FROM z WHERE ${where} GROUP BY u ORDER BY max(${x}), u`,
      ]) {
        await expectExact(sql);
      }
    }
  }
});

describe('what DISTINCT and LIMIT BY keep of equal numbers', () => {
  const kept = [
    'SELECT DISTINCT x FROM t WHERE u = {v:UInt8} ORDER BY x',
    'SELECT DISTINCT x, s FROM t WHERE u >= {v:UInt8} ORDER BY x, s',
    'SELECT DISTINCT if(isFinite(x), x, 0) AS d FROM t WHERE x >= {v:UInt8} ORDER BY d',
    'SELECT id, x FROM t WHERE u = {v:UInt8} ORDER BY x, id LIMIT 1 BY x',
    'WITH r AS (SELECT x, u FROM t WHERE id > 3) SELECT DISTINCT x FROM r WHERE u = {v:UInt8} ORDER BY x',
    'SELECT DISTINCT a.x AS x FROM t AS a JOIN t AS b ON a.id = b.id WHERE a.u = {v:UInt8} ORDER BY x',
  ];
  const columns = ['f', 'g', 'n'];
  const over = (sql: string, column: string, table: string) =>
    sql.replace(/\bx\b/g, column).replace(/\bt\b/g, table);
  beforeAll(() =>
    laboratory.admin(
      'CREATE TABLE usual ENGINE = MergeTree ORDER BY id AS SELECT id, u, s, if(isNaN(f), nan, f + 0) AS f, if(isNaN(g), toFloat32(nan), toFloat32(g + 0)) AS g, if(isNaN(n), nan, n + 0) AS n FROM p',
    ),
  );

  it.each(kept)('is exact without -0 and unusual NaNs: %s', async (text) => {
    for (const column of columns) {
      const sql = over(text, column, 'usual');
      await expectExact(sql);
    }
  });

  it.each(kept)('is refused by the build with them, or before: %s', async (text) => {
    for (const column of columns) {
      const sql = over(text, column, 'p');
      const planned = await laboratory.plan({ sql });
      const stored =
        planned.kind === 'refusal'
          ? planned.reason
          : await laboratory.store(planned.plan).catch(String);
      expect(stored).toMatch(
        /(DISTINCT|LIMIT BY) of \S+.* (meets -0, or a NaN|0 and -0, or two NaNs)/,
      );
    }
  });

  it.each([
    'SELECT DISTINCT avg(u) AS y FROM p WHERE u >= {v:UInt8} GROUP BY s ORDER BY y',
    'SELECT DISTINCT s, f, count() AS c FROM p WHERE id >= {v:UInt8} GROUP BY s, f ORDER BY f, s',
    'SELECT DISTINCT s, arrayJoin([avg(u), 0]) AS y FROM p WHERE u >= {v:UInt8} GROUP BY s ORDER BY y',
    'SELECT DISTINCT s, avg(id) AS y FROM p WHERE u >= {v:UInt8} GROUP BY ROLLUP (s) ORDER BY y',
    'SELECT s, max(f) AS y FROM p WHERE u >= {v:UInt8} GROUP BY s ORDER BY s LIMIT 1 BY y',
  ])('is refused for groups that may be one row or two: %s', async (sql) => {
    const planned = await laboratory.plan({ sql });
    const stored =
      planned.kind === 'refusal'
        ? planned.reason
        : await laboratory.store(planned.plan).catch(String);
    expect(stored).toMatch(
      /DISTINCT of floating point|(DISTINCT|LIMIT BY) of (f|max\(f\)) meets -0, or a NaN/,
    );
  });

  it('is exact for the greatest of a group under LIMIT BY', async () => {
    const sql =
      'SELECT s, max(g) AS y FROM usual WHERE u >= {v:UInt8} GROUP BY s ORDER BY s LIMIT 1 BY y';
    await expectExact(sql);
  });

  it.each([
    'SELECT DISTINCT ifNotFinite(f, 0) + 0 AS y FROM p WHERE u = {v:UInt8} ORDER BY y',
    'SELECT DISTINCT y FROM (SELECT u, ifNotFinite(n, 0) + 0 AS y FROM p) WHERE u = {v:UInt8} ORDER BY y',
    'SELECT id, f FROM p WHERE u = {v:UInt8} ORDER BY id LIMIT 1 BY ifNotFinite(f, 0) + 0',
    'SELECT DISTINCT toDecimal64(ifNotFinite(f, 0), 4) AS y FROM p WHERE u >= {v:UInt8} ORDER BY y',
    // Each group is one row, so DISTINCT changes nothing.
    'SELECT DISTINCT s, sum(if(isFinite(f), f, 0)) AS y FROM p WHERE u >= {v:UInt8} GROUP BY s ORDER BY s',
    'SELECT DISTINCT avg(if(isFinite(f), f, 0)) AS y FROM p WHERE u >= {v:UInt8}',
  ])('is exact over any numbers as the messages say to write it: %s', async (sql) => {
    await expectExact(sql);
  });
});
