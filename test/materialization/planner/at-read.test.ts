/** What a read computes over the stored groups: variables outside of WHERE, conditions of aggregates, windows, ROLLUP. */
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { takeProjectIds } from '../../support/take-project-ids.ts';
import { type Laboratory, openLaboratory, type Values } from '../support/laboratory.ts';
import { withNearSums } from '../support/near-sums.ts';
import { createTables } from '../support/tables.ts';

let laboratory: Laboratory;
beforeAll(async () => {
  laboratory = await openLaboratory(inject('engine'), await takeProjectIds(inject('postgres')));
  await createTables(laboratory, 3);
});
afterAll(() => laboratory?.close());

const numbers: readonly Values[] = [
  { n: 0, x: 0 },
  { n: 1, x: 2 },
  { n: 3, x: 0 },
  { n: 50, x: 9 },
];
const texts: readonly Values[] = ['a', 'zz', 'x', 'none'].map((t) => ({ t, x: 1 }));

/** Variables where the read computes. */
const variables: readonly (readonly [sql: string, values: readonly Values[]])[] = [
  ...[
    's, count() AS c FROM many GROUP BY s HAVING count() > {n:UInt32} ORDER BY c DESC, s',
    's, count() AS c FROM many WHERE u > {x:UInt8} GROUP BY s HAVING c > {n:UInt32} AND sum(i) < 100 ORDER BY s',
    's, count() AS c FROM many WHERE u > {x:UInt8} GROUP BY s ORDER BY c DESC, s LIMIT {n:UInt64}',
    's, count() AS c FROM many GROUP BY s ORDER BY c DESC, s LIMIT {n:UInt64} OFFSET {x:UInt64}',
    'id, s FROM many WHERE u > {x:UInt8} ORDER BY id LIMIT {n:UInt64}',
    "s, if(count() > {n:UInt32}, 'big', 'small') AS size, sum(i) * {x:Float64} AS w FROM many GROUP BY s ORDER BY s",
    'sum(i) / {n:UInt32} AS r FROM many WHERE u > {x:UInt8}',
    's, sum(i) * {x:Int32}, count() + {n:UInt32} FROM many GROUP BY s ORDER BY s',
    'max(i) - {x:UInt8}, count() FROM many WHERE u > {x:UInt8} HAVING count() > {n:UInt32}',
    'DISTINCT if(count() > {n:UInt32}, 1, 0) AS big FROM many GROUP BY s ORDER BY big',
    's, sum(i) FROM many GROUP BY s ORDER BY if({n:UInt32} = 1, count(), max(id)) DESC, s LIMIT 3',
  ].map((rest) => [`SELECT ${rest}`, numbers] as const),
  [
    'WITH {n:UInt32} AS least SELECT s, count() AS c FROM many GROUP BY s HAVING c > least ORDER BY s',
    numbers,
  ],
  ['SELECT id, s, i FROM many ORDER BY id LIMIT {n:UInt64} BY s', numbers.slice(1)],
  ["SELECT concat(s, '-', {t:String}) AS k, count() FROM many GROUP BY s ORDER BY k", texts],
  ['SELECT {t:String} AS label, count() FROM many WHERE i > {x:Int32}', texts],
  [
    'SELECT upper(s) AS k, concat(k, {t:String}) AS l, count() FROM many GROUP BY k ORDER BY k',
    texts,
  ],
];

/** Conditions of aggregates, in a group and over all rows. */
const conditional = [
  'countIf(s = {t:String})',
  'countIf(n > 0 AND s = {t:String})',
  'sumIf(dec, lc = {t:String})',
  'sumIf(i, n > 0 OR s = {t:String})',
  'sum(i) FILTER (WHERE s != {t:String})',
  'sum(CASE WHEN s = {t:String} THEN i ELSE 0 END)',
  'sum(if(u > {x:UInt8}, big, 0)) / sum(u)',
  'sum(if(lower(s) = {t:String}, fi, 0))',
  'sum(multiIf(ns = {t:String}, i, 0))',
  'uniqIf(id, s != {t:String})',
  'uniqExactIf((id, s), s = {t:String})',
  'minIf(n, s = {t:String})',
  'maxIf(s, u > {x:UInt8})',
  'avgIf(i, s = {t:String} AND b)',
  'quantileExactIf(0.5)(i, s = {t:String})',
  'argMaxIf(s, id, lc = {t:String})',
  'arraySort(groupArrayIf(id, s = {t:String} AND i > 4))',
].map((text, at) => `${text} AS a${at}`);

