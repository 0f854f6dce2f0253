/** By what the tables of a query in pieces are sorted, and that the index finds the rows that the query finds. */
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { tablesOf } from '../../../src/model/materialization-plan.ts';
import { takeProjectIds } from '../../support/take-project-ids.ts';
import { type Laboratory, openLaboratory, type Values } from '../support/laboratory.ts';
import { planReadWith } from '../support/plan-in.ts';
import { createTables } from '../support/tables.ts';

let laboratory: Laboratory;

beforeAll(async () => {
  laboratory = await openLaboratory(inject('engine'), await takeProjectIds(inject('postgres')));
  await createTables(laboratory, 11);
  await laboratory.admin(
    "ALTER TABLE many ADD COLUMN id16 FixedString(2) DEFAULT leftPad(toString(id % 90), 2, '0'), ADD COLUMN uuid UUID DEFAULT reinterpretAsUUID(toUInt128(id % 70)), ADD COLUMN d32 Date32 DEFAULT d - 30000, ADD COLUMN zoned DateTime('America/New_York') DEFAULT ts + (id % 5) * 3600, ADD COLUMN far Date32 DEFAULT toDate32(d) + (id % 3 - 1) * 40000, ADD COLUMN far64 DateTime64(3) DEFAULT toDateTime64(far, 3), ADD COLUMN late Date DEFAULT toDate(65535 - id % 40)",
  );
});

afterAll(() => laboratory?.close());

/** The keys of the plan's tables, after reads with those values that the query uses have given what it gives. */
async function keysOf(sql: string, values: readonly Values[]) {
  const used = values.map((all) =>
    Object.fromEntries(Object.entries(all).filter(([name]) => sql.includes(`{${name}:`))),
  );
  const plan = await planReadWith(laboratory, sql, used);
  return tablesOf(plan).map(({ sortingKey }) => sortingKey);
}

describe('values that a subquery finds', () => {
  const limits = [-6, 0, 4, 9].map((x) => ({ x }));
  const found = (column: string, other = column) =>
    keysOf(
      `SELECT id FROM many WHERE ${column} IN (SELECT ${other} FROM many WHERE id < 25 AND i > {x:Int32}) ORDER BY id`,
      limits,
    );

  it.each('id u i big s lc lcn ns n d d32 ts zoned t64 dec e id16 uuid b'.split(' '))(
    'are looked up in the sorting key: %s',
    async (column) => {
      expect(await found(column)).toEqual([[column], ['i']]);
    },
  );

  it.each([
    ['u', 'i'],
    ['u', 'big'],
    ['i', 'u'],
    ['i', 'n'],
    ['big', 'i'],
    ['lc', 's'],
    ['s', 'lcn'],
    ['ns', 'lc'],
  ])('are looked up in that of another type: %s and %s', async (column, other) => {
    expect(await found(column, other)).toEqual([[column], ['i']]);
  });

  it.each([
    ['fi', 'fi'],
    ['n', 'i'],
    ['i', 'b'],
    ['u', 'fi'],
    ['ts', 't64'],
    ['ts', 'zoned'],
    ['d', 'ts'],
    ['d32', 'd'],
    ['u + 1', 'u'],
    ['(u, b)', '(u, b)'],
    ['b = u', 'b'],
  ])('are compared with all rows: %s and %s', async (column, other) => {
    expect(await found(column, other)).toEqual([[], ['i']]);
  });

  it('are compared with all rows where they exclude or are part of a condition', async () => {
    for (const condition of [
      'u NOT IN (SELECT u FROM many WHERE id < 25 AND i > {x:Int32})',
      'u IN (SELECT u FROM many WHERE id < 25 AND i > {x:Int32}) = b',
      'u IN (SELECT u FROM many WHERE id < 25 AND i > {x:Int32}) OR b',
    ]) {
      const sql = `SELECT id FROM many WHERE ${condition} ORDER BY id`;
      expect(await keysOf(sql, limits)).toEqual([[], ['i']]);
    }
  });

  it.each(['', 'LEFT ', 'RIGHT ', 'FULL '])(
    'are looked up in that of a joined table: %sJOIN',
    async (kind) => {
      const top =
        'WITH top AS (SELECT u AS k, max(i) AS m FROM many WHERE i > {x:Int32} GROUP BY u ORDER BY k LIMIT 2)';
      for (const from of [
        `top ${kind}JOIN many AS t ON t.u = top.k`,
        `many AS t ${kind}JOIN top ON t.u = top.k`,
      ]) {
        for (const found of ['(SELECT m FROM top)', '(SELECT i FROM few WHERE i > {x:Int32})']) {
          const sql = `${top} SELECT t.id AS id, m FROM ${from} WHERE t.i IN ${found} ORDER BY id, m`;
          expect((await keysOf(sql, limits))[1]).toEqual(['i']);
        }
      }
    },
  );

  it.each([
    ['(u, ts)', 'u, ts', ['u', 'ts']],
    ['(s, n, d)', 's, n, d', ['s', 'n', 'd']],
    ['(lc, ns, uuid, big)', 'lc, ns, uuid, big', ['lc', 'ns', 'uuid', 'big']],
    ['(u, i)', 'i, u', ['u', 'i']],
    ['(u, u, b)', 'u, i, b', ['u', 'b']],
    ['(m.u, m.i)', 'u, max(i) OVER (PARTITION BY u)', ['u', 'i']],
    ['(u, fi)', 'u, fi', ['u']],
    ['(u + 1, n)', 'u + 1, n', ['n']],
    ['(d, ts)', 'd32, ts', []],
    ['(u, u + 1)', 'u, u + 1', []],
  ] as const)('are looked up as tuples, too: %s and %s', async (tuple, others, key) => {
    const sql = `SELECT id FROM many AS m WHERE ${tuple} IN (SELECT ${others} FROM many WHERE id < 25 AND i > {x:Int32}) ORDER BY id`;
    const [columns = [], filtered] = await keysOf(sql, limits);
    expect([new Set(columns), filtered]).toEqual([new Set(key), ['i']]);
  });

  it.each([
    'SELECT id FROM many WHERE (u, i) GLOBAL IN (SELECT u, i FROM few WHERE i > {x:Int32}) AND u = {u:UInt8} ORDER BY id',
    'WITH some AS (SELECT u, i FROM few WHERE i > {x:Int32}) SELECT id FROM many WHERE (u, i) IN some AND u = {u:UInt8} ORDER BY id',
    'SELECT id FROM many AS m WHERE m.u = {u:UInt8} AND (m.u, m.i, m.ts) IN (SELECT u, i, max(ts) FROM many WHERE u = {u:UInt8} GROUP BY u, i) ORDER BY id',
  ])('leave a column of the tuple in front that is compared with one value: %s', async (sql) => {
    const values = limits.map(({ x }) => ({ x, u: Math.abs(x) % 4 }));
    const [key = []] = await keysOf(sql, values);
    expect(key.slice(0, 2)).toEqual(['u', 'i']);
  });

  it('are compared with all rows where tuples are excluded or equal one', async () => {
    for (const condition of [
      '(u, i) NOT IN (SELECT u, i FROM few WHERE i > {x:Int32})',
      '(u, i) = (SELECT u, i FROM few WHERE i > {x:Int32} ORDER BY id LIMIT 1)',
    ]) {
      const sql = `SELECT id FROM many WHERE ${condition} ORDER BY id`;
      expect(await keysOf(sql, limits)).toEqual([[], ['i']]);
    }
  });

  it('are behind ranges and what is compared with one value', async () => {
    const sql =
      'SELECT id FROM many WHERE s IN (SELECT s FROM other WHERE w > {x:Int32}) AND ts >= {from:DateTime} AND u = {u:UInt8} ORDER BY id';
    const values = [0, 2, 4].map((x) => ({ x, u: x % 3, from: `2024-02-01 00:00:0${x % 3}` }));
    expect(await keysOf(sql, values)).toEqual([['u', 'ts', 's'], ['w']]);
  });
});

