/** Queries with variables in any place: the parts without variables are stored, and a read is the query over these. */
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { tablesOf } from '../../../src/model/materialization-plan.ts';
import { takeProjectIds } from '../../support/take-project-ids.ts';
import { type Laboratory, openLaboratory } from '../support/laboratory.ts';
import { planIn, storedBy } from '../support/plan-in.ts';
import { split, valuesOf } from '../support/split.ts';
import { createTables } from '../support/tables.ts';

let laboratory: Laboratory;

beforeAll(async () => {
  laboratory = await openLaboratory(inject('engine'), await takeProjectIds(inject('postgres')));
  await createTables(laboratory, 7);
  await laboratory.admin(
    'CREATE TABLE sampled (s String, i Int32) ENGINE = MergeTree ORDER BY sipHash64(s) SAMPLE BY sipHash64(s)',
  );
  await laboratory.admin('INSERT INTO sampled SELECT s, i FROM many');
  await laboratory.admin(
    'CREATE TABLE halves (id UInt32, s String, half Nullable(Float64)) ENGINE = MergeTree ORDER BY id',
  );
  await laboratory.admin(
    'INSERT INTO halves SELECT id, s, if(u = 1, NULL, (i * 2 + 1) / 4) FROM some',
  );
});

afterAll(() => laboratory?.close());

const planOf = (sql: string) => planIn(laboratory, { sql });

const sorted = (lines: readonly string[]) => [...lines.slice(0, 2), ...lines.slice(2).toSorted()];

