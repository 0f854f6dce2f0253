/** Tuples of columns that are compared with variables: the sorting key finds the rows that the query finds. */
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { tablesOf } from '../../../src/model/materialization-plan.ts';
import { takeProjectIds } from '../../support/take-project-ids.ts';
import { type Laboratory, openLaboratory, type Values } from '../support/laboratory.ts';
import { planReadWith } from '../support/plan-in.ts';
import { createTables } from '../support/tables.ts';

let laboratory: Laboratory;
beforeAll(async () => {
  laboratory = await openLaboratory(inject('engine'), await takeProjectIds(inject('postgres')));
  await createTables(laboratory, 12);
  await laboratory.admin(
    "ALTER TABLE many ADD COLUMN id16 FixedString(2) DEFAULT leftPad(toString(id % 90), 2, '0'), ADD COLUMN uuid UUID DEFAULT reinterpretAsUUID(toUInt128(id % 70)), ADD COLUMN d32 Date32 DEFAULT d - 30000, ADD COLUMN ip IPv4 DEFAULT toIPv4(id % 50)",
  );
});
afterAll(() => laboratory?.close());

/** The sorting key, after reads with each of the values have given what the query gives. */
async function keyOf(sql: string, values: readonly Values[]): Promise<readonly string[]> {
  const plan = await planReadWith(laboratory, sql, values);
  return tablesOf(plan)[0]?.sortingKey ?? [];
}

const typed = [
  ['s', 'String', ['', 'a', 'zz', 'none']],
  ['lc', 'String', ['', 'x', 'none']],
  ['big', 'UInt64', ['0', '9007199254740993', '18446744073709551615', '5']],
  ['u', 'UInt8', [0, 3, 255]],
  ['d', 'Date', ['2024-02-02', '1970-01-01']],
  ['d32', 'Date32', ['1941-12-15', '1900-01-01']],
  ['ts', 'DateTime', ['2024-02-01 00:00:00', '1970-01-01 00:00:00']],
  ['t64', 'DateTime64(3)', ['2024-02-01 00:00:00.001', '2024-02-01 00:00:00']],
  ['dec', 'Decimal(18, 4)', ['0', '-1.5', '7']],
  ['b', 'Bool', [true, false]],
  ['id16', 'FixedString(2)', ['05', '99']],
  [
    'uuid',
    'UUID',
    ['00000000-0000-0000-0000-000000000007', '61f0c404-5cb3-11e7-907b-a6006ad3dba0'],
  ],
  ['ip', 'IPv4', ['0.0.0.7', '9.9.9.9']],
] as const;

describe.each(typed)('%s of type %s', (column, type, values) => {
  const pairs = values.flatMap((a) => [-5, 0, 3, 5].map((x) => ({ a, x })));

  it('is found by =', async () => {
    const sql = `SELECT id FROM many WHERE (${column}, i) = ({a:${type}}, {x:Int32}) ORDER BY id`;
    expect(await keyOf(sql, pairs)).toEqual(['__v0', '__c0']);
    const groups = `SELECT s, count() FROM many WHERE ({a:${type}}, {x:Int32}) = (${column}, i) GROUP BY s ORDER BY s`;
    expect(await keyOf(groups, pairs)).toEqual(['__v0']);
  });

  it('is found by IN', async () => {
    const sql = `SELECT id FROM many WHERE (i, ${column}) IN (({x:Int32}, {a:${type}}), (0, {a:${type}})) ORDER BY id`;
    expect(await keyOf(sql.replace('(0,', '(toInt32(0),'), pairs)).toEqual(['__v0']);
    const list = `SELECT id FROM many WHERE (i, ${column}) IN {list:Array(Tuple(Int32, ${type}))} ORDER BY id`;
    const lists = [[], [[0, values[0]]], pairs.map(({ a, x }) => [x, a])];
    expect(
      await keyOf(
        list,
        lists.map((each) => ({ list: each })),
      ),
    ).toEqual(['__v0']);
  });
});

it('is the first column of the key beside another that is compared', async () => {
  const sql =
    'SELECT id FROM many WHERE (s, i) = ({a:String}, {x:Int32}) AND ts > {from:DateTime} ORDER BY id';
  const values = [-5, 0, 3].map((x) => ({ a: 'a', x, from: '2024-01-31 23:59:59' }));
  expect(await keyOf(sql, values)).toEqual(['__v0', '__v1']);
});

it.each([
  ['other types', '(s, i) = ({a:String}, {x:Int64})'],
  ['a Nullable element', '(ns, i) = ({a:String}, {x:Int32})'],
  ['a Nullable variable', '(s, i) = ({a:String}, {n:Nullable(Int32)})'],
  ['a floating point number', '(f, i) = ({y:Float64}, {x:Int32})'],
  ['an Enum', '(e, i) IN (({a:String}, {x:Int32}))'],
  ['NOT IN', '(s, i) NOT IN (({a:String}, {x:Int32}))'],
  ['!=', '(s, i) != ({a:String}, {x:Int32})'],
  ['another comparison', '(s, i) = ({a:String}, {x:Int32}) OR (s, i) > ({a:String}, {x:Int32})'],
])('is no key with %s', async (_what, where) => {
  const values = ['a', 'red', ''].flatMap((a) => [-5, 0, 3].map((x) => ({ a, x, n: x, y: x })));
  const named = values.map((all) =>
    Object.fromEntries(Object.entries(all).filter(([name]) => where.includes(`{${name}:`))),
  );
  expect(await keyOf(`SELECT id FROM many WHERE ${where} ORDER BY id`, named)).not.toContain(
    '__v0',
  );
});