describe('the one value that a subquery finds', () => {
  const values = [-6, 0, 4, 9].map((x) => ({ x, u: Math.abs(x) % 4 }));
  const one = (column: string, at = 'max') =>
    `(SELECT ${at}(${column}) FROM few WHERE i > {x:Int32})`;

  it.each('id u i big s ns n d d32 ts zoned t64 dec e uuid b'.split(' '))(
    'is found by the sorting key: %s',
    async (column) => {
      const of = `(SELECT ${column} FROM many WHERE i > {x:Int32} AND id < 25 ORDER BY id LIMIT 1)`;
      const sql = `SELECT id FROM many WHERE ${column} = ${of} ORDER BY id`;
      expect(await keysOf(sql, values)).toEqual([[column], ['i']]);
    },
  );

  it.each([
    `SELECT id FROM many WHERE i >= ${one('i', 'min')} AND i < ${one('i')} ORDER BY id`,
    `SELECT id FROM many AS m WHERE m.i <= ${one('u')} ORDER BY id`,
    `SELECT id FROM many WHERE ts > ${one('ts', 'min')} AND i > {x:Int32} ORDER BY id`,
    `WITH ${one('i')} AS last SELECT id FROM many WHERE i = last ORDER BY id`,
    `WITH ${one('i')} AS last, (SELECT count() FROM many WHERE i >= (last)) AS c SELECT id, c, last FROM many WHERE i = last ORDER BY id`,
    'WITH some AS (SELECT i FROM few WHERE i > {x:Int32}) SELECT id FROM many WHERE i IN some ORDER BY id',
    'WITH some AS (SELECT i, u FROM few WHERE i > {x:Int32}) SELECT id FROM many WHERE i IN (SELECT i FROM some WHERE u < 2) ORDER BY id',
    'SELECT id FROM many WHERE i GLOBAL IN (SELECT i FROM few WHERE i > {x:Int32}) ORDER BY id',
  ])('is found by that of ranges, WITH and CTEs too: %s', async (sql) => {
    const [key] = await keysOf(sql, values);
    expect(['i', 'ts']).toContain(key?.[0]);
  });

  const early = (column: string) =>
    `(SELECT max(${column}) FROM many WHERE i > {x:Int32} AND id < 25)`;

  it.each([
    ['i', `i >= ${early('i')} - 3 AND i <= negate(${early('u')}) + 5`],
    ['i', `i > least(${early('i')}, {x:Int32}) + toInt32({u:UInt8})`],
    ['big', `big < ${early('big')} * 2`],
    ['d', `d > addDays(${early('d')}, -{u:UInt8})`],
    ['d', `d > ${early('d')} - 2`],
    ['ts', `ts >= ${early('ts')} - INTERVAL {u:UInt8} SECOND`],
    ['t64', `t64 >= subtractMilliseconds(${early('t64')}, 2)`],
    ['s', `s = lower(concat(${early('s')}, ''))`],
    ['n', `n = ${early('n')} - 1`],
    ['uuid', `uuid = toUUID(toString(${early('uuid')}))`],
    ['far', `far <= ${early('far')} + 3`],
    ['late', `late > ${early('late')} + 30`],
  ])('is found where it is computed of that value, too: %s by %s', async (column, condition) => {
    const [key] = await keysOf(`SELECT id FROM many WHERE ${condition} ORDER BY id`, values);
    expect(key).toEqual([column]);
  });

  it.each([
    `WITH ${one('i')} - 3 AS last, last - 1 AS before SELECT id FROM many WHERE i > last OR i = before ORDER BY id`,
    `WITH found AS (SELECT max(ts) AS at FROM few WHERE i > {x:Int32}) SELECT id FROM many WHERE ts > (SELECT at FROM found) - 4 AND ts <= (SELECT at FROM found) - toIntervalSecond(1) ORDER BY id`,
  ])('is found where it is computed in WITH: %s', async (sql) => {
    expect(await keysOf(sql, values)).toEqual([[expect.stringMatching(/^(?:i|ts)$/)], ['__v1000']]);
  });

  it.each([
    `SELECT id FROM many WHERE i != ${one('i')} ORDER BY id`,
    `SELECT id FROM many WHERE i + 1 = ${one('i')} ORDER BY id`,
    `SELECT id FROM many WHERE NOT (i = ${one('i')}) ORDER BY id`,
    `SELECT id FROM many WHERE u = ${one('fi')} ORDER BY id`,
    `SELECT id FROM many WHERE d = ${one('ts')} ORDER BY id`,
    `SELECT id FROM many WHERE d >= ${one('ts')} - 2 ORDER BY id`,
    `SELECT id FROM many WHERE u = ${one('fi')} + 1 ORDER BY id`,
    `SELECT id FROM many WHERE i > ${one('i')} + u ORDER BY id`,
    `SELECT id FROM many WHERE i = (${one('i')} IN (1, 2)) ORDER BY id`,
    'SELECT id FROM many AS m WHERE i = (SELECT max(o.i) FROM few AS o WHERE o.u = m.u AND o.i > {x:Int32}) + 1 ORDER BY id',
    `SELECT id FROM many WHERE ts > ${one('ts', 'min')} AND toDate(ts) > toDate(${one('ts', 'min')}) ORDER BY id`,
    `WITH i AS last SELECT id FROM many WHERE last = i AND i < ${one('i')} + u ORDER BY id`,
    'SELECT id FROM many AS m WHERE i = (SELECT max(o.i) FROM few AS o WHERE o.u = m.u AND o.i > {x:Int32}) ORDER BY id',
  ])('is compared with all rows otherwise: %s', async (sql) => {
    const keys = await keysOf(sql, values);
    expect(keys.filter((key) => key.some((name) => /^(?:u|d|ts)$/.test(name)))).toEqual([]);
    expect(keys[0]).toEqual([]);
  });
});