const where = 'FROM many WHERE u > {x:UInt8}';
const clauses: readonly string[] = [
  `s, sum(count()) OVER () AS t, row_number() OVER (ORDER BY count() DESC, s) AS r, rank() OVER w AS k ${where} GROUP BY s WINDOW w AS (PARTITION BY s = 'a' ORDER BY sum(i)) ORDER BY s`,
  `s, lc, count() / sum(count()) OVER (PARTITION BY lc ORDER BY s ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS p ${where} GROUP BY s, lc ORDER BY s, lc`,
  `s, lc, count() AS c ${where} GROUP BY s, lc QUALIFY row_number() OVER (PARTITION BY lc ORDER BY c DESC, s) <= 2 ORDER BY lc, c DESC, s`,
  `s, lc, count() ${where} GROUP BY s, lc WITH ROLLUP ORDER BY s, lc, 3`,
  `upper(s) AS us, lc, concat(us, '!') AS e, sum(n) ${where} GROUP BY us, lc WITH CUBE ORDER BY us, lc, 4`,
  `s, lc, grouping(s) AS g, count() ${where} GROUP BY GROUPING SETS ((s, lc), (lc), ()) ORDER BY g, s, lc, 4`,
  `s, lc, count() ${where} GROUP BY ALL ORDER BY ALL`,
  `s, count() AS c ${where} GROUP BY s ORDER BY c LIMIT 2 WITH TIES`,
  `d, count() AS c ${where} GROUP BY d ORDER BY d WITH FILL FROM toDate('2024-01-28') TO toDate('2024-02-07')`,
  `id, i ${where} ORDER BY id WITH FILL TO 720`,
  `id, sum(i) OVER w AS t ${where.replace('>', '=')} WINDOW w AS (PARTITION BY u) QUALIFY row_number() OVER (PARTITION BY u ORDER BY id) <= 3 ORDER BY id`,
];

/** Their results change at the end of a year at most. */
const times: readonly (readonly [sql: string, stores: RegExp])[] = [
  [
    "SELECT s, dateDiff('year', max(ts), now()) AS age FROM many GROUP BY s ORDER BY s",
    /GROUP BY s\)/,
  ],
  [
    "SELECT s, dateDiff('year', max(ts), now()), count() FROM many WHERE u > {x:UInt8} GROUP BY s ORDER BY s",
    /GROUP BY s, u\)/,
  ],
  [
    'SELECT s, countIf(ts > now() - 60) AS c, countIf(ts < now()) AS d FROM many GROUP BY s ORDER BY s',
    /GROUP BY s, ts\)/,
  ],
  [
    'SELECT s FROM many GROUP BY s HAVING max(ts) < now() - 60 ORDER BY min(ts) > now(), s',
    /GROUP BY s\)/,
  ],
  [
    "SELECT dateDiff('year', ts, now()) AS y, count() FROM many WHERE u > {x:UInt8} GROUP BY y ORDER BY y",
    /^SELECT `u`, `ts` FROM many$/,
  ],
  [
    'WITH today() AS t SELECT s, toYear(t) FROM many WHERE u > {x:UInt8} AND ts < t GROUP BY s ORDER BY s',
    /^SELECT `s`, `u`, `ts` FROM many$/,
  ],
  [
    'WITH g AS (SELECT s, max(ts) AS m FROM many GROUP BY s) SELECT s, m < today() AS a FROM g ORDER BY s',
    /GROUP BY s$/,
  ],
  [
    "SELECT max(ts), toYear(now('UTC')), toYear(now64(3)), yesterday() < today() FROM many",
    /max\(ts\) AS __a0 FROM many\)/,
  ],
  [
    'SELECT d, count() FROM many WHERE u > {x:UInt8} GROUP BY d ORDER BY d WITH FILL TO toStartOfYear(today())',
    /GROUP BY d, u\)/,
  ],
  [
    'WITH now() AS t SELECT id, toYear(t) AS y FROM few WHERE ts < t ORDER BY id',
    /^SELECT `id`, `ts` FROM few$/,
  ],
  ['SELECT id, toYear((SELECT today())) AS y FROM few ORDER BY id', /^SELECT `id` FROM few$/],
  [
    'WITH c AS (SELECT today() AS t) SELECT id, toYear((SELECT t FROM c)) AS y FROM few WHERE d < (SELECT t FROM c) ORDER BY id',
    /^SELECT `id`, `d` FROM few$/,
  ],
  [
    'SELECT id FROM few CROSS JOIN (SELECT today() AS t) AS c WHERE d < c.t ORDER BY id',
    /^SELECT `id`, `d` FROM few$/,
  ],
  [
    'WITH c AS (SELECT max(d) AS m, today() AS t FROM few) SELECT id FROM few WHERE d < (SELECT t FROM c) ORDER BY id',
    /^SELECT /,
  ],
  [
    'SELECT s, row_number() OVER (ORDER BY max(ts) > now(), s) FROM many GROUP BY s ORDER BY s',
    /GROUP BY s\)/,
  ],
  [
    "SELECT * FROM (SELECT 'a' AS k, max(ts) < now() AS p FROM many UNION ALL SELECT 'b', count() > toYear(now()) FROM few) ORDER BY k",
    /^SELECT max\(ts\) AS __a0 FROM many$/,
  ],
];

