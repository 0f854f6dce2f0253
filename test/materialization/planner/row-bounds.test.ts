/** What follows from comparisons of tuples for the first column of ORDER BY leaves out no row of the result. */
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { takeProjectIds } from '../../support/take-project-ids.ts';
import { type Laboratory, openLaboratory, type Values } from '../support/laboratory.ts';
import { planReadWith } from '../support/plan-in.ts';

let laboratory: Laboratory;
beforeAll(async () => {
  laboratory = await openLaboratory(inject('engine'), await takeProjectIds(inject('postgres')));
  await laboratory.admin(
    'CREATE TABLE numbered (id UInt32, signed Int32, i Int8) ENGINE = MergeTree ORDER BY id AS SELECT number, toInt32(number) - 300, [-128, -1, 0, 1, 127][cityHash64(number) % 5 + 1] FROM numbers(600)',
  );
});
afterAll(() => laboratory?.close());

const values: readonly Values[] = [
  [-128, 0],
  [-5, 3],
  [0, 5],
  [0, 300],
  [1, -5],
  [1, 0],
  [2, 299],
  [127, 599],
  [255, 0],
].map(([x, y]) => ({ x, y }));

/** The condition that a read has beside the comparison, if any. */
async function boundIn(sql: string): Promise<string | null> {
  const plan = await planReadWith(laboratory, sql, values);
  return / AND (\(__[cv]\d+ [<>]= .*?\)\))/.exec(plan.readQuery)?.[1] ?? null;
}

const page = '(i, id) > ({x:Int16}, {y:Int64})';

it.each([
  ['OR', '{x:Int16} OR {y:Int64}'],
  ['=', '{x:Int16} = {y:Int64}'],
  ['AND', '{x:Int16} AND {y:Int64}'],
  ['IS NULL', '{x:Int16} IS NULL'],
  ['a choice', '{x:Int16} > 0 ? {x:Int16} : {y:Int64}'],
])(
  'a given value with an operator that binds less than the comparison: %s',
  async (_what, first) => {
    const sql = `SELECT id, i FROM numbered WHERE (i, id) > (${first}, {y:Int64}) ORDER BY i, id LIMIT 500`;
    expect(await boundIn(sql)).toMatch(/^\(__c1 >= \(/);
  },
);

it.each([
  `2 * (${page}) = 2`,
  `-(${page}) = -1`,
  `toString(${page}) = '1'`,
  `toUInt16(${page}) + 1 = 2`,
  `NOT (${page} AND id > 400)`,
  `(${page}) = (id % 2)`,
])('the same comparison as an operand elsewhere: %s', async (other) => {
  const sql = `SELECT id, i FROM numbered WHERE ${page} AND ${other} ORDER BY i, id LIMIT 500`;
  expect(await boundIn(sql)).toMatch(/^\(__c1 >= \(/);
});

it.each([
  `SELECT id, i FROM numbered WHERE (i, id) > (({x:Int16}, {y:Int64})) ORDER BY i, id LIMIT 500`,
  `WITH ({x:Int16}, {y:Int64}) AS last SELECT id, i FROM numbered WHERE (i, id) > last ORDER BY i, id LIMIT 500`,
  `SELECT id, i FROM numbered WHERE tuple(i, id) > tuple({x:Int16}, {y:Int64}) ORDER BY 2, 1 LIMIT 500`,
])('a tuple that is written in another way: %s', async (sql) => {
  expect(await boundIn(sql)).toMatch(/^\(__c1 >= \(/);
});

it.each([
  'SELECT * FROM numbered WHERE (1, signed) > ({x:Int16}, {y:Int64}) ORDER BY 1 LIMIT 500',
  'SELECT signed, id FROM numbered WHERE (1, signed) > ({x:Int16}, {y:Int64}) ORDER BY 1 LIMIT 500',
  'SELECT signed, i FROM numbered WHERE (2, signed) <= ({x:Int16}, {y:Int64}) ORDER BY 2 DESC, 1 DESC LIMIT 500',
])('a number is not the column that ORDER BY means by it: %s', async (sql) => {
  expect(await boundIn(sql)).toBe(null);
});

it.each([
  'SELECT -signed AS signed, id FROM numbered WHERE (-signed, id) > ({x:Int16}, {y:Int64}) ORDER BY signed, id LIMIT 500',
  'SELECT signed * 2 AS signed, id FROM numbered WHERE (signed * 2, id) <= ({x:Int16}, {y:Int64}) ORDER BY signed DESC LIMIT 500',
])('an expression whose alias it uses is another one in WHERE: %s', async (sql) => {
  expect(await boundIn(sql)).toBe(null);
});