describe('a variable that WITH names', () => {
  const values = [-6, 0, 4, 9].map((x) => ({ x, u: Math.abs(x) % 4 }));
  const of = (names: string, condition: string, items = 'id') =>
    keysOf(
      `WITH ${names}, (SELECT count() FROM few WHERE i > {x:Int32}) AS c SELECT ${items}, c FROM many WHERE ${condition} ORDER BY id`,
      values,
    );

  it.each([
    ['{u:UInt8} AS chosen', 'u = chosen', ['u']],
    ['{x:Int32} AS low, low + {u:UInt8} AS high', 'i BETWEEN low AND high', ['i']],
    ['{x:Int32} AS least, toUInt8({u:UInt8} + 1) AS next', 'i > least AND u = next', ['u', 'i']],
  ])('is compared as the variable itself: %s', async (names, condition, key) => {
    expect((await of(names, condition))[0]).toEqual(key);
    expect((await of(names, condition, 'id, b'))[0]).toEqual(key);
  });

  it('is found in a condition that WITH names', async () => {
    const names = '{u:UInt8} AS chosen, u = chosen AND i > {x:Int32} AS is_chosen';
    expect((await of(names, 'is_chosen'))[0]).toEqual(['u', 'i']);
    expect((await of(names, 'is_chosen AND b', 'id, is_chosen'))[0]).toEqual(['u', 'i']);
    expect((await of('i > {x:Int32} AS is_chosen', 'NOT is_chosen'))[0]).toEqual([]);
  });

  it('is found beside keys with variables', async () => {
    const sql =
      'WITH {u:UInt8} AS chosen, u = chosen AND i > {x:Int32} AS is_chosen, i - {x:Int32} AS at, count() AS total, total / (1 + chosen) AS share SELECT at, share FROM many WHERE is_chosen GROUP BY at ORDER BY at';
    expect(await keysOf(sql, values)).toEqual([['u', 'i']]);
  });

  it('gives its name to a column', async () => {
    expect((await of('{u:UInt8} AS chosen', 'u = chosen', 'id, chosen'))[0]).toEqual(['u']);
    expect((await of('{u:UInt8} AS chosen', 'u = chosen', 'id, chosen + 1'))[0]).toEqual([]);
  });

  it('is another one than a column of its name', async () => {
    expect((await of('{u:UInt8} AS i', 'u = {u:UInt8} AND i < 3'))[0]).toEqual(['u']);
  });

  it('leaves the groups of SELECTs that it chooses to be stored', async () => {
    const sql =
      'WITH {u:UInt8} AS chosen, (SELECT count() FROM many WHERE u = chosen) AS c SELECT s, count() / c FROM many WHERE u = chosen GROUP BY s ORDER BY s';
    expect(await keysOf(sql, values)).toEqual([['__v0'], ['__v1000']]);
  });
});

describe('a column that is compared with a type that the index converts', () => {
  const values = [-6, 0, 4, 9].map((x) => ({ x, u: Math.abs(x) % 4, s: ['a', 'b'][x % 2] ?? '' }));

  it.each([
    'SELECT id, u AS a FROM many WHERE u >= {u:UInt8} AND a IN (SELECT b FROM few WHERE b) ORDER BY id',
    'SELECT id FROM (SELECT id, u AS a FROM many WHERE u >= {u:UInt8}) WHERE a IN (SELECT b FROM few WHERE i > {x:Int32}) ORDER BY id',
    'SELECT id FROM (SELECT id, u + 1 AS a FROM many WHERE u >= {u:UInt8}) WHERE a IN (SELECT b FROM few WHERE i > {x:Int32}) ORDER BY id',
    'WITH c AS (SELECT id, u FROM many WHERE u >= {u:UInt8} UNION ALL SELECT id, u FROM many WHERE u < {u:UInt8}) SELECT id FROM c WHERE u IN (SELECT b FROM few WHERE i > {x:Int32}) ORDER BY id',
    'SELECT id FROM (WITH some AS (SELECT b AS u, i FROM few) SELECT id FROM many WHERE u IN (SELECT u FROM some WHERE i > {x:Int32}) AND u >= {u:UInt8}) ORDER BY id',
    'SELECT id FROM (SELECT id, e AS a FROM many WHERE e IN (SELECT e FROM few WHERE i > {x:Int32})) WHERE a IN (SELECT s FROM many) ORDER BY id',
    "SELECT id FROM (SELECT id, e AS a FROM many WHERE e IN (SELECT e FROM few WHERE i > {x:Int32})) WHERE a LIKE concat({s:String}, '%') ORDER BY id",
    'SELECT id FROM (SELECT id, s AS a FROM many WHERE s >= {s:String}) WHERE a = (SELECT toFixedString(s, 9) FROM few WHERE i > {x:Int32} ORDER BY id LIMIT 1) ORDER BY id',
  ])('under another name is no key: %s', async (sql) => {
    expect((await keysOf(sql, values))[0]?.filter((name) => /^(?:u|e|s)$/.test(name))).toEqual([]);
  });

  it.each([
    'SELECT id FROM (SELECT id, u AS a FROM many WHERE u >= {u:UInt8}) WHERE a IN (SELECT i FROM few WHERE i > {x:Int32}) ORDER BY id',
    'SELECT id, u IN (SELECT b FROM few WHERE i > {x:Int32}) AS t FROM many WHERE u >= {u:UInt8} ORDER BY id',
  ])('is one where the types are the same or no row is left out: %s', async (sql) => {
    expect((await keysOf(sql, values))[0]).toContain('u');
  });
});

