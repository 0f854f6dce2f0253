/** The judge of the suites finds what is wrong, and takes what a query leaves open. */
import { describe, expect, it } from 'vitest';
import { findFault, wholeResultOf } from '../../../bench/suites/whole-result.ts';

describe('the whole result', () => {
  it('has all that LIMIT may take, and the values that ORDER BY sorts by', () => {
    expect(
      wholeResultOf(
        "SELECT f(a, ' FROM ') AS b, c FROM t ORDER BY b DESC, g(c, 1) LIMIT 10 OFFSET 5",
      ),
    ).toEqual({
      statement:
        "SELECT f(a, ' FROM ') AS b, c , tuple(b, g(c, 1)) AS sorted_by FROM t ORDER BY b DESC, g(c, 1) LIMIT 15 WITH TIES",
      limit: 10,
      offset: 5,
    });
  });

  it('is tied without ORDER BY', () => {
    expect(wholeResultOf('SELECT EXTRACT(YEAR FROM d) FROM t')).toEqual({
      statement: 'SELECT EXTRACT(YEAR FROM d) , tuple() AS sorted_by FROM t',
      limit: null,
      offset: 0,
    });
  });
});

/** Sorted by the number, with a tie. */
const whole = {
  types: ['String', 'Int32', 'Float64', 'Tuple(Int32)'],
  rows: [
    ['a', 1, 0.5, [1]],
    ['b', 2, 0.5, [2]],
    ['c', 2, 0.5, [2]],
    ['d', 3, 1e9, [3]],
  ],
  offset: 0,
  limit: null,
};
const [a, b, c, d] = whole.rows.map((row) => row.slice(0, 3));

describe('an answer', () => {
  it.each([
    ['in another order of its ties', [a, c, b, d], {}],
    ['with any row of a tie under LIMIT', [a, c], { limit: 2 }],
    ['from an offset', [b, d], { offset: 2 }],
    ['that ends before its limit', [d], { offset: 3, limit: 10 }],
    ['with floats of other last digits', [a, b, c, ['d', 3, 1e9 + 0.5]], {}],
  ])('%s is exact', (_what, rows, limits) => {
    expect(findFault({ ...whole, ...limits }, asRows(rows))).toBeNull();
  });

  it.each([
    ['without a row', [a, b, c], {}, /3 rows instead of 4/],
    ['with a row too many', [a, b], { limit: 1 }, /2 rows instead of 1/],
    ['with a row twice', [a, b, b, d], {}, /row 3/],
    ['out of order', [b, a, c, d], {}, /row 1/],
    ['with a later row under LIMIT', [a, d], { limit: 2 }, /row 2/],
    ['with another number', [a, b, ['c', 5, 0.5], d], {}, /row 3/],
    ['with another float', [a, b, c, ['d', 3, 1e9 + 2]], {}, /row 4/],
  ])('%s is not', (_what, rows, limits, fault) => {
    expect(findFault({ ...whole, ...limits }, asRows(rows))).toMatch(fault);
  });
});

function asRows(rows: readonly (readonly unknown[] | undefined)[]) {
  return rows.map((row) => row ?? []);
}
