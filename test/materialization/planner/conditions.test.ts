/** Any condition on variables, evaluated by reads over stored columns: the same rows as inline. */
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { readOf } from '../../../src/model/materialization-plan.ts';
import { takeProjectIds } from '../../support/take-project-ids.ts';
import { type ConditionCase, forms, layouts, optional } from '../support/conditions.ts';
import { type Laboratory, openLaboratory } from '../support/laboratory.ts';
import { planIn } from '../support/plan-in.ts';
import { createTables } from '../support/tables.ts';

let laboratory: Laboratory;

beforeAll(async () => {
  laboratory = await openLaboratory(inject('engine'), await takeProjectIds(inject('postgres')));
  await createTables(laboratory);
});
afterAll(() => laboratory?.close());

const planOf = (sql: string) => planIn(laboratory, { sql });

/** The number of values for which there are rows. */
async function compare(sql: string, { values }: ConditionCase): Promise<number> {
  const plan = await planOf(sql);
  const table = await laboratory.store(plan);
  let withRows = 0;
  for (const given of values) {
    const inline = await laboratory.run({ sql }, given);
    const read = await laboratory.read({ plan, table }, { sql }, given);
    expect(read, `${sql} ${JSON.stringify(given)}`).toEqual(inline);
    expect(inline[0], sql).not.toMatch(/^error/);
    if (inline.length > 2) withRows += 1;
  }
  await laboratory.drop(table);
  return withRows;
}

/** Each condition in one layout, and the next one in the next. */
const cases = [...optional, ...forms].map((condition, at): readonly [string, ConditionCase] => {
  // A subquery with a condition that uses no columns is refused.
  const usable = condition.where === "{a:String} = 'all'" ? layouts.slice(0, -1) : layouts;
  const layout = usable[at % usable.length];
  if (layout === undefined) throw new Error('there is no layout');
  return [layout(condition.where), condition];
});

it.each(cases)('%s', async (sql, condition) => {
  expect(await compare(sql, condition)).toBeGreaterThan(0);
});

it('is sorted by optional comparisons behind the others, and not by what is used in other ways', async () => {
  const plan = await planOf(
    'SELECT id FROM few WHERE ({a:Nullable(String)} IS NULL OR s = {a:Nullable(String)}) AND d >= {from:Date} AND startsWith(lc, {p:String}) AND ({n:Nullable(Int32)} IS NULL OR i > {n:Nullable(Int32)}) AND (u = {u:UInt8} OR u % {u:UInt8} = 0)',
  );
  expect(plan.sortingKey).toEqual(['__v1', '__v0', '__v3']);
});

it('is sorted by a column of which one of several values is chosen before the columns of ranges', async () => {
  const sql =
    'SELECT id FROM many WHERE d >= {from:Date} AND (s = {a:String} OR s = {b:String}) AND (ts = {t:DateTime64(3)} OR ts IN {ts:Array(DateTime)}) ORDER BY id';
  const plan = await planOf(sql);
  expect(plan.sortingKey).toEqual(['__v1', '__v2', '__v0']);
  const table = await laboratory.store(plan);
  const times = ['2024-01-31 23:59:58', '2024-02-01 00:00:01'];
  for (const given of [
    { from: '2024-01-31', a: 'a', b: 'zz', t: `${times[0]}.000`, ts: times },
    { from: '2024-01-30', a: '', b: 'none', t: '2024-01-31 23:59:59.500', ts: [times[1]] },
    { from: '2024-01-30', a: 'b', b: 'b', t: '2024-02-01 00:00:00.000', ts: [] },
  ]) {
    const inline = await laboratory.run({ sql }, given);
    expect(inline.length).toBeGreaterThan(2);
    expect(await laboratory.read({ plan, table }, { sql }, given)).toEqual(inline);
  }
  await laboratory.drop(table);
});

