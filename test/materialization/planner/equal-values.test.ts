/**
 * `any` and the like over expressions of every kind of value, in groups of equal values and in groups of several: what a
 * plan reads is what the query gives, or its check finds the values.
 */
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { takeProjectIds } from '../../support/take-project-ids.ts';
import { createGrid, gridExpressions } from '../support/aggregate-grid.ts';
import { hasFaults, meetsZero } from '../support/comparison.ts';
import { type Laboratory, openLaboratory } from '../support/laboratory.ts';

let laboratory: Laboratory;
beforeAll(async () => {
  laboratory = await openLaboratory(inject('engine'), await takeProjectIds(inject('postgres')));
  await createGrid(laboratory);
});
afterAll(() => laboratory?.close());

const chosen = 'any(x) AS a, anyLast(x) AS l, anyIf(x, u > 20) AS c, first_value(x) AS f';
const ranges = [
  { lo: 0, hi: 5 },
  { lo: 4, hi: 999 },
  { lo: 900, hi: 999 },
];

it.each(gridExpressions)('%s', async (expression) => {
  const from = `FROM (SELECT g, k, u, ${expression} AS x FROM grid) WHERE k >= {lo:Int32} AND k <= {hi:Int32}`;
  const equal = `SELECT g, hex(sipHash128(x)) AS h, ${chosen}, count() AS n ${from} GROUP BY g, h ORDER BY g, h`;
  const planned = await laboratory.plan({ sql: equal });
  if (planned.kind === 'refusal') throw new Error(planned.reason);
  const { plan } = planned;
  expect(plan.sourceChecks).toHaveLength(4);
  expect(await hasFaults(laboratory, plan)).toBe(false);
  const table = await laboratory.store(plan).catch(meetsZero);
  if (table === null) return;
  for (const values of ranges) {
    const inline = await laboratory.run({ sql: equal }, values);
    expect(inline[0]).not.toMatch(/^error/);
    expect(await laboratory.read({ plan, table }, { sql: equal }, values)).toEqual(inline);
  }
  await laboratory.drop(table);
  const distinct = `SELECT max(n) AS most FROM (SELECT uniqExact(x) AS n FROM (SELECT g, ${expression} AS x FROM grid) GROUP BY g)`;
  const [, , most] = await laboratory.run({ sql: distinct }, {});
  const several = await laboratory.plan({ sql: `SELECT g, any(x) AS a ${from} GROUP BY g` });
  if (several.kind === 'refusal') throw new Error(several.reason);
  expect(await hasFaults(laboratory, several.plan)).toBe(!/^\["?[01]"?\]$/.test(most ?? ''));
});
