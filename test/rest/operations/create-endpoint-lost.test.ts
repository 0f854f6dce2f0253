/** What a result cannot carry is refused when the query is saved, for every format alike. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestApp } from '../../support/test-app.ts';
import { openSalesApp, runQuery } from '../support/sales.ts';

let test: TestApp;
beforeAll(async () => {
  test = await openSalesApp();
});
afterAll(() => test.close());

const filled = 'FROM numbers(6) WHERE number IN (1, 4) ORDER BY a WITH FILL FROM 0 TO 6';

/** Each refused alike for JSON and for the others, since it is not saved. */
const refused: readonly (readonly [string, RegExp])[] = [
  ['SELECT amount FROM sales GROUP BY amount WITH TOTALS', /^WITH TOTALS at line 1, column 47/],
  ['SELECT count() FROM sales with totals', /ROLLUP/],
  ['SELECT amount FROM sales GROUP BY ALL WITH TOTALS HAVING amount > 1', /TOTALS/],
  ['SELECT amount FROM sales GROUP BY amount WITH CUBE WITH TOTALS', /TOTALS/],
  ['SELECT * FROM (SELECT amount FROM sales GROUP BY amount WITH TOTALS) LIMIT 1', /TOTALS/],
  [
    'WITH t AS (SELECT amount FROM sales GROUP BY amount WITH TOTALS) SELECT DISTINCT amount FROM t',
    /TOTALS/,
  ],
  ['SELECT 1 AS a UNION ALL SELECT amount FROM sales GROUP BY amount WITH TOTALS', /TOTALS/],
  [
    'SELECT a.amount FROM sales AS a JOIN (SELECT amount FROM sales GROUP BY amount WITH TOTALS) AS b USING amount',
    /TOTALS/,
  ],
  [
    `SELECT number AS a, number AS b ${filled} INTERPOLATE`,
    /^INTERPOLATE at line 1, column \d+ has no list/,
  ],
  [
    `SELECT 7, 7 UNION ALL (SELECT number AS a, number AS b ${filled} INTERPOLATE (b AS b + 1))`,
    /subquery/,
  ],
  [
    `SELECT number AS a, number AS \`plus(number, 1)\`, number + 1 ${filled} INTERPOLATE (a)`,
    /needs distinct column names/,
  ],
  [
    `SELECT x FROM (SELECT number AS a, number AS b ${filled} INTERPOLATE (b AS b + 1)) AS t(x, y)`,
    /Name the columns inside/,
  ],
  [
    `WITH t(x, y) AS (SELECT number AS a, number AS b ${filled} INTERPOLATE (b AS b + 1)) SELECT * FROM t`,
    /Name the columns inside/,
  ],
  [
    'SELECT sumState(amount) AS s FROM sales',
    /^The column s is or contains the state .*finalizeAggregation\(s\)/,
  ],
  ["SELECT map('a', [tuple(uniqState(amount))]) AS s FROM sales", /^The column s /],
  ['SELECT CAST(sumState(amount) AS Dynamic) AS s FROM sales', /finalizeAggregation/],
  [
    'SELECT * FROM (SELECT CAST(sumState(amount) AS Variant(AggregateFunction(sum, UInt32), String)) AS s FROM sales)',
    /^The type of CAST .* the state of an aggregate function cannot be parsed/,
  ],
  [
    "SELECT if(a, s, 'x') AS v FROM (SELECT amount > 0 AS a, sumState(amount) AS s FROM sales GROUP BY a)",
    /^The column v /,
  ],
];

describe('what would be lost is refused when it is saved', () => {
  it.each(refused)('%s', async (query, why) => {
    const body = { name: 'never_saved', query };
    const response = await test.rest('POST', '/endpoints', { body });
    expect([response.status, response.body]).toEqual([
      400,
      {
        type: 'validation_error',
        code: 'invalid_query',
        detail: expect.stringMatching(why),
        attr: 'query',
      },
    ]);
    expect((await test.rest('GET', '/endpoints/never_saved')).status).toBe(404);
  });

  it('and finished states are not', async () => {
    const query =
      'SELECT finalizeAggregation(s) AS n, sumMerge(s) OVER () AS m FROM (SELECT sumState(toUInt32(7)) AS s)';
    expect((await runQuery(test, query)).body).toMatchObject({ results: [[7, 7]] });
  });
});
