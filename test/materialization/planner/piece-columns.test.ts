/** Which columns the tables of a query in pieces store where a `*` stands in it, and that their reads give what the query gives. */
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { tablesOf } from '../../../src/model/materialization-plan.ts';
import { takeProjectIds } from '../../support/take-project-ids.ts';
import { type Laboratory, openLaboratory } from '../support/laboratory.ts';
import { planReadWith } from '../support/plan-in.ts';
import { createTables } from '../support/tables.ts';

let laboratory: Laboratory;

beforeAll(async () => {
  laboratory = await openLaboratory(inject('engine'), await takeProjectIds(inject('postgres')));
  await createTables(laboratory, 13);
});

afterAll(() => laboratory?.close());

/** The columns of each table of the plan, after reads with several values have given what the query gives. */
async function storedBy(sql: string): Promise<readonly string[]> {
  const values = [-6, 0, 3, 9].map((x) => ({ x }));
  const plan = await planReadWith(laboratory, sql, values);
  return tablesOf(plan).map(({ storedQuery }) => columnsOf(storedQuery));
}

/** Every column is written as `name` or `source`.`name` AS `name`. */
function columnsOf(storedQuery: string): string {
  const items = storedQuery.slice('SELECT '.length, storedQuery.indexOf(' FROM '));
  return items
    .split(', ')
    .map((item) => item.split(' ').at(-1)?.replaceAll('`', ''))
    .join(' ');
}

const every = 'id s ns lc lcn i n u big d ts t64 dec f fi b e arr';
describe('a `*` over a subquery that names its columns', () => {
  it.each([
    `SELECT * FROM (SELECT lc, row_number() OVER (PARTITION BY lc ORDER BY id) AS k FROM many WHERE i > {x:Int32}) AS q WHERE k < 3 ORDER BY lc, k`,
    `WITH q AS (SELECT lc, row_number() OVER (PARTITION BY lc ORDER BY id) AS k FROM many WHERE i > {x:Int32}) SELECT * FROM q WHERE k < 3 ORDER BY lc, k`,
    `WITH q AS (SELECT lc, row_number() OVER (PARTITION BY lc ORDER BY id) AS k FROM many WHERE i > {x:Int32}), r AS (SELECT * FROM q) SELECT * FROM r WHERE k < 3 ORDER BY ALL`,
    `SELECT q.* FROM (SELECT lc, row_number() OVER (PARTITION BY lc ORDER BY id) AS k FROM many WHERE i > {x:Int32}) AS q WHERE k < 3 ORDER BY lc, k`,
    `SELECT COLUMNS('k|l') FROM (SELECT lc, row_number() OVER (PARTITION BY lc ORDER BY id) AS k FROM many WHERE i > {x:Int32}) AS q WHERE k < 3 ORDER BY lc, k`,
    `SELECT * EXCEPT (lc) FROM (SELECT lc, row_number() OVER (PARTITION BY lc ORDER BY id) AS k FROM many WHERE i > {x:Int32}) AS q WHERE k < 3 ORDER BY lc, k`,
  ])('needs no others: %s', async (sql) => {
    expect(await storedBy(sql)).toEqual(['id lc i']);
  });

  it('needs no others of a join', async () => {
    const sql = `SELECT * FROM (SELECT lc, g, rank() OVER (PARTITION BY g ORDER BY id) AS k FROM many, other WHERE many.s = other.s AND i > {x:Int32}) WHERE k < 3 ORDER BY ALL`;
    expect(await storedBy(sql)).toEqual(['id lc i g']);
  });

  it('needs no others in a UNION', async () => {
    const half = (table: string) =>
      `SELECT * FROM (SELECT u, count() AS c FROM ${table} WHERE i + u > {x:Int32} AND u IN (SELECT u FROM few WHERE i > {x:Int32}) GROUP BY u)`;
    const sql = `SELECT * FROM (${half('many')} UNION ALL ${half('some')}) ORDER BY ALL`;
    expect(await storedBy(sql)).toEqual(['i u', 'i u', 'i u']);
  });
});