it('reads a part of the table where an optional value is given', async () => {
  const sql =
    'SELECT id FROM many WHERE ({a:Nullable(Date)} IS NULL OR d = {a:Nullable(Date)}) AND ({b:Nullable(Int32)} IS NULL OR i > {b:Nullable(Int32)})';
  const plan = await planOf(sql);
  const table = await laboratory.store(plan);
  const granules = async (a: string | null) => {
    const read = `EXPLAIN indexes = 1 ${readOf(plan.readQuery, table)}`;
    const lines = await laboratory.run({ sql: read }, { a, b: null });
    const [, found = '0', all = '0'] = /Granules: (\d+)\\?\/(\d+)/.exec(lines.join('\n')) ?? [];
    return Number(found) / Number(all);
  };
  expect(await granules('2024-02-01')).toBeLessThan(0.5);
  await laboratory.drop(table);
});

it('tells which variables meet which columns, and in which condition', async () => {
  const where = "{x:String} = 'all' OR has(arr, length({x:String})) OR s = {x:String}";
  const plan = await planOf(`SELECT id FROM few WHERE ${where}`);
  expect(plan.predicates).toEqual([
    {
      variable: 'x',
      expression: 's',
      operator: '=',
      column: '__v1',
      condition: "({x:String} = 'all') OR has(arr, length({x:String})) OR (s = {x:String})",
    },
  ]);
  const others = await planOf(
    "SELECT id FROM few WHERE {x:String} = 'all' AND endsWith(s, {y:String})",
  );
  expect(others.predicates).toMatchObject([
    { variable: 'x', column: null, operator: '=', expression: "{x:String} = 'all'" },
    { variable: 'y', column: '__v0', operator: 'endsWith', expression: 's' },
  ]);
});

it.each([
  {
    where:
      "(n > -2 AND s = {a:String} AND u < 3) OR (n > -2 AND d >= {from:Date} AND ns = 'a') OR ((ns = 'b' AND n > -2) AND s != {a:String})",
    filter: 'WHERE (n > -2)',
  },
  {
    // What all branches repeat with a variable stays where it is.
    where:
      '(d >= {from:Date} AND lcn IS NOT NULL AND i > 0) OR (lcn IS NOT NULL AND d >= {from:Date} AND s = {a:String})',
    filter: 'WHERE (lcn IS NOT NULL)',
  },
])('a condition that all branches of an OR repeat decides what is stored: $where', async (one) => {
  for (const select of ['SELECT id FROM many', 'SELECT u, count() AS c FROM many']) {
    const end = select.includes('count') ? 'GROUP BY u ORDER BY u' : 'ORDER BY id';
    const sql = `${select} WHERE ${one.where} ${end}`;
    expect((await planOf(sql)).storedQuery).toContain(one.filter);
    const values = [
      { a: 'a', from: '2024-02-02' },
      { a: 'none', from: '2030-01-01' },
      { a: '', from: '1970-01-01' },
    ];
    expect(await compare(sql, { where: one.where, values })).toBeGreaterThan(1);
  }
});

it('stores of a join that every branch of an OR repeats the rows that it joins, not all pairs', async () => {
  const where =
    '(l.id = r.id AND l.s = {a:String} AND r.i > 0) OR (r.u < 3 AND l.id = r.id AND l.lc = {b:String})';
  const sql = `SELECT count() AS c, sum(l.u) AS total FROM few AS l, many AS r WHERE ${where}`;
  const plan = await planOf(sql);
  expect(plan.storedQuery).toContain('WHERE (l.id = r.id)');
  const values = [
    { a: 'a', b: 'x' },
    { a: 'zz', b: 'y' },
    { a: 'none', b: 'none' },
  ];
  expect(await compare(sql, { where, values })).toBeGreaterThan(1);
});

it.each([
  // A branch that is nothing but what all repeat lets every one of its rows pass.
  'n > -2 OR (n > -2 AND s = {a:String})',
  '(n > -2 AND u < 3) OR (n < -2 AND s = {a:String}) OR (n > -2 AND s = {a:String})',
  'NOT ((n > -2 AND s = {a:String}) OR (n > -2 AND u < 3))',
])('keeps conditions that no branch has to hold: %s', async (where) => {
  const sql = `SELECT id FROM many WHERE ${where} ORDER BY id`;
  expect((await planOf(sql)).storedQuery).not.toContain('WHERE');
  expect(await compare(sql, { where, values: [{ a: 'a' }, { a: 'none' }] })).toBe(2);
});