describe('a column', () => {
  const values = [-6, 0, 4, 9].map((x) => ({ x, p: ['a', 'z', '', 'none'][Math.abs(x) % 4] }));

  it('is a key if a correlated subquery uses it, too', async () => {
    const sql =
      'SELECT id FROM many AS m WHERE u IN (SELECT u FROM few WHERE i > {x:Int32}) AND i > (SELECT avg(o.i) FROM some AS o WHERE o.u = m.u AND o.i < {x:Int32}) ORDER BY id';
    expect(await keysOf(sql, values)).toEqual([['u'], ['i'], ['i']]);
  });

  it('is none if the type is one that the index converts', async () => {
    const sql =
      'SELECT id FROM many AS m WHERE d IN (SELECT d FROM few WHERE i > {x:Int32}) AND i > (SELECT avg(o.i) FROM some AS o WHERE o.d = m.d AND o.i < {x:Int32}) ORDER BY id';
    expect((await keysOf(sql, values))[0]).toEqual([]);
  });

  it('is the last of the key if it is compared with a pattern', async () => {
    const sql =
      "SELECT id * {x:Int32} AS n FROM many WHERE s LIKE concat({p:String}, '%') AND i < {x:Int32} ORDER BY id";
    expect(await keysOf(sql, values)).toEqual([['i', 's']]);
  });
});

describe('columns of combined conditions', () => {
  const values = [-6, 0, 3, 9].map((x) => ({
    x,
    y: (x + 6) % 5,
    s: ['a', 'z', '', 'none'][Math.abs(x) % 4],
    o: [null, 1, 0, null][Math.abs(x) % 4],
    list: [[], [1], [0, 2], [3]][Math.abs(x) % 4],
    ts: `2024-02-01 00:00:0${Math.abs(x) % 5}`,
  }));
  const of = async (condition: string) =>
    (
      await keysOf(
        `SELECT id FROM many WHERE (${condition}) AND id IN (SELECT id FROM some WHERE i > {x:Int32}) ORDER BY id`,
        values,
      )
    )[0]?.filter((column) => column !== 'id');

  it.each([
    ['u = {y:UInt8} OR u = {x:Int32}', ['u']],
    ['u = {y:UInt8} OR (u = {y:UInt8} - 1 AND i > 2) OR (u = {y:UInt8} + 1 AND i < 2)', ['u']],
    ['(u = {y:UInt8} AND s = {s:String}) OR (u = {x:Int32} AND s > {s:String})', ['u', 's']],
    ['(i BETWEEN {x:Int32} AND {x:Int32} + 2) OR i > {y:Int32} + 2', ['i']],
    ['ts < {ts:DateTime} OR ts = {ts:DateTime} + 1', ['ts']],
    ["lcn = {s:String} OR lcn IN ('p', {s:String})", ['lcn']],
    ["s LIKE concat({s:String}, '%') OR s = {s:String}", ['s']],
    ['u IN (SELECT u FROM few WHERE i > {x:Int32}) OR u = {y:UInt8}', ['u']],
    ['(u = {y:UInt8} OR u = {x:Int32}) AND (i = {x:Int32} OR i = {y:UInt8})', ['i', 'u']],
  ])('are keys if each alternative compares them: %s', async (condition, key) => {
    expect(await of(condition)).toEqual(key);
  });

  it.each([
    ['{o:Nullable(UInt8)} IS NULL OR u = {o:Nullable(UInt8)}', ['u']],
    ['empty({list:Array(UInt8)}) OR u IN {list:Array(UInt8)}', ['u']],
    ["{s:String} = '' OR (s = {s:String} AND i < {y:Int32})", ['s', 'i']],
    ['({o:Nullable(UInt8)} IS NULL OR u = {o:Nullable(UInt8)}) AND i > {x:Int32}', ['i', 'u']],
    ['{y:UInt8} > 3 OR u = {y:UInt8} OR u = {x:Int32}', ['u']],
    ['({y:UInt8} > 3 AND {x:Int32} < 0) OR ts >= {ts:DateTime}', ['ts']],
  ])('are behind the others if variables can leave them out: %s', async (condition, key) => {
    expect(await of(condition)).toEqual(key);
  });

  it.each([
    'u = {y:UInt8} OR i = {x:Int32}',
    'u = {y:UInt8} OR b',
    'u = {y:UInt8} OR u + 1 = {x:Int32}',
    'u = {y:UInt8} OR NOT (u = {x:Int32})',
    'u = {y:UInt8} OR u = i',
    '{y:UInt8} > (SELECT avg(u) FROM few) OR u = {y:UInt8}',
    'ts = {ts:DateTime} OR toDate(ts) > toDate({ts:DateTime})',
    't64 > {ts:DateTime} OR t64 < {ts:DateTime} - 1',
    '(toDate(ts) > toDate({ts:DateTime}) OR b) AND ts > {ts:DateTime}',
    "{s:String} = '' OR (ts, u) > ({ts:DateTime}, {y:UInt8})",
    'b OR (u, i) IN (({y:UInt8}, {x:Int32}), (1, 2))',
  ])('are none otherwise: %s', async (condition) => {
    expect(await of(condition)).toEqual([]);
  });
});

describe('a time of partial results that is compared with another type of time', () => {
  // Also the first and the last times of each type, and those around which conversions change them.
  beforeAll(() =>
    laboratory.admin(`CREATE TABLE edges ENGINE = MergeTree ORDER BY u AS
      SELECT toString(number % 3) AS s, toUInt8(number % 4) AS u, number % 2 AS b,
        toDate(toUInt16([0, 1, 19754, 19755, 65535, 65534, 49710, 49711, 3800][number % 9 + 1])) AS d,
        toDate32(toInt32([-25567, -25566, 0, 19754, 19755, 120529, 49710, 49711, -10240, 65535, 65536][number % 11 + 1])) AS d32,
        toDateTime(toUInt32([0, 1, 1706745602, 1706745603, 1706760000, 4294967295, 4294967294, 4294944000, 326332800, 1706731201][number % 10 + 1]), 'UTC') AS ts,
        toDateTime(ts, 'America/New_York') AS zoned,
        toDateTime64([-2208988800, 0, 1706745602.5, 1706745602, 4294967295, 4294967296, 10413791999.999, 1706745603, -883612800, 5662310400][number % 10 + 1], 3, 'UTC') AS t64
      FROM numbers(400)`),
  );
  const days = ['2024-02-01', '1970-01-01', '2149-06-06', '2106-02-07', '2024-02-02'];
  const seconds = ['2024-02-01 00:00:02', '2106-02-07 06:28:15', '2024-02-01 04:00:03'];
  const fractions = [
    '2024-02-01 00:00:02.500',
    '1900-01-01 00:00:00.000',
    '2024-02-02 00:00:00.000',
  ];
  const valuesOf = (times: readonly (string | null)[]) =>
    times.map((from, at) => ({ from, to: times[(at + 1) % times.length] ?? null, x: at }));
  const of = (condition: string, times: readonly (string | null)[]) =>
    keysOf(
      `WITH found AS (SELECT s, count() AS c FROM edges WHERE ${condition} GROUP BY s) SELECT s, c, (SELECT count() FROM edges WHERE ${condition}) AS c2 FROM found ORDER BY s`,
      valuesOf(times),
    );

  it.each([
    ['ts >= {from:Date} AND ts < {to:Date}', days],
    ['ts BETWEEN {from:Date32} AND {to:Date32}', [...days, '1900-01-01', '2299-12-31']],
    ['ts <= {from:DateTime64(3)}', fractions],
    ['ts > {from:Nullable(Date)}', [...days, null]],
    ['t64 >= {from:DateTime}', seconds],
    ['t64 = {from:Date}', days],
    ['d < {from:DateTime}', seconds],
    ['d32 >= {from:DateTime64(3)} AND d32 < {to:DateTime64(3)}', fractions],
    ['zoned >= {from:Date}', days],
  ])('is a key: %s', async (condition, times) => {
    expect(await of(condition, times)).toEqual([['__v0'], ['__v1000']]);
    const beside = await of(`${condition} AND u = {x:UInt8}`, times);
    expect(beside.map((key) => key.toSorted())).toEqual([
      ['__v0', '__v1'],
      ['__v1000', '__v1001'],
    ]);
  });

  it.each([
    ['toDate(ts) >= {from:Date} OR ts > {to:Date}', days],
    ['ts IN ({from:Date}, {to:Date}) = b', days],
  ])('is none in a part of a condition: %s', async (condition, times) => {
    expect((await of(condition, times)).flat()).not.toContain('__v0');
  });
});