describe('a `*` in a subquery', () => {
  it.each([
    [
      'of FROM',
      `SELECT lc, rank() OVER (ORDER BY lc, id) AS k FROM (SELECT * FROM many WHERE i > {x:Int32}) ORDER BY lc, k`,
      'id lc i',
    ],
    [
      'in a CTE',
      `WITH q AS (SELECT * FROM many WHERE i > {x:Int32}) SELECT lc, rank() OVER (ORDER BY lc, id) AS k FROM q ORDER BY lc, k`,
      'id lc i',
    ],
    [
      'in a CTE of a CTE',
      `WITH q AS (SELECT * FROM many), r AS (SELECT *, i + 1 AS j FROM q WHERE i > {x:Int32}) SELECT lc, j, rank() OVER (ORDER BY lc, id) AS k FROM r ORDER BY lc, k`,
      'id lc i',
    ],
    [
      'with another column in its place',
      `SELECT i, rank() OVER (ORDER BY id) AS k FROM (SELECT * REPLACE (u AS i) FROM many WHERE id IN (SELECT id FROM many WHERE i > {x:Int32})) ORDER BY i, k`,
      'id i u',
    ],
  ])('%s selects what is used', async (_where, sql, columns) => {
    const [first] = await storedBy(sql);
    expect(first).toBe(columns);
  });

  it('in EXISTS selects what is compared', async () => {
    const alone = `SELECT * FROM other WHERE other.s = few.s AND w > {x:Int32}`;
    expect(await storedBy(`SELECT lc FROM few WHERE EXISTS (${alone}) ORDER BY lc`)).toEqual([
      's lc',
      's w',
    ]);
    const joined = `SELECT * FROM many, other WHERE many.lc = other.g AND other.s = few.s AND w > {x:Int32}`;
    expect(await storedBy(`SELECT lc FROM few WHERE NOT EXISTS (${joined}) ORDER BY lc`)).toEqual([
      's lc',
      's lc __c18 w',
    ]);
  });
});

describe('of a Nested', () => {
  beforeAll(() =>
    laboratory.admin(
      "CREATE TABLE nested (id UInt32, q Nested(a UInt32, b String, c String), `p.a` UInt8, `p.b.c` UInt8, t Tuple(x UInt8, y UInt8)) ENGINE = MergeTree ORDER BY id AS SELECT number, [number, number % 3], ['k', toString(number)], ['', 'z'], number % 5, number % 4, (number % 7, 1) FROM numbers(40)",
    ),
  );
  const ranked = 'rank() OVER (ORDER BY id) AS k';
  const where = 'WHERE id + 1 > {x:Int32} ORDER BY id';

  it.each([
    [`SELECT q.a, ${ranked} FROM nested ${where}`, 'id q.a'],
    [`SELECT n.q.a AS o, n.p.b.c, ${ranked} FROM nested AS n ${where}`, 'id q.a p.b.c'],
    [`SELECT \`q.b\`, p.a, t.x, ${ranked} FROM nested ${where}`, 'id q.b p.a t'],
    [`SELECT q.a, ${ranked} FROM nested ARRAY JOIN q ${where}, q.a`, 'id q.a q.b q.c'],
    [`SELECT o.a, ${ranked} FROM nested ARRAY JOIN q AS o ${where}, o.a`, 'id q.a q.b q.c'],
  ])('stores what is used: %s', async (sql, columns) => {
    expect(await storedBy(sql)).toEqual([columns]);
  });
});

describe('every column is stored', () => {
  it.each([
    [
      'of a result',
      `SELECT * FROM few WHERE i IN (SELECT i FROM some WHERE u > {x:Int32}) ORDER BY id`,
    ],
    [
      'of a join by the names that its tables share',
      `WITH q AS (SELECT * FROM other WHERE w > {x:Int32}) SELECT count() AS c FROM q NATURAL JOIN few HAVING c >= {x:Int32}`,
    ],
    [
      'of a result in a subquery',
      `SELECT * FROM (SELECT * FROM few WHERE i IN (SELECT i FROM some WHERE u > {x:Int32})) ORDER BY id`,
    ],
    [
      'of a result in a CTE',
      `WITH q AS (SELECT * FROM few), r AS (SELECT * FROM q) SELECT * FROM r WHERE i IN (SELECT i FROM some WHERE u > {x:Int32}) ORDER BY id`,
    ],
    [
      'where DISTINCT compares them',
      `SELECT g FROM (SELECT DISTINCT * FROM other WHERE w IN (SELECT i FROM some WHERE u > {x:Int32})) ORDER BY g`,
    ],
    [
      'where UNION DISTINCT compares them',
      `SELECT g FROM (SELECT * FROM other WHERE w IN (SELECT i FROM some WHERE u > {x:Int32}) UNION DISTINCT SELECT * FROM other WHERE w > {x:Int32}) ORDER BY g`,
    ],
    [
      'where a function takes them',
      `SELECT h FROM (SELECT cityHash64(*) AS h FROM few WHERE i IN (SELECT i FROM some WHERE u > {x:Int32})) ORDER BY h`,
    ],
    [
      'where their positions count',
      `SELECT lc FROM some WHERE (id, s, ns, lc, lcn, i, n, u, big, d, ts, t64, dec, f, fi, b, e, arr) IN (SELECT * FROM few WHERE i IN (SELECT i FROM some WHERE u > {x:Int32})) ORDER BY lc`,
    ],
  ])('%s', async (_why, sql) => {
    const [first] = await storedBy(sql);
    expect([every, 's w g']).toContain(first);
  });
});
