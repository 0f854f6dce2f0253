import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { ServiceError } from '../../../src/errors/service-error.ts';
import { planMaterialization } from '../../../src/materialization/planner/plan-materialization.ts';
import type { SqlAnalysis } from '../../../src/sql/sql-analysis.ts';
import { takeProjectIds } from '../../support/take-project-ids.ts';
import { type Laboratory, openLaboratory, type Query } from '../support/laboratory.ts';
import { planIn } from '../support/plan-in.ts';
import { refusals } from '../support/refused.ts';
import { createTables } from '../support/tables.ts';

let laboratory: Laboratory;
let projectId: number;

beforeAll(async () => {
  projectId = await takeProjectIds(inject('postgres'));
  laboratory = await openLaboratory(inject('engine'), projectId);
  await createTables(laboratory);
});

afterAll(() => laboratory?.close());

const planOf = (query: Query | string) =>
  planIn(laboratory, typeof query === 'string' ? { sql: query } : query);

describe('a query without variables', () => {
  it('is stored as it is', async () => {
    expect(await planOf('SELECT s, i FROM few -- all of it\n;')).toEqual({
      storedQuery: 'SELECT * FROM (SELECT s, i FROM few) AS querydock_rows(__c0, __c1)',
      sortingKey: [],
      readQuery: 'SELECT __c0 AS `s`, __c1 AS `i` FROM __querydock_stored_table',
      predicates: [],
      aggregates: [],
    });
  });

  it('keeps the order of its rows as a number', async () => {
    const plan = await planOf('SELECT s FROM few ORDER BY i DESC, id LIMIT 5');
    expect(plan.storedQuery).toMatch(/^SELECT \*, rowNumberInAllBlocks\(\) AS __n FROM \(/);
    expect(plan.readQuery).toMatch(/ ORDER BY __n ASC$/);
    expect(plan.sortingKey).toEqual(['__n']);
  });
});

describe('a query whose rows are stored', () => {
  it('holds what the variables are compared with, and is filtered, ordered and cut at the read', async () => {
    const plan = await planOf(
      'SELECT id, upper(s) AS name FROM few WHERE s = {x:String} AND u > 1 AND i BETWEEN {lo:Int32} AND {hi:Int32} ORDER BY d DESC, id LIMIT 5 OFFSET 1',
    );
    expect(plan).toMatchObject({
      storedQuery:
        'SELECT * FROM (SELECT id, upper(s) AS name, s AS __v0, i AS __v1, d AS __s0 FROM few WHERE (u > 1)) AS querydock_rows(__c0, __c1, __v0, __v1, __s0)',
      readQuery:
        'SELECT __c0 AS `id`, __c1 AS `name` FROM __querydock_stored_table WHERE (__v0 = {x:String}) AND (__v1 >= {lo:Int32}) AND (__v1 <= {hi:Int32}) ORDER BY __s0 DESC, __c0 ASC LIMIT 1, 5',
      sortingKey: ['__v0', '__v1'],
    });
    expect(plan.predicates[1]).toEqual({
      variable: 'lo',
      expression: 'i',
      operator: '>=',
      column: '__v1',
      condition: 'i >= {lo:Int32}',
    });
  });

  it('is sorted by single values, then sets, then stretches, then the rest', async () => {
    const plan = await planOf(
      'SELECT id FROM few WHERE s LIKE {p:String} AND d < {to:Date} AND lc IN {l:Array(String)} AND {n:Int32} = i AND f > {f:Float64}',
    );
    expect(plan.sortingKey).toEqual(['__v3', '__v2', '__v1', '__v0']);
  });

  it.each([
    ['s = {x:String} ORDER BY d, id LIMIT 5', ['__v0', '__s0', '__c0']],
    ['s = {x:String} ORDER BY d DESC, i DESC', ['__v0', '__s0', '__s1']],
    // Up to the first column in another direction, of a type that no key has, or with NULL at the other end.
    ['s = {x:String} ORDER BY d DESC, id LIMIT 5', ['__v0', '__s0']],
    ['s = {x:String} ORDER BY d, f, id LIMIT 5', ['__v0', '__s0']],
    ['s = {x:String} ORDER BY ns DESC, id DESC LIMIT 5', ['__v0']],
    ['s = {x:String} ORDER BY ns, id LIMIT 5', ['__v0', '__s0', '__c0']],
    ['s = {x:String} ORDER BY d NULLS FIRST LIMIT 5', ['__v0']],
    ['s = {x:String} ORDER BY s, d LIMIT 5', ['__v0', '__s0']],
    ['s = {x:String} ORDER BY d WITH FILL', ['__v0']],
    ['s = {x:String} ORDER BY d LIMIT 1 BY d', ['__v0']],
    // After a range only if they start with it.
    ['s = {x:String} AND d >= {from:Date} ORDER BY d, id LIMIT 5', ['__v0', '__v1', '__c0']],
    ['i > {n:Int32} AND d >= {from:Date} ORDER BY d, id LIMIT 5', ['__v1', '__c0', '__v0']],
    ['d >= {from:Date} ORDER BY i, id LIMIT 5', ['__v0']],
    ['s IN {x:Array(String)} ORDER BY d, id LIMIT 5', ['__v0']],
    ['s IN {x:Array(String)} AND d >= {from:Date} ORDER BY d, id LIMIT 5', ['__v0', '__v1']],
    // A pattern may match rows anywhere and an optional condition may not apply: the first of many rows are found soon.
    ["({x:String} = '' OR s = {x:String}) ORDER BY d, id LIMIT 5", ['__s0', '__c0', '__v0']],
    ["({x:String} = '' OR s = {x:String}) ORDER BY d, id", ['__v0']],
    ["({x:String} = '' OR s = {x:String}) AND d >= {from:Date} ORDER BY d", ['__v1', '__v0']],
    ['({d:Nullable(Date)} IS NULL OR d > {d:Nullable(Date)}) ORDER BY d LIMIT 5', ['__v0']],
    ['s LIKE {x:String} ORDER BY d, id LIMIT 5', ['__s0', '__c0', '__v0']],
    ['s LIKE {x:String} ORDER BY d, id', ['__v0']],
  ])('is sorted like the query where a read can use it: %s', async (condition, key) => {
    expect((await planOf(`SELECT id FROM few WHERE ${condition}`)).sortingKey).toEqual(key);
  });

  it('is sorted by times of another type, which the index reads in the column’s own', async () => {
    const plan = await planOf(
      'SELECT id FROM few WHERE t64 < {a:DateTime} AND d >= {b:DateTime} AND ts >= {c:DateTime} AND f = {d:Float64} AND u > {e:Int64}',
    );
    expect(plan.sortingKey).toEqual(['__v0', '__v1', '__v2', '__v4']);
    expect(plan.readQuery).toContain('(identity(__v0) < {a:DateTime}) AND ((__v0 <= CAST(');
    expect(plan.readQuery).toContain('(identity(__v1) >= {b:DateTime}) AND ((__v1 >= CAST(');
    expect(plan.readQuery).toContain('AND (__v2 >= {c:DateTime}) AND');
  });

  it('is read with the functions around a variable, and with the time of the run', async () => {
    const plan = await planOf(
      "SELECT id FROM few WHERE lower(s) LIKE concat('%', lower({p:String}), '%') AND ts > now() - INTERVAL {n:UInt8} DAY",
    );
    expect(plan.readQuery).toContain("(__v0 LIKE concat('%', lower({p:String}), '%'))");
    expect(plan.readQuery).toContain('(__v1 > (now() - toIntervalDay({n:UInt8})))');
  });

  it('leaves relative dates of its own to each sync', async () => {
    const plan = await planOf(
      'SELECT id FROM few WHERE ts > now() - INTERVAL 7 DAY AND s = {x:String}',
    );
    expect(plan.storedQuery).toContain('WHERE (ts > (now() - toIntervalDay(7)))');
  });

  it.each([
    ['an expression of WITH', 'WITH now() - INTERVAL 7 DAY AS since', 'since'],
    ['a subquery', '', '(SELECT now() - INTERVAL 7 DAY)'],
    ['a CTE', 'WITH c AS (SELECT now() - INTERVAL 7 DAY AS since)', '(SELECT since FROM c)'],
  ])('also where %s holds them and only WHERE uses it', async (_what, before, since) => {
    const query = `${before} SELECT s, count() AS n FROM few WHERE ts > ${since}`;
    const whole = await planOf(`${query} GROUP BY s`);
    expect(whole.storedQuery).toContain('now()');
    expect(whole.readQuery).not.toContain('now()');
    const filtered = await planOf(`${query} AND s = {x:String} GROUP BY s`);
    expect(filtered.storedQuery).toContain('now()');
    expect(filtered.readQuery).not.toContain('now()');
  });

  it.each([
    ['an expression of WITH', 'WITH now() - INTERVAL {n:UInt8} DAY AS since', 'since'],
    ['a subquery', '', '(SELECT now() - INTERVAL {n:UInt8} DAY)'],
    [
      'a CTE',
      'WITH c AS (SELECT now() - INTERVAL {n:UInt8} DAY AS since)',
      '(SELECT since FROM c)',
    ],
  ])('and leaves those with a variable in %s to each run', async (_what, before, since) => {
    const plan = await planOf(
      `${before} SELECT s, count() AS n FROM few WHERE ts > ${since} GROUP BY s`,
    );
    expect(plan.storedQuery).not.toContain('now()');
    expect(plan.readQuery).toContain('now() - toIntervalDay({n:UInt8})');
  });

  it('takes windows that stay within one value of each variable', async () => {
    const plan = await planOf(
      'SELECT id, row_number() OVER (PARTITION BY s ORDER BY id) AS n FROM few WHERE s IN {x:Array(String)}',
    );
    expect(plan.storedQuery).toContain('OVER (PARTITION BY s ORDER BY id ASC) AS n, s AS __v0');
  });

  it('keeps variables in their own spelling', async () => {
    const plan = await planOf({
      sql: 'SELECT id FROM few WHERE i > {variables.least} AND lc IN ({ variables.names })',
      definitions: {
        least: { code_name: 'least', type: 'Number' },
        names: { code_name: 'names', type: 'List' },
      },
    });
    expect(plan.readQuery).toContain(
      '(__v0 > {variables.least}) AND (__v1 IN ({variables.names}))',
    );
  });
});

describe('variables in the legacy spelling', () => {
  const sql =
    'SELECT lc, count(), sum(i), uniqExact(s) FROM many WHERE i = {variables.number} AND s IN ({variables.names}) AND d >= {variables.from} GROUP BY lc ORDER BY lc';
  const definitions = {
    number: { code_name: 'number', type: 'Number' },
    names: { code_name: 'names', type: 'List' },
    from: { code_name: 'from', type: 'Date' },
  };

  it.each([
    { number: 1, names: ['a', 'b'], from: '2024-01-31' },
    { number: 1, names: [], from: '2024-02-01' },
    { number: 1.5, names: ['a'], from: '2024-01-31' },
    { number: '170141183460469231731687303715884105727', names: ['a'], from: '2024-01-31' },
    { number: -2, names: ['', 'a', 'zz'], from: '2024-02-01T12:00:00Z' },
  ])('read the same with %j', async (values) => {
    const query = { sql, definitions };
    const plan = await planOf(query);
    const table = await laboratory.store(plan);
    const inline = await laboratory.run(query, values);
    expect(inline[0]).not.toMatch(/^error/);
    expect(await laboratory.read({ plan, table }, query, values)).toEqual(inline);
  });
});

describe('approximate counts', () => {
  it('are the same from parts where they are estimates', async () => {
    await laboratory.admin(
      'CREATE TABLE crowd (id UInt64, v UInt16) ENGINE = MergeTree ORDER BY id',
    );
    await laboratory.admin(
      'INSERT INTO crowd SELECT cityHash64(number), number % 500 FROM numbers(300000)',
    );
    const sql =
      'SELECT uniq(id), uniqCombined(id), uniqCombined64(id), uniqHLL12(id) FROM crowd WHERE v < {x:UInt16}';
    const plan = await planOf(sql);
    const table = await laboratory.store(plan);
    for (const x of [0, 20, 130, 499]) {
      expect(await laboratory.read({ plan, table }, { sql }, { x })).toEqual(
        await laboratory.run({ sql }, { x }),
      );
    }
  });
});

describe('a grouping query', () => {
  it('stores final groups where each read takes one value of each variable', async () => {
    const plan = await planOf(
      'SELECT lc, count() AS n FROM few WHERE s = {x:String} GROUP BY lc HAVING n > 1 ORDER BY n DESC',
    );
    expect(plan).toMatchObject({
      storedQuery:
        'SELECT * FROM (SELECT lc, count() AS n, s AS __v0 FROM few GROUP BY lc, s HAVING n > 1) AS querydock_rows(__c0, __c1, __v0)',
      readQuery:
        'SELECT __c0 AS `lc`, __c1 AS `n` FROM __querydock_stored_table WHERE (__v0 = {x:String}) ORDER BY __c1 DESC',
      aggregates: [],
    });
  });

  it('stores aggregates in parts where a read takes several, and puts them together', async () => {
    const plan = await planOf(
      'SELECT toStartOfMonth(d) AS month, sum(i) / count() AS mean, uniq(s) FROM few WHERE d >= {from:Date} GROUP BY month HAVING count() > 1 ORDER BY month LIMIT 3',
    );
    expect(plan).toMatchObject({
      storedQuery:
        'SELECT * FROM (SELECT toStartOfMonth(d) AS month, d AS __v0, sum(i) AS __a0, count() AS __a1, uniqState(s) AS __a2 FROM few GROUP BY month, d) AS querydock_rows(__c0, __v0, __a0, __a1, __a2)',
      readQuery:
        'SELECT __c0 AS `month`, sum(__a0) / sum(__a1) AS `mean`, uniqMerge(__a2) AS `uniq(s)` FROM __querydock_stored_table WHERE (__v0 >= {from:Date}) GROUP BY __c0 HAVING sum(__a1) > 1 ORDER BY __c0 ASC LIMIT 3',
    });
    expect(plan.aggregates).toContainEqual({ expression: 'uniq(s)', stored: 'uniqState(s)' });
  });

  it('groups by what conditions of aggregates compare, and stores once what these have in common', async () => {
    const plan = await planOf(
      "SELECT lc, countIf(toDate(ts) = {x:Date}) AS a, countIf(toDate(ts) < {x:Date} AND s = 'a') AS b, sumIf(i, lc = {y:String}) AS c, count() AS n FROM few WHERE toDate(ts) <= {x:Date} GROUP BY lc",
    );
    expect(plan).toMatchObject({
      storedQuery:
        "SELECT * FROM (SELECT lc, toDate(ts) AS __v0, s = 'a' AS __d0, count() AS __a0, sum(i) AS __a2, count() AS __a3 FROM few GROUP BY lc, toDate(ts), s = 'a') AS querydock_rows(__c0, __v0, __d0, __a0, __a2, __a3)",
      readQuery:
        'SELECT __c0 AS `lc`, sumIf(__a0, __v0 = {x:Date}) AS `a`, sumIf(__a0, (__v0 < {x:Date}) AND __d0) AS `b`, sumIf(__a2, __c0 = {y:String}) AS `c`, sum(__a3) AS `n` FROM __querydock_stored_table WHERE (__v0 <= {x:Date}) GROUP BY __c0',
    });
  });

  it('compares with the name of an item', async () => {
    const plan = await planOf(
      'SELECT toDate(ts) AS day, count() FROM few WHERE day >= {from:Date} GROUP BY day',
    );
    expect(plan.storedQuery).toContain('SELECT toDate(ts) AS day, count(), day AS __v0 FROM');
    expect(plan.storedQuery).toContain('GROUP BY day, day)');
  });

  it.each([
    ['the key by its name', 'toDate(ts) AS day', 'day', 'toDate(ts) >= {x:Date}'],
    ['the key by its number', 'toDate(ts) AS day', '1', 'toDate(ts) >= {x:Date}'],
    ['a key of its own', 'count() AS n', 'toDate(ts)', 'toDate(ts) IN {x:Array(Date)}'],
    ['a function of the key', 'd', 'd', 'toStartOfMonth(d) = {x:Date}'],
    ['a function of two keys', 's, lc', 's, lc', "concat(s, '/', lc) LIKE {x:String}"],
    ['a result that hides its column', 'i % 3 AS i', 'i', 'i % 3 > {x:Int32}'],
    ['a key beside one value', 'd', 'd', 'd < {x:Date} AND s = {y:String} AND s != {z:String}'],
  ])('stores final groups where variables ask for %s', async (_what, item, key, where) => {
    const sql = `SELECT ${item}, uniqExact(i), avg(i) FROM few WHERE ${where} GROUP BY ${key}`;
    const plan = await planOf(sql);
    expect(plan.aggregates).toEqual([]);
    expect(plan.readQuery).not.toContain('GROUP BY');
  });

  it.each([
    ['what is finer than the key', 'toStartOfMonth(d) AS m', 'm', 'd >= {x:Date}'],
    ['a column beside the key', 'd', 'd', 'd >= {x:Date} AND i > {y:Int32}'],
    ['floating point keys, where 0 and -0 may be one group', 'f', 'f', 'f IN {x:Array(Float64)}'],
    ['another column of a join', 'q.s', 'q.s', 'o.s > {x:String}'],
  ])('stores aggregates in parts where variables ask for %s', async (_what, item, key, where) => {
    const from = key === 'q.s' ? 'few AS q JOIN other AS o ON q.u = o.w' : 'few';
    const sql = `SELECT ${item}, count() AS n FROM ${from} WHERE ${where} GROUP BY ${key}`;
    expect((await planOf(sql)).aggregates).toEqual([{ expression: 'count()', stored: 'count()' }]);
  });

  it('has one row without GROUP BY, also when nothing matches', async () => {
    const sql =
      "SELECT 'all' AS what, count(), max(s), avg(i), min(n) FROM few WHERE s = {x:String}";
    const plan = await planOf(sql);
    const table = await laboratory.store(plan);
    const values = { x: 'nowhere' };
    const read = await laboratory.read({ plan, table }, { sql }, values);
    expect(read).toEqual(await laboratory.run({ sql }, values));
    expect(read.at(-1)).toBe('["all", 0, "", null, null]');
  });

  it('keeps an item’s name that hides a column', async () => {
    const sql = 'SELECT 2 AS i, sum(i) AS total FROM few WHERE u > {x:UInt8}';
    const plan = await planOf(sql);
    const table = await laboratory.store(plan);
    expect(await laboratory.read({ plan, table }, { sql }, { x: 0 })).toEqual(
      await laboratory.run({ sql }, { x: 0 }),
    );
  });
});

describe('variables in one CTE or subquery', () => {
  it('are moved up into the main WHERE', async () => {
    const plan = await planOf(
      'WITH e AS (SELECT * FROM few WHERE lower(s) = {x:String} AND u > 0) SELECT lc, count() FROM e GROUP BY lc',
    );
    expect(plan.storedQuery).toContain(
      'FROM (SELECT *, lower(s) AS __h00 FROM few WHERE (u > 0)) AS e GROUP BY lc, __h00',
    );
    expect(plan.predicates).toMatchObject([{ variable: 'x', expression: 'lower(s)' }]);
  });

  it('pass through groups that = keeps apart', async () => {
    const plan = await planOf(
      'SELECT max(n) FROM (SELECT lc, count() AS n FROM few WHERE s = {x:String} GROUP BY lc)',
    );
    expect(plan.storedQuery).toContain('GROUP BY lc, s');
  });
});

describe('a refusal', () => {
  it.each(refusals)('$sql', async ({ sql, says }) => {
    const result = await laboratory.plan({ sql });
    expect(result).toEqual({ kind: 'refusal', reason: expect.stringMatching(says) });
  });

  const sql = 'SELECT s, i FROM few WHERE u = {x:UInt8}';
  const planWith = (analysis: SqlAnalysis) =>
    planMaterialization({ projectId, sql, definitions: new Map() }, analysis);

  it('is reported when the engine does not keep the meaning of a text', async () => {
    const { analysis } = laboratory;
    const format = async (text: string) => (await analysis.format(text)).replace('s, i', 'i, s');
    expect(await planWith({ ...analysis, format })).toEqual({
      kind: 'refusal',
      reason: expect.stringMatching(
        /is read in another way once the engine has formatted the query/,
      ),
    });
  });

  it('names the column that would come back in another type', async () => {
    const { analysis } = laboratory;
    const describe: SqlAnalysis['describe'] = async (text, params) => {
      const columns = await analysis.describe(text, params);
      const isRead = text.includes('AS `i`') || text.includes('__querydock_piece');
      return isRead ? columns.map((c) => ({ ...c, type: 'Int8' })) : columns;
    };
    expect(await planWith({ ...analysis, describe })).toEqual({
      kind: 'refusal',
      reason: expect.stringMatching(/^The column s would be read back with another type or name/),
    });
  });

  it('is not what an engine that cannot respond gets', async () => {
    const gone = new ServiceError('engine_unavailable', 'The engine is not available.');
    const planned = planWith({ ...laboratory.analysis, format: () => Promise.reject(gone) });
    await expect(planned).rejects.toBe(gone);
  });
});
