/** Totals are refused where the engine would write some, and nowhere else, whatever is around them. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTestApp, type TestApp } from '../support/test-app.ts';

let test: TestApp;
beforeAll(async () => {
  test = await openTestApp();
});
afterAll(() => test.close());

const totals = 'SELECT number AS a FROM numbers(3) GROUP BY number WITH TOTALS HAVING count() > 0';
const one = 'SELECT toUInt64(1) AS a';

/** Each has one column, `a`. */
const around: readonly (readonly [what: string, wrap: (query: string) => string])[] = [
  ['a subquery', (q) => `SELECT a FROM (${q})`],
  ['DISTINCT', (q) => `SELECT DISTINCT a FROM (${q})`],
  ['LIMIT', (q) => `SELECT a FROM (${q}) ORDER BY a LIMIT 2`],
  ['LIMIT BY', (q) => `SELECT a FROM (${q}) LIMIT 1 BY a`],
  ['WHERE', (q) => `SELECT a FROM (${q}) WHERE a > 0`],
  ['a window', (q) => `SELECT row_number() OVER (ORDER BY a) AS a FROM (${q})`],
  ['ARRAY JOIN', (q) => `SELECT a FROM (${q}) ARRAY JOIN [1, 2] AS z`],
  ['WITH FILL', (q) => `SELECT a FROM (${q}) ORDER BY a WITH FILL`],
  ['LEFT JOIN', (q) => `SELECT x.a AS a FROM (${one}) AS x LEFT JOIN (${q}) AS y ON x.a = y.a`],
  ['RIGHT JOIN', (q) => `SELECT x.a AS a FROM (${one}) AS x RIGHT JOIN (${q}) AS y ON x.a = y.a`],
  ['CROSS JOIN', (q) => `SELECT x.a AS a FROM (${q}) AS x CROSS JOIN (${one}) AS y`],
  ['UNION ALL', (q) => `(${q}) UNION ALL (${one})`],
  ['UNION ALL behind it', (q) => `(${one}) UNION ALL (${q})`],
  ['UNION DISTINCT', (q) => `(${q}) UNION DISTINCT (${one})`],
  ['INTERSECT', (q) => `(${q}) INTERSECT (${one})`],
  ['EXCEPT', (q) => `(${q}) EXCEPT (${one})`],
  ['an aggregate', (q) => `SELECT count() AS a FROM (${q})`],
  ['GROUP BY', (q) => `SELECT a FROM (${q}) GROUP BY a`],
  ['ROLLUP', (q) => `SELECT a FROM (${q}) GROUP BY a WITH ROLLUP`],
  ['totals again', (q) => `SELECT a FROM (${q}) GROUP BY a WITH TOTALS`],
  ['a scalar', (q) => `SELECT assumeNotNull((SELECT max(a) FROM (${q}))) AS a`],
  ['IN', (q) => `SELECT number AS a FROM numbers(3) WHERE number IN (${q})`],
  ['WITH', (q) => `WITH w AS (${q}) SELECT a FROM w`],
];

const between = around.filter(([what]) =>
  /^(DISTINCT|a window|LEFT|UNION ALL b|EXCEPT|an agg|GROUP BY|totals|IN$)/.test(what),
);

let saved = 0;

async function expectTotalsRefused(query: string): Promise<void> {
  const response = JSON.parse(await test.sql(`${query} FORMAT JSON`)) as {
    readonly totals?: object;
  };
  saved += 1;
  const { status, body } = await test.rest('POST', '/endpoints', {
    body: { name: `totals_${saved}`, query },
  });
  const found = { query, isRefused: status !== 201, detail: body.detail ?? null };
  const hasTotals = response.totals !== undefined;
  expect(found).toEqual({
    query,
    isRefused: hasTotals,
    detail: hasTotals ? expect.stringMatching(/^WITH TOTALS at line 1/) : null,
  });
}

describe.each(around)('%s around totals', (_what, outer) => {
  it('is refused when the engine writes totals', () => expectTotalsRefused(outer(totals)));

  it('also with something between', async () => {
    for (const [, inner] of between) await expectTotalsRefused(outer(inner(totals)));
  });
});
