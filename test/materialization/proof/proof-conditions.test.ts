/** For which values a stored table is compared where a condition is more than a comparison. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openProving, type Proving, proved, refused } from '../support/proving.ts';

let proving: Proving;

beforeAll(async () => {
  proving = await openProving();
  await proving.test.sql(
    'CREATE TABLE facts (k String, n Int32, m Int32, d Date, l Array(String)) ENGINE = MergeTree ORDER BY n',
  );
  await proving.test.sql(
    "INSERT INTO facts SELECT ['alpha', 'beta', 'gamma'][number % 3 + 1], number, 100 + number % 7, toDate('2024-01-01') + number % 10, [concat('t', toString(number % 4))] FROM numbers(40)",
  );
});
afterAll(() => proving.test.close());

const prove = (where: string, predicates: readonly string[], read: string) =>
  proving.prove(`SELECT n FROM facts WHERE ${where}`, {
    stored: 'SELECT * FROM facts',
    read: `SELECT n FROM stored WHERE ${read}`,
    predicates,
    condition: where,
  });

const value = '({x:Nullable(String)} IS NULL OR k = {x:Nullable(String)})';
const bound = '({a:Nullable(Date)} IS NULL OR d >= {a:Nullable(Date)})';
const list = '(empty({s:Array(String)}) OR k IN {s:Array(String)})';
const all = "({x:String} = 'all' OR k = {x:String})";
const columns = '(n = {x:Int32} OR m = {x:Int32})';
const start = 'startsWith(k, {x:String})';
const element = 'has(l, {x:String})';
const constant = "{x:String} = 'all'";

describe('a read is refused that is wrong', () => {
  it.each([
    ['where a value is left out', value, ['x k ='], 'k = {x:Nullable(String)}'],
    ['where a value is given', value, ['x k ='], '{x:Nullable(String)} IS NULL OR 1'],
    ['where a bound is left out', bound, ['a d >='], 'd >= {a:Nullable(Date)}'],
    ['where a list is empty', list, ['s k IN'], 'k IN {s:Array(String)}'],
    ['where a list has values', list, ['s k IN'], `${list} AND k != 'beta'`],
    [
      'where one of two conditions is left out',
      `${value} AND ${bound}`,
      ['x k =', 'a d >='],
      `${value} AND ${bound} AND NOT ({x:Nullable(String)} IS NULL AND {a:Nullable(Date)} IS NOT NULL)`,
    ],
    ['for a value that the condition names', all, ['x k ='], 'k = {x:String}'],
    ['for values of another column', columns, ['x n =', 'x m ='], 'n = {x:Int32}'],
    ['for values of the first column', columns, ['x n =', 'x m ='], 'm = {x:Int32}'],
    ['for a part of a text', start, ['x k startsWith'], "k = {x:String} OR {x:String} = ''"],
    ['for an element of an array', element, ['x l has'], 'l = [] AND {x:String} = {x:String}'],
    ['for no column', constant, ['x - ='], "{x:String} != 'none'"],
  ] as const)('%s', async (_what, where, predicates, read) => {
    expect(await prove(where, predicates, read)).toMatchObject(
      refused(/does not give the same result as the query itself/),
    );
  });
});

it.each([
  [`${value} AND ${bound} AND ${list}`, ['x k =', 'a d >=', 's k IN']],
  [columns, ['x n =', 'x m =']],
  [element, ['x l has']],
  [constant, ['x - =']],
] as const)('a right read is not refused: %s', async (where, predicates) => {
  expect(await prove(where, predicates, where)).toMatchObject(proved);
});