async function compare(sql: string, values: readonly Values[]): Promise<number> {
  const planned = await laboratory.plan({ sql });
  if (planned.kind === 'refusal') throw new Error(`${sql}: ${planned.reason}`);
  const { plan } = planned;
  const table = await laboratory.store(plan);
  let rows = 0;
  for (const given of values) {
    const used = Object.entries(given).filter(([name]) => sql.includes(`{${name}:`));
    const one = Object.fromEntries(used);
    const inline = await laboratory.run({ sql }, one);
    const read = await laboratory.read({ plan, table }, { sql }, one);
    const sums = new Set(JSON.parse(inline[0] ?? '[]') as string[]);
    expect([sql, one, ...withNearSums(read, inline, sums)]).toEqual([sql, one, ...inline]);
    expect(inline[0]).not.toMatch(/^error/);
    rows += inline.length - 2;
  }
  await laboratory.drop(table);
  return rows;
}

it.each(variables)('%s', async (sql, values) => {
  expect(await compare(sql, values)).toBeGreaterThan(0);
});

it.each([
  ['over all rows', '', ''],
  ['in groups', 'u, ', ' GROUP BY u ORDER BY u'],
  ['in groups by what they compare', 's, ', ' GROUP BY s ORDER BY s'],
  ['beside a range', 'lc, ', ' WHERE id > {x:UInt8} GROUP BY lc ORDER BY lc'],
])('conditions of aggregates with variables, %s', async (_where, keys, tail) => {
  expect(
    await compare(`SELECT ${keys}${conditional.join(', ')} FROM many${tail}`, texts),
  ).toBeGreaterThan(0);
});

it.each(clauses)('SELECT %s', async (rest) => {
  expect(await compare(`SELECT ${rest}`, [{ x: 0 }, { x: 2 }, { x: 9 }])).toBeGreaterThan(0);
});

it.each(times)('%s', async (sql, stores) => {
  const planned = await laboratory.plan({ sql });
  expect(planned).toMatchObject({ plan: { storedQuery: expect.stringMatching(stores) } });
  expect(await compare(sql, [{ x: 0 }, { x: 2 }])).toBeGreaterThan(0);
});

it.each([
  'SELECT s, sum(i) * {x:Int32} FROM many GROUP BY s',
  'SELECT s, sum(i) * {x:Int32} AS n FROM many GROUP BY s',
])('%s stores groups, whether the product has a name or not', async (sql) => {
  expect(await laboratory.plan({ sql })).toMatchObject({
    plan: { aggregates: [{ expression: 'sum(i)', stored: 'sum(i)' }] },
  });
});

it('LIMIT without ORDER BY returns as many rows as inline', async () => {
  const sql = 'SELECT s, count() AS c FROM many WHERE u > {x:UInt8} GROUP BY s LIMIT 3';
  expect(await laboratory.plan({ sql })).toMatchObject({ kind: 'plan' });
  expect(
    await compare(`SELECT count() AS n FROM many WHERE u > {x:UInt8} LIMIT 3`, [{ x: 0 }]),
  ).toBe(1);
});

it('a part of a plan that differs is seen: the order of keys in ROLLUP, another condition', async () => {
  const plans = await Promise.all(
    ['s, lc', 'lc, s'].map((keys) =>
      laboratory.plan({ sql: `SELECT s, lc, count() ${where} GROUP BY ${keys} WITH ROLLUP` }),
    ),
  );
  const reads = plans.map((one) => (one.kind === 'plan' ? one.plan.readQuery : one.reason));
  expect(reads[0]).toContain('GROUP BY __c0, __c1 WITH ROLLUP');
  expect(reads[1]).toContain('GROUP BY __c1, __c0 WITH ROLLUP');
});