describe('a time that the query also selects', () => {
  const some = 's IN (SELECT s FROM other WHERE w > {x:Int32})';
  const values = [0, 1, 2, 3].map((x) => ({
    x,
    from: `2024-02-01 00:00:0${x}`,
    day: '2024-02-01',
  }));
  /** By `ts`, or the column of partial results that holds it. */
  const isSorted = async (sql: string) =>
    (await keysOf(sql, values)).some((key) => key.some((name) => /^(?:ts|__v0)$/.test(name)));

  it.each([
    `SELECT toStartOfMinute(ts) AS minute, count() FROM many WHERE ${some} AND ts >= {from:DateTime} GROUP BY minute ORDER BY minute`,
    `SELECT ts, id FROM many WHERE ${some} AND ts >= {from:DateTime} AND ts < {from:DateTime} + 2 ORDER BY ts, id`,
    `SELECT day, c FROM (SELECT toDate(ts) AS day, count() AS c FROM many WHERE ${some} AND ts >= {from:DateTime} GROUP BY day) AS t WHERE c > 1 ORDER BY day`,
    `SELECT hour, g FROM (SELECT toStartOfHour(ts) AS hour, s FROM many WHERE ts >= {from:DateTime} GROUP BY hour, s) AS t INNER JOIN other AS o ON t.s = o.s WHERE o.w > {x:Int32} ORDER BY hour, g`,
    `SELECT max(ts) AS last FROM many WHERE ${some} AND ts >= {from:DateTime}`,
  ])('is a key: %s', async (sql) => {
    expect(await isSorted(sql)).toBe(true);
  });

  it.each([
    `SELECT day FROM (SELECT toDate(ts) AS day, count() AS c FROM many WHERE ${some} AND ts >= {from:DateTime} GROUP BY day) WHERE day <= {day:Date} ORDER BY day`,
    `SELECT toDate(ts) AS day, count() FROM many WHERE ${some} AND ts >= {from:DateTime} GROUP BY day HAVING day = {day:Date} ORDER BY day`,
    `SELECT * FROM (SELECT day AS other_day FROM (SELECT toDate(ts) AS day FROM many WHERE ${some} AND ts >= {from:DateTime})) WHERE other_day = {day:Date}`,
    `SELECT \`toDate(ts)\` FROM (SELECT toDate(ts) FROM many WHERE ${some} AND ts >= {from:DateTime}) WHERE \`toDate(ts)\` = {day:Date}`,
    `SELECT day FROM (SELECT toDate(ts) AS day FROM many WHERE ${some} AND ts >= {from:DateTime}) AS t INNER JOIN (SELECT DISTINCT d FROM many) AS o ON t.day = o.d ORDER BY day`,
    `SELECT d FROM (SELECT toDate(ts) AS d FROM many WHERE ${some} AND ts >= {from:DateTime}) AS t INNER JOIN (SELECT DISTINCT d FROM many) AS o USING (d) ORDER BY d`,
    `SELECT id FROM many WHERE ${some} AND ts >= {from:DateTime} AND toDate(ts) = {day:Date} ORDER BY id`,
    `WITH c(a, b) AS (SELECT toDate(ts), id FROM many WHERE ${some} AND ts >= {from:DateTime}) SELECT a, b FROM c WHERE a <= {day:Date} ORDER BY b`,
    `SELECT t.2 FROM (SELECT (toDate(ts), id) AS t FROM many WHERE ${some} AND ts >= {from:DateTime}) WHERE t.1 <= {day:Date} ORDER BY t`,
    `SELECT * FROM (SELECT * REPLACE (toDate(ts) AS ts) FROM many WHERE ${some} AND ts >= {from:DateTime}) WHERE ts <= {day:Date} ORDER BY id`,
    `SELECT count() FROM (SELECT * APPLY(toDate) FROM (SELECT ts FROM many WHERE ${some} AND ts >= {from:DateTime})) WHERE \`toDate(ts)\` <= {day:Date}`,
    `SELECT count() FROM (SELECT COLUMNS('^ts$') APPLY(toDate) FROM many WHERE ${some} AND ts >= {from:DateTime}) WHERE COLUMNS('ts') <= {day:Date}`,
    `SELECT x FROM (SELECT id AS x FROM few WHERE id > 1000 UNION ALL SELECT toUInt32(ts) FROM many WHERE ${some} AND ts >= {from:DateTime}) WHERE x > toUInt32({from:DateTime}) ORDER BY x`,
  ])('is none if another predicate may follow from it: %s', async (sql) => {
    expect(await isSorted(sql)).toBe(false);
  });
});

