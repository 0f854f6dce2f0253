/** The engine's hasAny reads what lies under a NULL in an array, which grouping by the array loses. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { TestApp } from '../support/test-app.ts';
import {
  expectNeverMaterialized,
  expectRefusedBySync,
  expectServed,
} from './support/checked-queries.ts';
import { openMaterializedApp } from './support/materialized.ts';

let test: TestApp;
beforeAll(async () => {
  test = await openMaterializedApp();
  for (const [table, element] of [
    ['plain', 'if(number % 2 = 0, NULL, 0)'],
    ['made', 'nullIf(number % 4, 2)'],
  ]) {
    await test.sql(
      `CREATE TABLE ${table} (id UInt32, kind String, marks Array(Nullable(Int64)), data JSON) ENGINE = MergeTree ORDER BY id`,
    );
    await test.sql(
      `INSERT INTO ${table} SELECT number, concat('k', toString(number % 3)), [${element}, number % 3], '{"tags":["a",null]}' FROM numbers(600)`,
    );
  }
});
afterAll(() => test?.close());

const values = [{ x: [0] }, { x: [2] }, { x: [null, 7] }, { x: [] }, { x: [9] }];
const among = '{x:Array(Nullable(Int64))}';
const grouped = (table: string, condition: string) =>
  `SELECT kind, count() AS n FROM ${table} WHERE ${condition} GROUP BY kind ORDER BY kind`;

it.each(['hasAny', 'hasAll', 'hasSubstr', 'startsWith', 'endsWith'])(
  '%s of arrays is served while nothing lies under their NULLs',
  async (search) => {
    await expectServed(test, grouped('plain', `${search}(marks, ${among})`), values);
    await expectRefusedBySync(
      test,
      grouped('made', `${search}(marks, ${among})`),
      expect.stringMatching(
        /marks has arrays in which a NULL was made of another value.*arrayExists/,
      ),
    );
  },
);

it('is traced through CTEs and UNION', async () => {
  const of = (table: string) =>
    grouped(
      `(SELECT kind, marks AS m FROM plain UNION ALL SELECT kind, marks FROM ${table})`,
      `hasAny(m, ${among})`,
    );
  await expectServed(test, of('plain'), values);
  await expectRefusedBySync(test, of('made'), expect.stringContaining('made of another value'));
});

it('arrayExists in its place is served for all arrays', () =>
  expectServed(test, grouped('made', `arrayExists(x -> has(${among}, x), marks)`), values));

it('and so are arrays of a JSON column', () =>
  expectServed(
    test,
    grouped('made', 'hasAny(data.tags.:`Array(Nullable(String))`, {x:Array(Nullable(String))})'),
    [{ x: ['a'] }, { x: [null] }, { x: [''] }],
  ));

it('an array that is computed is refused', () =>
  expectNeverMaterialized(
    test,
    grouped('plain', `hasAny(arrayMap(x -> nullIf(x, 0), marks), ${among})`),
    'this array is computed',
  ));
