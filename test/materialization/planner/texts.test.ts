/** Columns of many types compared with values of other types, also such as are no value of the column's type. */
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { takeProjectIds } from '../../support/take-project-ids.ts';
import { type Laboratory, openLaboratory, type Values } from '../support/laboratory.ts';

let laboratory: Laboratory;
beforeAll(async () => {
  laboratory = await openLaboratory(inject('engine'), await takeProjectIds(inject('postgres')));
  await laboratory.admin(
    "CREATE TABLE k (id UInt32, d Date, d32 Date32, ts DateTime, t64 DateTime64(3), u UUID, ip IPv4, e Enum8('red' = 1, 'blue' = 2), fs FixedString(3), dec Decimal(9, 2), n UInt8, b Bool, nd Nullable(Date), lc LowCardinality(String)) ENGINE = MergeTree ORDER BY id",
  );
  await laboratory.admin(
    "INSERT INTO k SELECT number, toDate('2024-01-30') + number % 5 AS a, a, toDateTime('2024-01-31 12:00:00') + number % 7 AS b, b, '61f0c404-5cb3-11e7-907b-a6006ad3dba0', toIPv4('1.2.3.4') + number % 3, number % 2 + 1, ['abc', 'ab', 'a'][number % 3 + 1] AS c, number / 4, number % 4, number % 2, if(number % 3 = 0, NULL, a), c FROM numbers(60)",
  );
});
afterAll(() => laboratory?.close());

const columns = 'd d32 ts t64 u ip e fs dec n b nd lc'.split(' ');
const texts = [
  ...[
    '',
    'garbage',
    '2024-02-01',
    '2024-01-31 12:00:03',
    '2024-01-31 12:00:03.5',
    '1706702403',
    '1',
  ],
  ...['-1', '1.5', 'true', '61F0C404-5CB3-11E7-907B-A6006AD3DBA0', '1.2.3.4', 'red', 'green', 'ab'],
];
const given: Readonly<Record<string, readonly unknown[]>> = {
  String: texts,
  'Nullable(String)': ['1', 'red', '2024-02-01', null],
  Int64: [0, 1, -1, 300, 19_754],
  Float64: [0, 1.5, -0.5, 1e30],
  Date: ['2024-02-01'],
  'Decimal(18, 6)': ['1.25', '1.250001'],
};

/** All for the columns whose index reads other values than a comparison does, and a part for the others. */
const cases = columns
  .flatMap((column) =>
    Object.keys(given).flatMap((type) =>
      ['=', '!=', '>', 'IN'].map((operator) => ({ column, type, operator })),
    ),
  )
  .filter(({ column }, at) => column === 'e' || column === 'ts' || at % 3 === 0);

interface Compared {
  readonly sql: string;
  readonly values: readonly Values[];
}

/** What a plan reads beside what the query gives; the engine may refuse a comparison in either way. */
async function bothOf({ sql, values }: Compared) {
  const planned = await laboratory.plan({ sql });
  if (planned.kind === 'refusal') return [];
  const { plan } = planned;
  const table = await laboratory.store(plan);
  const both = [];
  for (const one of values) {
    const inline = await laboratory.run({ sql }, one);
    const read = await laboratory.read({ plan, table }, { sql }, one);
    both.push([sql, one, inline, read] as const);
  }
  await laboratory.drop(table);
  return both;
}

it('finds the same rows, or fails in the same way', async () => {
  let compared = 0;
  for (const { column, type, operator } of cases) {
    const isSet = operator === 'IN';
    if (isSet && type.startsWith('Nullable')) continue;
    const sql = `SELECT id FROM k WHERE ${column} ${operator} {v:${isSet ? `Array(${type})` : type}} ORDER BY id`;
    const values = (given[type] ?? []).map((value) => ({ v: isSet ? [value] : value }));
    for (const [text, value, inline, read] of await bothOf({ sql, values })) {
      expect([text, value, read]).toEqual([text, value, inline]);
      compared += 1;
    }
  }
  expect(compared).toBeGreaterThan(300);
});