describe('a time that rows are sorted by as a type that does not hold all of them', () => {
  const values = ['1900-01-01', '1950-01-01', '2020-01-01'].map((from, x) => ({ from, x }));
  const of = (table: string, items: string, order: string, where: string) =>
    keysOf(
      `WITH (SELECT count() FROM few WHERE i > {x:Int32}) AS n SELECT ${items}, n FROM ${table} WHERE ${where} ORDER BY ${order} LIMIT 9`,
      values,
    );
  const sorted = (items: string, order: string, where = 'far >= {from:Date32}') =>
    of('many', items, order, where);

  beforeAll(() =>
    laboratory.admin(`CREATE TABLE odd ENGINE = MergeTree ORDER BY id AS
      SELECT toUInt32(number) AS id, toDateTime('2024-11-03 05:00:00', 'UTC') + number * 97 % 7200 AS clock,
        toTimeZone(clock, 'America/New_York') AS zoned,
        toDateTime64(clock, 3) + number % 1000 / 1000 AS fine, toInt64(number) - 9223372036854775808 AS least,
        toUInt64(number % 50) * 400000000000000000 AS wide,
        if(number % 3 = 0, least, toInt64(number) - 1000) AS n FROM numbers(3000)`),
  );

  it.each([
    ['id', 'toDate(far) DESC, id'],
    ['id', 'toDateTime(far) DESC, id'],
    ['id', 'toStartOfInterval(far, INTERVAL 1 MONTH) DESC, id'],
    ['DISTINCT toDate(far) AS day', 'day'],
    ['toDate(far) AS day, id', '1 DESC, 2'],
    ['id', 'toStartOfHour(far64) DESC, id', 'far64 >= {from:DateTime64(3)}'],
    ['id', 'toRelativeDayNum(far64) DESC, id', 'far64 >= {from:DateTime64(3)}'],
    ['id', 'toDateTime64(far, 9) DESC, id'],
    ['id', 'ts - INTERVAL 1 HOUR DESC, id', "ts >= toDateTime('2024-01-01 00:00:00') + {x:Int32}"],
    ['id', 'toStartOfDay(late) DESC, id', 'late >= {from:Date32}::Date'],
    ['id', 'late + INTERVAL 1 MONTH DESC, id', 'late >= {from:Date32}::Date'],
    ['id, count() OVER (ORDER BY toDate(far)) AS c', 'id'],
    ['id, count() OVER (PARTITION BY u ORDER BY toDateTime(far)) AS c', 'id'],
    ['id, max(id) OVER (PARTITION BY toDateTime(far)) AS c', 'id'],
    ['id', 'count() OVER (ORDER BY toStartOfHour(far64)), id', 'far64 >= {from:DateTime64(3)}'],
  ])('is no key: %s by %s', async (items, order, where = 'far >= {from:Date32}') => {
    expect((await sorted(items, order, where))[0]).toEqual([]);
  });

  it('is no key under another name', async () => {
    const sql =
      'WITH a AS (SELECT toDate(far) AS day, id FROM many WHERE far >= {from:Date32}) SELECT day, id, (SELECT count() FROM few WHERE i > {x:Int32}) AS n FROM a ORDER BY day DESC, id LIMIT 9';
    expect((await keysOf(sql, values))[0]).toEqual([]);
  });

  it.each([
    ['id', 'far DESC, id', 'far'],
    ['far AS day, id', 'day DESC, id', 'far'],
    ['id', 'toYear(far), id', 'far'],
    ['id', 'toDate(ts) DESC, id', 'ts', "ts >= toDateTime('2024-01-01 00:00:00') + {x:Int32}"],
    ['id, count() OVER (ORDER BY far) AS c, max(toDate(far)) OVER (ORDER BY id) AS m', 'id', 'far'],
  ])('is one otherwise: %s by %s', async (items, order, key, where = 'far >= {from:Date32}') => {
    expect((await sorted(items, order, where))[0]).toEqual([key]);
  });

  const day = "zoned >= toDateTime('2024-11-03 00:00:00', 'UTC') + {x:Int32}";
  it.each([
    ['toString(zoned) DESC, id', day],
    ['zoned::String DESC, id', day],
    ["toString(clock, 'America/New_York') DESC, id", day.replace('zoned', 'clock')],
    ["toYYYYMMDDhhmmss(toTimeZone(clock, 'Europe/Berlin')), id", day.replace('zoned', 'clock')],
    ['toMillisecond(fine), id', 'fine >= {from:DateTime64(3)}'],
    ['toMicrosecond(fine) DESC, id', 'fine >= {from:DateTime64(3)}'],
    ['-least, id', 'least <= {x:Int32}'],
    ['floor(least, -1) DESC, id', 'least <= {x:Int32}'],
    ['toDateTime(wide), id', 'wide >= {x:Int32}'],
    ['wide::DateTime DESC, id', 'wide >= {x:Int32}'],
  ])(
    'is no key, nor are other values of which the engine does not know the order: %s',
    async (order, where) => {
      expect((await of('odd', 'id', order, where))[0]).toEqual([]);
    },
  );

  it.each([
    ['toString(clock) DESC, id', day.replace('zoned', 'clock'), 'clock'],
    ["toString(zoned, 'UTC') DESC, id", day, 'zoned'],
    ['toStartOfHour(zoned) DESC, id', day, 'zoned'],
    ['least + 1 DESC, id', 'least <= {x:Int32}', 'least'],
    ['wide * 2 DESC, id', 'wide >= {x:Int32}', 'wide'],
  ])('is one if the engine knows the order: %s', async (order, where, key) => {
    expect((await of('odd', 'id', order, where))[0]).toEqual([key]);
  });

  it.each([
    ['id, toMicrosecond(fine) AS m', 'm DESC, id', 'fine >= {from:DateTime64(3)}'],
    ['id, -least AS m', 'm, id', 'least <= {x:Int32}'],
    ['id, -least AS m, m + 1 AS k', 'k, id', 'least <= {x:Int32}'],
  ])('is no key where an alias stands for it: %s', async (items, order, where) => {
    expect((await of('odd', items, order, where))[0]).toEqual([]);
  });

  const isIn = (name: string) => new RegExp(`\\b${name}\\b`);
  const filtered = async (condition: string) => {
    const column = ['wide', 'n'].find((name) => isIn(name).test(condition)) ?? 'id';
    const sql = `WITH some AS (SELECT id, ${column} AS v FROM odd WHERE ${column} >= {x:Int32} - 9000000000000000000), c AS (SELECT count() AS c FROM few WHERE i > {x:Int32}) SELECT id, c FROM some CROSS JOIN c WHERE ${condition.replace(isIn(column), 'v')} ORDER BY id`;
    return (await keysOf(sql, values))[0];
  };

  it.each([
    'floor(n, -1) < -10',
    '2 / n > -0.001',
    '-n > 0',
    "toDateTime(wide) < toDateTime('2000-01-01 00:00:00')",
    'toBool(id) = true',
    'intDiv(100, n * 2 + 1) < -10',
    "toDateTime32(wide) < '2000-01-01 00:00:00'",
    "toDate('2024-01-01') + n < '2024-06-01'",
    "toDate('2024-01-01') - toIntervalDay(n) > '2023-06-01'",
    "addDays(toDate('2024-01-01'), n) < '2024-06-01'",
    'floor(n, {x:Int32}) < 0',
    'intDiv(n, -1) < 5',
    "toString(toDateTime(id, 'Europe/Berlin')) < '1970-01-01 02:00:00'",
    'toDayOfWeek(toDateTime(id), 3) = 5',
    "toMinute(toDateTime(id), 'Australia/Lord_Howe') = 5",
  ])('is no key, nor is a column that a condition changes in such a way: %s', async (condition) => {
    expect(await filtered(condition)).toEqual([]);
  });

  it.each([
    ['n + 1 > 5', 'n'],
    ['n / 2 < 5.5', 'n'],
    ['floor(n) < 5 AND -id < 3', 'n'],
    ['round(n, 2) < 5', 'n'],
    ['intDiv(n, 10) < 5', 'n'],
    ['n / -3 < 5.5', 'n'],
    ['toHour(toDateTime(id)) = 0', 'id'],
    ['1000 / id < 5.5', 'id'],
    ["toDateTime(id) > toDateTime('1970-01-01 00:00:07')", 'id'],
  ])('is one if the condition keeps the order: %s', async (condition, key) => {
    expect(await filtered(condition)).toEqual([key]);
  });

  it.each([
    'SELECT day, sum(users) OVER (ORDER BY day) AS total FROM (SELECT toDate(far64) AS day, uniq(id) AS users FROM many WHERE far64 >= {from:DateTime64(3)} GROUP BY day) ORDER BY day DESC',
    'WITH days AS (SELECT toDateTime(far64) AS day, uniqExact(i) AS n FROM many WHERE far64 >= {from:DateTime64(3)} GROUP BY day), few_of AS (SELECT count() AS c FROM few WHERE i > {x:Int32}) SELECT day, n, c FROM days CROSS JOIN few_of ORDER BY day DESC LIMIT 3',
  ])('is one if groups are sorted: %s', async (sql) => {
    expect((await keysOf(sql, values))[0]).toEqual(['far64']);
  });
});

