/** Conditions of aggregates are proved with values of the columns that they compare. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openPlanner } from '../../../src/materialization/open-planner.ts';
import type { TestApp } from '../../support/test-app.ts';
import { switchedPlanner } from '../support/chosen-storage.ts';
import { openMaterializedApp, save, statusOf, sync } from '../support/materialized.ts';
import { proved, refused } from '../support/proving.ts';

let test: TestApp;
const planner = switchedPlanner();
/** What the read has instead, which is wrong. */
let wrong: readonly [written: string, instead: string] = ['', ''];

beforeAll(async () => {
  test = await openMaterializedApp({ planMaterialization: planner.plan });
  const plain = openPlanner(test.app.core.engine);
  planner.use(async (request) => {
    const planned = await plain(request);
    if (planned.kind === 'refusal') return planned;
    const readQuery = planned.plan.readQuery.replace(...wrong);
    return { kind: 'plan', plan: { ...planned.plan, readQuery } };
  });
  await test.sql(
    'CREATE TABLE facts (k String, d Date, n Int32, v UInt32) ENGINE = MergeTree ORDER BY v',
  );
  // Days with gaps between them.
  await test.sql(
    "INSERT INTO facts SELECT ['a', 'b', 'c'][number % 3 + 1], toDate('2024-01-01') + 3 * (number % 10), number % 7, number FROM numbers(60)",
  );
});
afterAll(() => test.close());

const from = 'countIf(d >= {a:Date}) AS c';

it.each([
  [`SELECT k, ${from} FROM facts GROUP BY k ORDER BY k`, '>= {a:Date}', '> {a:Date}'],
  [
    `SELECT max(c) AS m, sum(c) AS s FROM (SELECT k, ${from} FROM facts GROUP BY k)`,
    '>= {a:Date}',
    '> {a:Date}',
  ],
  ['SELECT sumIf(v, n = {x:Int32} OR d < {a:Date}) AS s FROM facts', '< {a:Date}', '<= {a:Date}'],
  [
    'SELECT k, sum(if(toStartOfMonth(d) = {a:Date} AND n IN {xs:Array(Int32)}, v, 0)) AS s FROM facts WHERE n != {x:Int32} GROUP BY k ORDER BY k',
    '{xs:Array(Int32)}',
    'arraySlice({xs:Array(Int32)}, 2)',
  ],
])('finds that a read of %s is wrong with %s', async (query, written, instead) => {
  const name = `q${query.length}`;
  for (const isWrong of [false, true]) {
    wrong = isWrong ? [written, instead] : ['', ''];
    await save(test, `${name}_${isWrong}`, { query, is_materialized: true });
    await sync(test);
    const status = await statusOf(test, `${name}_${isWrong}`);
    expect(status).toMatchObject(isWrong ? refused(/inline has one more row/) : proved);
  }
});