describe('a read of pieces', () => {
  it.each(split)('%s', async (sql) => {
    const plan = await planOf(sql);
    const table = await laboratory.store(plan);
    for (const values of valuesOf(sql)) {
      const inline = await laboratory.run({ sql }, values);
      const read = await laboratory.read({ plan, table }, { sql }, values);
      expect(inline[0]).not.toMatch(/^error/);
      const isOrdered = /ORDER BY [^(){]*$/.test(sql);
      expect(isOrdered ? read : sorted(read)).toEqual(isOrdered ? inline : sorted(inline));
    }
    await laboratory.drop(table);
  });
});

describe('what is stored', () => {
  it.each([
    [
      'SELECT quantileExact(0.9)(half) FROM halves WHERE s = {x:String}',
      'quantileExact(0.9)(half + 0)',
    ],
    [
      'SELECT quantilesExact(0.1, 0.9)(half) FROM halves WHERE s IN (SELECT s FROM other WHERE w > {x:Int32})',
      'quantilesExact(0.1, 0.9)(half + 0)',
    ],
  ])('says with the levels what to write for -0: %s', async (sql, mend) => {
    const plan = await planOf(sql);
    expect(storedBy(plan).join()).toContain(`write ${mend}.`);
  });

  it('never holds -0 where the greatest of floating point numbers is read', async () => {
    const plan = await planOf(
      'SELECT max(half) FROM halves WHERE s IN (SELECT s FROM other WHERE w > {x:Int32})',
    );
    expect(storedBy(plan)[0]).toMatch(
      /^SELECT `s`, `half`, throwIf\(.*write max\(half \+ 0\)\.'\) AS __z0 FROM halves$/,
    );
    await laboratory.admin("INSERT INTO halves VALUES (1000, 'a', -0.)");
    await expect(laboratory.store(plan)).rejects.toThrow(/meets -0 in the data/);
    await laboratory.admin('ALTER TABLE halves DELETE WHERE id = 1000 SETTINGS mutations_sync = 1');
  });

  it.each([
    'SELECT max(half * 2) FROM halves WHERE s IN (SELECT s FROM other WHERE w > {x:Int32})',
    'SELECT id FROM halves WHERE half = (SELECT max(half) FROM halves) AND s IN (SELECT s FROM other WHERE w > {x:Int32})',
    'SELECT m FROM (SELECT s, max(half) AS m FROM halves GROUP BY s) WHERE s IN (SELECT s FROM other WHERE w > {x:Int32})',
  ])('is chosen from a table that each sync checks for -0 otherwise: %s', async (sql) => {
    const { sourceChecks = [] } = await planOf(sql);
    expect(sourceChecks.map(({ countFaults }) => countFaults)).toEqual([
      expect.stringMatching(
        /^SELECT countIf\(.*\(1 \/ \(`half`\)\) < 0.*\) FROM `project_\d+`\.`halves`$/,
      ),
    ]);
  });

  it.each([
    'SELECT max(h) FROM (SELECT -half AS h, half FROM halves) WHERE half > 1 AND s IN (SELECT s FROM other WHERE w > {x:Int32})',
    'SELECT max(half) FROM (SELECT half * -1 AS half, s FROM halves) AS h WHERE s IN (SELECT s FROM other WHERE w > {x:Int32})',
    'SELECT max(half), any(o.*) FROM (SELECT * FROM halves) AS o WHERE s IN (SELECT s FROM other WHERE w > {x:Int32})',
  ])('is refused where that cannot be seen: %s', async (sql) => {
    expect(await laboratory.plan({ sql })).toMatchObject({ kind: 'refusal' });
  });

  it('is a share of the rows of a table, not a number of them, which conditions change', async () => {
    for (const share of ['1/2', '0.25 OFFSET 1/2', '1']) {
      const plan = await planOf(
        `SELECT sum(i) AS n FROM sampled SAMPLE ${share} WHERE s = {x:String}`,
      );
      expect(storedBy(plan).join()).toContain(' SAMPLE ');
    }
    for (const rows of ['2', '10000', '10 OFFSET 1/2', '1/10 OFFSET 1000']) {
      const sql = `SELECT sum(i) AS n FROM sampled SAMPLE ${rows} WHERE s = {x:String}`;
      expect(await laboratory.plan({ sql })).toMatchObject({
        kind: 'refusal',
        reason: expect.stringMatching(
          /^In SAMPLE, .* is a number of rows.*; write a share, as in SAMPLE 1\/10 OFFSET 1\/2 \(line 1, column 33\)\.$/,
        ),
      });
    }
  });

  it.each([
    [
      'count() * any(_sample_factor)',
      /^The column _sample_factor is not stored; write its number, /,
    ],
    ['quantileTDigest(0.5)(i)', /quantileExact/],
  ])('of a share is refused with %s for what is wrong with that', async (aggregate, reason) => {
    const sql = `SELECT ${aggregate} AS n FROM sampled SAMPLE 1/10 WHERE s = {x:String}`;
    expect(await laboratory.plan({ sql })).toMatchObject({
      kind: 'refusal',
      reason: expect.stringMatching(reason),
    });
  });

  it('is joined and filtered as far as no variable is needed for it, with the columns that a read uses', async () => {
    const plan = await planOf(
      'SELECT q.i FROM few AS q, other AS o WHERE q.s = o.s AND q.u = 1 AND o.w > (SELECT max(w) FROM other WHERE g = {x:String})',
    );
    expect(storedBy(plan)).toEqual([
      'SELECT `q`.`i` AS `i`, `o`.`w` AS `w` FROM few AS q, other AS o WHERE (q.s = o.s) AND (q.u = 1)',
      'SELECT g AS __v1000, max(w) AS __a1000 FROM other GROUP BY g',
    ]);
  });

  it('are the tables one by one where nothing but variables connects them', async () => {
    const plan = await planOf('SELECT q.i FROM few AS q JOIN other AS o ON q.i = o.w + {x:Int32}');
    expect(storedBy(plan)).toEqual(['SELECT `i` FROM few AS q', 'SELECT `w` FROM other AS o']);
  });

  it('is the source of a join with itself, not all pairs of its rows', async () => {
    const t = 'SELECT s, i, max(n) AS m FROM some GROUP BY s, i';
    const joined = (from: string) =>
      `SELECT a.s, a.m, b.m FROM ${from} WHERE a.i = {x:Int32} AND b.i = {x:Int32} - 1`;
    const once = async (sql: string) => storedBy(await planOf(sql));
    const named = `WITH t AS (${t}) ${joined('t AS a, t AS b')} AND a.s = b.s`;
    const subqueries = joined(`(${t}) AS a JOIN (${t}) AS b ON a.s = b.s`);
    for (const sql of [named, subqueries]) expect(await once(sql)).toEqual([t]);
    const rows =
      'SELECT a.id, b.id FROM some AS a JOIN few AS k ON k.s = a.s JOIN some AS b ON b.s = k.s WHERE a.u = {x:UInt8} AND b.u = {y:UInt8}';
    expect(await once(rows)).toHaveLength(3);
  });

  it('is the whole join of something with itself where variables choose rows of one side, or of different ends', async () => {
    const one =
      'SELECT a.id, b.id FROM some AS a JOIN some AS b ON b.s = a.s WHERE a.u = {x:UInt8}';
    const ends =
      'SELECT q.id FROM few AS q JOIN other AS a ON q.i = a.w JOIN other AS b ON q.u = b.w WHERE a.g = {x:String} AND b.g = {y:String}';
    for (const sql of [one, ends]) expect(storedBy(await planOf(sql))).toHaveLength(1);
  });

  it('is sorted by what variables are compared with, also where it is joined', async () => {
    const keysOf = async (sql: string) =>
      tablesOf(await planOf(sql)).map((table) => table.sortingKey);
    expect(
      await keysOf(
        'SELECT c, count() FROM (SELECT q.s AS s, count() AS c FROM few AS q LEFT JOIN (SELECT s, max(w) AS w FROM other GROUP BY s) AS o ON q.s = o.s WHERE q.lc = {x:String} AND q.i > {y:Int32} AND o.w < {y:Int32} GROUP BY s) GROUP BY c',
      ),
    ).toEqual([['__v0', '__v1', '__v2']]);
    expect(
      await keysOf(
        'SELECT q.id FROM few AS q JOIN other AS o ON q.i = o.w + {y:Int32} WHERE q.s = {x:String} AND o.g IN ({x:String}, {z:String})',
      ),
    ).toEqual([['s'], ['g']]);
  });

  it('are groups before HAVING, sorted by what variables are compared with', async () => {
    const plan = await planOf(
      'SELECT id FROM few WHERE s IN (SELECT s FROM some WHERE u > 1 GROUP BY s HAVING sum(i) > {x:Int32})',
    );
    expect(tablesOf(plan)).toEqual([
      { storedQuery: 'SELECT `id`, `s` FROM few', sortingKey: ['s'] },
      {
        storedQuery: 'SELECT s AS __k0, sum(i) AS __a0 FROM some WHERE (u > 1) GROUP BY s',
        sortingKey: ['__a0'],
      },
    ]);
  });

  it('is the result of a subquery without variables, once for each text', async () => {
    const plan = await planOf(
      'WITH t AS (SELECT s, max(i) AS m FROM some GROUP BY s) SELECT a.s FROM t AS a JOIN t AS b ON a.m = b.m + {x:Int32} WHERE a.m > (SELECT avg(i) FROM few)',
    );
    expect(storedBy(plan)).toEqual([
      'SELECT s, max(i) AS m FROM some GROUP BY s',
      'SELECT avg(i) FROM few',
    ]);
  });

  it('is not sorted by what the index would have to convert', async () => {
    const keyOf = async (condition: string) =>
      (await planOf(`SELECT id * {n:UInt8} AS n FROM few WHERE ${condition} ORDER BY id`))
        .sortingKey;
    expect(await keyOf('s = {x:String} AND i > {y:Int32}')).toEqual(['s', 'i']);
    expect(await keyOf('t64 > {x:DateTime}')).toEqual([]);
    expect(await keyOf('s = {x:String} AND s != concat(lc, {x:String})')).toEqual([]);
  });
});

describe('refused', () => {
  it.each([
    // Tables that are not read through FROM.
    'SELECT id FROM few WHERE s IN one OR i > (SELECT max(i) FROM few WHERE s = {x:String})',
    // Where a row is stored.
    'SELECT _part_offset * {x:UInt8} AS at FROM some ORDER BY id',
    // What depends on the order of rows.
    'SELECT DISTINCT s FROM few ORDER BY i LIMIT {x:UInt8}',
    'SELECT q.id FROM few AS q ANY LEFT JOIN other AS o ON q.s = lower(o.s) AND o.w > {x:Int32}',
    'SELECT any(s) > {x:String} FROM few',
    'SELECT arraySort(groupArray(f)) AS a FROM few WHERE i > {x:Int32} OR s = {y:String}',
    'SELECT id FROM few WHERE s IN (SELECT s FROM some LIMIT 3) OR i = {x:Int32}',
    // What differs with the time or with the run.
    'SELECT quantile(0.5)(toUnixTimestamp(now()) - i) > {x:UInt32} FROM few',
    'SELECT rand() > {x:UInt32} FROM few',
  ])('%s', async (sql) => {
    expect(await laboratory.plan({ sql })).toMatchObject({ kind: 'refusal' });
  });
});