describe('a FixedString that is compared with texts', () => {
  const given = ['', 'ab', 'abcd', 'é', 'ab\0', 'ab\0\0\0', 'abc\0', 'abc\0\0x', 'a\0b'];

  beforeAll(() =>
    laboratory.admin(
      String.raw`CREATE TABLE fixed (id UInt32, f FixedString(3), n Nullable(FixedString(3)), l LowCardinality(FixedString(3))) ENGINE = MergeTree ORDER BY id AS SELECT number, toFixedString(['', 'a', 'ab', 'abc', 'abd', 'a\0b', 'b', 'zzz', '\xff\xff\xff', 'é'][number % 10 + 1], 3) AS f, if(number % 2 = 0, NULL, f), f FROM numbers(15000)`,
    ),
  );

  async function keyOf(sql: string) {
    const planned = await laboratory.plan({ sql });
    return planned.kind === 'refusal' ? [planned.reason] : planned.plan.sortingKey;
  }

  it.each([
    ['f', '= < <= > >= IN'],
    ['n', '= >= IN'],
    ['l', '= < IN'],
  ] as const)('is found by the sorting key: %s %s', async (column, operators) => {
    for (const operator of operators.split(' ')) {
      const isSet = operator === 'IN';
      const sql = `SELECT id FROM fixed WHERE ${column} ${operator} {v:${isSet ? 'Array(String)' : 'String'}} ORDER BY id`;
      expect((await keyOf(sql))[0]).toBe('__v0');
      const values = given.map((v) => ({ v: isSet ? [v, 'b'] : v }));
      for (const [text, value, inline, read] of await bothOf({ sql, values }))
        expect([text, value, read]).toEqual([text, value, inline]);
    }
  });

  it.each([
    ['f', '=', 'toLowCardinality({v:Nullable(String)})'],
    ['f', '>', '{v:LowCardinality(Nullable(String))}'],
    ['n', '<=', '{v:LowCardinality(Nullable(String))}'],
    ['l', '=', '{v:Nullable(String)}'],
  ])('equals no text that is NULL: %s %s %s', async (column, operator, right) => {
    const sql = `SELECT id FROM fixed WHERE ${column} ${operator} ${right} ORDER BY id`;
    expect((await keyOf(sql))[0]).toBe('__v0');
    const values = [...given, null].map((v) => ({ v }));
    for (const [text, value, inline, read] of await bothOf({ sql, values }))
      expect([text, value, read]).toEqual([text, value, inline]);
  });

  it.each([
    'WITH m AS (SELECT f, count() AS c FROM fixed WHERE f >= {v:String} GROUP BY f) SELECT sum(c) AS c FROM m WHERE f >= {w:String}',
    'WITH m AS (SELECT DISTINCT f, id % 60 AS h FROM fixed WHERE f >= {v:String}) SELECT count() AS c FROM m JOIN k ON k.id = m.h WHERE m.f = {w:String}',
    'SELECT count() AS c FROM (SELECT f, id FROM fixed WHERE f >= {v:String}) AS m JOIN k ON k.id = m.id WHERE m.f = {w:String}',
    'SELECT count() AS c FROM (SELECT f, id FROM fixed WHERE f >= {v:String} ORDER BY id LIMIT 10000) AS m WHERE m.f = {w:String}',
  ])('is the same in an enclosing SELECT: %s', async (sql) => {
    const values = given.flatMap((v) => ['', 'abc\0', 'b'].map((w) => ({ v, w })));
    const both = await bothOf({ sql, values });
    expect(both.length).toBe(values.length);
    for (const [text, value, inline, read] of both)
      expect([text, value, read]).toEqual([text, value, inline]);
  });

  it.each([
    ['f', true],
    ['l', false],
  ])('is one of several, or fails as the query does: %s', async (column, isFound) => {
    const sql = `SELECT id FROM fixed WHERE ${column} = {v:String} OR ${column} = {w:String} ORDER BY id`;
    expect((await keyOf(sql)).includes('__v0')).toBe(isFound);
    const values = given.map((v) => ({ v, w: 'b' }));
    for (const [text, value, inline, read] of await bothOf({ sql, values }))
      expect([text, value, read]).toEqual([text, value, inline]);
  });

  it('is compared with all rows where a part of a condition compares it', async () => {
    const sql = 'SELECT id FROM fixed WHERE (f = {v:String}) = (id > 10) ORDER BY id';
    expect(await keyOf(sql)).not.toContain('__v0');
    for (const [text, value, inline, read] of await bothOf({ sql, values: [{ v: 'ab' }] }))
      expect([text, value, read]).toEqual([text, value, inline]);
  });
});