describe('a column that is compared with one of another type', () => {
  // The engine concludes what the other column says of the values, and the index takes these for others.
  const values = ['', 'a', 'b'].map((s, x) => ({ s, f: s, x, u: x }));
  const of = (tables: string, condition: string) =>
    keysOf(
      `SELECT x.id, y.id FROM many AS x ${tables} WHERE x.s <= {s:String} AND ${condition} ORDER BY x.id, y.id`,
      values,
    );
  const joined = 'INNER JOIN few AS y ON x.u = y.u + {u:UInt8}';

  beforeAll(async () => {
    for (const table of ['many', 'few'])
      await laboratory.admin(
        `ALTER TABLE ${table} ADD COLUMN fixed FixedString(2) DEFAULT toFixedString(substring(s, 1, 2), 2)`,
      );
  });

  it.each([
    [joined, 'x.s = y.fixed AND y.fixed >= {f:FixedString(2)}'],
    [
      `${joined} INNER JOIN few AS z ON z.id = y.id + {x:Int32}`,
      'x.s = y.s AND y.s = z.fixed AND z.fixed >= {f:FixedString(2)}',
    ],
  ])('is no key: %s WHERE %s', async (tables, condition) => {
    const keys = await of(tables, condition);
    expect(keys[0]).toEqual([]);
  });

  it('is one if that is of the same type', async () => {
    expect((await of(joined, 'x.s = y.s AND y.fixed >= {f:FixedString(2)}'))[0]).toEqual(['s']);
  });
});

describe('what a join condition compares with variables', () => {
  const values = [-7, -2, 0, 3, 9].map((x) => ({
    x,
    from: `2024-01-31 23:59:${57 + (Math.abs(x) % 3)}`,
    s: ['', 'a', 'ab', 'zz', 'none'][Math.abs(x) % 5],
    u: Math.abs(x) % 3,
    list: [x, x + 1],
    f: ['0', '12', '7'][Math.abs(x) % 3],
  }));
  const of = (from: string, where = '') =>
    keysOf(
      `SELECT x.id, y.id, y.s FROM few AS x ${from} ${where} ORDER BY x.id, y.id, y.s`,
      values,
    );
  const equal = 'ON x.u = y.u';

  it.each<readonly [string, string, readonly (readonly string[])[]]>([
    ['LEFT JOIN', 'y.ts >= {from:DateTime}', [[], ['ts']]],
    ['LEFT JOIN', 'y.s = {s:String} AND y.i > {x:Int32}', [[], ['s', 'i']]],
    ['LEFT JOIN', 'y.id16 = {f:FixedString(2)}', [[], ['id16']]],
    ['LEFT JOIN', 'y.i IN {list:Array(Int32)}', [[], ['i']]],
    ['LEFT JOIN', '(y.i = {x:Int32} OR y.i = {x:Int32} + 1)', [[], ['i']]],
    ['LEFT JOIN', 'x.i > {x:Int32}', [[], []]],
    ['LEFT JOIN', 'y.i + 1 > {x:Int32}', [[], []]],
    ['LEFT JOIN', 'y.i > x.i + {x:Int32}', [[], []]],
    ['INNER JOIN', 'y.i > {x:Int32} AND x.s = {s:String}', [['s'], ['i']]],
    ['RIGHT JOIN', 'y.i > {x:Int32} AND x.s = {s:String}', [['s'], []]],
    ['FULL JOIN', 'y.i > {x:Int32} AND x.s = {s:String}', [[], []]],
    ['LEFT ANTI JOIN', 'y.i > {x:Int32} AND x.s = {s:String}', [[], ['i']]],
    ['LEFT SEMI JOIN', 'y.u = {u:UInt8} AND y.s >= {s:String}', [[], ['u', 's']]],
  ])('is the key of the rows that it selects: %s ON … AND %s', async (kind, condition, keys) => {
    const selected = kind.includes('ANTI') || kind.includes('SEMI') ? "x.s || '' AS" : 'y.s AS';
    const sql = `SELECT x.id, ${selected} of FROM few AS x ${kind} many AS y ${equal} AND ${condition} ORDER BY x.id, of`;
    expect(await keysOf(sql, values)).toEqual(keys);
  });

  it('is that of the table that it is about, of several', async () => {
    expect(
      await of(
        `LEFT JOIN many AS y ${equal} AND y.ts >= {from:DateTime} INNER JOIN other AS z ON z.w = y.u AND z.g = {s:String}`,
        'WHERE x.i > {x:Int32}',
      ),
    ).toEqual([['i'], ['ts'], ['g']]);
  });

  it('is none if something else is compared in another way', async () => {
    expect(
      await of(`LEFT JOIN many AS y ${equal} AND y.ts >= {from:DateTime} AND toHour(y.ts) < 9`),
    ).toEqual([[], []]);
    expect(
      await of(`LEFT JOIN many AS y ${equal} AND y.i + {u:UInt8} > 3`, 'WHERE y.i = {x:Int32}'),
    ).toEqual([[], []]);
  });
});