it.each([
  's, c FROM (SELECT s, any(lc) AS l, count() AS c FROM many GROUP BY s) WHERE c > {n:UInt32} ORDER BY s',
  'count() AS c FROM (SELECT id, row_number() OVER (PARTITION BY s) AS n, i FROM many) WHERE i > {x:Int32} LIMIT {n:UInt32}',
  'a.s, b.c FROM (SELECT DISTINCT s FROM many) AS a JOIN (SELECT s, groupArray(id) AS ids, sum(i) AS c FROM many GROUP BY s) AS b USING (s) WHERE c > {x:Int32} ORDER BY s',
])('a column that nothing uses may be any: SELECT %s', async (rest) => {
  expect(await compare(`SELECT ${rest}`, numbers)).toBeGreaterThan(0);
});

it.each([
  'SELECT s, count() AS n FROM (SELECT s, u FROM many WHERE u > {x:UInt8} LIMIT 1 BY s, u) GROUP BY s ORDER BY s',
  'SELECT count() AS n FROM (SELECT s FROM many WHERE u > {x:UInt8} LIMIT {n:UInt64})',
  'SELECT id FROM few WHERE 1 IN (SELECT 1 FROM many WHERE u > {x:UInt8} LIMIT 1) ORDER BY id',
  'SELECT sum(a) AS n FROM (SELECT 1 AS a FROM many WHERE u > {x:UInt8} LIMIT 2 BY s)',
])('a limit may take any of equal rows: %s', async (sql) => {
  expect(await compare(sql, numbers)).toBeGreaterThan(0);
});

it.each([
  'SELECT s, max(id) AS n FROM (SELECT s, id FROM many WHERE u > {x:UInt8} LIMIT 1 BY s) GROUP BY s',
  'SELECT count() AS n FROM (SELECT s FROM many WHERE u > {x:UInt8} LIMIT 1 BY s LIMIT 3) WHERE s != {t:String}',
])('a limit must not choose among rows that differ: %s', async (sql) => {
  expect(await laboratory.plan({ sql })).toMatchObject({
    reason: expect.stringMatching(
      /^A subquery, CTE or branch of UNION with LIMIT but without ORDER BY/,
    ),
  });
});

it('a query without variables may select a column that nothing uses, too', async () => {
  const sql =
    'SELECT s, c FROM (SELECT s, any(lc) AS l, count() AS c FROM many GROUP BY s) ORDER BY s';
  expect(await compare(sql, [{}])).toBeGreaterThan(0);
});

it.each([
  's, arrayMap(v -> v * 2 + {x:Int32}, quantilesExact(0.1, 0.9)(i)) AS q FROM many GROUP BY s ORDER BY s',
  's, arrayFilter((v, w) -> v != w, [max(i), 1], [min(i), {n:Int32}]) AS q FROM many WHERE u > {x:UInt8} GROUP BY s ORDER BY s',
])('a lambda stands around aggregates: SELECT %s', async (rest) => {
  expect(await compare(`SELECT ${rest}`, numbers.slice(1))).toBeGreaterThan(0);
});

it.each([
  's, l FROM (SELECT s, any(lc) RESPECT NULLS AS l FROM many GROUP BY s) WHERE length(s) > {n:UInt32}',
  's FROM (SELECT s, any(lc) RESPECT NULLS AS l FROM many GROUP BY s) WHERE l != {t:String}',
  's FROM (SELECT s, any(lc) RESPECT NULLS AS l FROM many GROUP BY s ORDER BY l LIMIT 2) WHERE s != {t:String}',
  's FROM (SELECT s, any(lc) RESPECT NULLS AS l FROM many GROUP BY s HAVING l > s) WHERE s != {t:String}',
  's FROM (SELECT DISTINCT s, any(id) RESPECT NULLS AS l FROM many GROUP BY s, u) WHERE s != {t:String}',
  'count() FROM (SELECT s, row_number() OVER (PARTITION BY s) AS n, i FROM many) WHERE i > {x:Int32} AND n > 1',
])('a column that is used must be the same each time: SELECT %s', async (rest) => {
  expect(await laboratory.plan({ sql: `SELECT ${rest}` })).toMatchObject({ kind: 'refusal' });
});