describe('columns of the same name in several tables', () => {
  const values = [-7, -2, 0, 3, 9].map((x) => ({
    x,
    from: `2024-01-31 23:59:${57 + (Math.abs(x) % 3)}`,
    to: `2024-02-01 00:00:0${Math.abs(x) % 4}`,
    day: `2024-02-0${1 + (Math.abs(x) % 4)}`,
    dec: `${x / 4}`,
    s: ['', 'a', 'ab', 'zz', 'none'][Math.abs(x) % 5],
    f: ['0', '12', '7'][Math.abs(x) % 3],
  }));
  const from = '{from:DateTime}';
  const joined = 'SELECT count(), sum(x.i) FROM many AS x INNER JOIN many AS y ON x.id = y.id';

  it.each<readonly [string, string, readonly (readonly string[])[]]>([
    ['integers', `${joined} WHERE x.i >= {x:Int32} AND y.i >= {x:Int32}`, [['i'], ['i']]],
    ['texts', `${joined} WHERE x.s = {s:String} AND y.s = {s:String}`, [['s'], ['s']]],
    ['times', `${joined} WHERE x.ts >= ${from} AND y.ts >= ${from}`, [['ts'], ['ts']]],
    ['days', `${joined} WHERE x.d > {day:Date} AND y.d <= {day:Date}`, [['d'], ['d']]],
    [
      'Decimals',
      `${joined} WHERE x.dec > {dec:Decimal(18, 4)} AND y.dec <= {dec:Decimal(18, 4)}`,
      [['dec'], ['dec']],
    ],
    [
      'a table behind another by a LEFT JOIN',
      `SELECT x.id, y.id FROM many AS x LEFT JOIN some AS y ON x.id = y.id + {x:Int32} WHERE x.ts >= ${from} AND y.ts >= ${from} ORDER BY x.id, y.id`,
      [['ts'], ['ts']],
    ],
    [
      'operands of a UNION',
      `SELECT k, id FROM (SELECT id, 1 AS k FROM many WHERE ts >= ${from} UNION ALL SELECT id, 2 FROM few WHERE ts < {to:DateTime}) ORDER BY k, id`,
      [['ts'], ['ts']],
    ],
    [
      'a SELECT and the subquery that it excludes',
      `SELECT DISTINCT u FROM many WHERE ts >= ${from} AND i NOT IN (SELECT i FROM many WHERE ts >= {to:DateTime}) ORDER BY u`,
      [['ts']],
    ],
    [
      'a SELECT of all columns but some',
      `SELECT * EXCEPT (f, fi, arr) FROM (SELECT * EXCEPT (b) FROM many WHERE ts >= ${from}) AS x INNER JOIN (SELECT id AS k FROM few WHERE ts >= ${from}) AS y ON x.id = y.k ORDER BY id`,
      [['ts'], ['ts']],
    ],
    [
      'a time that is also compared with the days of the last years',
      `${joined} WHERE x.ts >= ${from} AND y.ts >= ${from} AND y.ts >= toDateTime(today() - 36500)`,
      [['ts'], ['ts']],
    ],
  ])('are keys: %s', async (_what, sql, keys) => {
    expect(await keysOf(sql, values)).toEqual(keys);
  });

  it.each<readonly [string, string, readonly (readonly string[])[]]>([
    ['join', `${joined} AND x.ts = y.ts WHERE x.ts >= ${from} AND y.ts >= ${from}`, [[], []]],
    [
      'are joined by USING',
      `SELECT x.id, y.i FROM (SELECT id, ts FROM many WHERE ts >= ${from}) AS x INNER JOIN (SELECT i, ts FROM few WHERE ts >= ${from}) AS y USING (ts) ORDER BY x.id, y.i`,
      [[], []],
    ],
    [
      'are compared',
      `${joined} WHERE x.ts >= ${from} AND y.ts >= ${from} AND x.ts < y.ts`,
      [[], []],
    ],
    [
      'are compared with another type',
      `${joined} WHERE x.ts >= ${from} AND y.ts >= ${from} AND x.ts >= today() - 36500`,
      [[], ['ts']],
    ],
    [
      'are in a function',
      `${joined} WHERE x.ts >= ${from} AND y.ts >= ${from} AND toHour(x.ts) < {x:Int32}`,
      [[], ['ts']],
    ],
    [
      'have another name',
      `SELECT x.id FROM (SELECT id, ts AS t FROM many WHERE ts >= ${from}) AS x INNER JOIN few AS y ON x.id = y.id WHERE y.i > {x:Int32} AND x.t < y.ts ORDER BY x.id`,
      [[], ['i']],
    ],
    [
      'have a name that begins with a space',
      `SELECT x.id FROM (SELECT id, toDate(ts) AS " day" FROM many WHERE ts >= ${from}) AS x INNER JOIN few AS y ON x.id = y.id WHERE y.i > {x:Int32} AND x." day" <= {day:Date} ORDER BY x.id`,
      [[], ['i']],
    ],
    [
      'are behind a column whose name begins with a space',
      `SELECT x.id FROM (SELECT id, i AS " i", toDate(ts) AS day FROM many WHERE ts >= ${from}) AS x INNER JOIN few AS y ON x.id = y.id WHERE y.i > {x:Int32} AND x.day <= {day:Date} ORDER BY x.id`,
      [[], ['i']],
    ],
    [
      'are aggregated',
      `SELECT i, count() FROM many WHERE ts >= ${from} AND i IN (SELECT i FROM few WHERE ts >= ${from}) GROUP BY i HAVING max(ts) > {to:DateTime} ORDER BY i`,
      [['i'], ['ts']],
    ],
  ])('are no keys where times %s', async (_what, sql, keys) => {
    expect(await keysOf(sql, values)).toEqual(keys);
  });
});
