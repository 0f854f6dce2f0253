/** What the engine answers wrongly of windows, groupings and subqueries with several rows: refused with what to write instead. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTestApp, type TestApp } from '../support/test-app.ts';

let test: TestApp;
beforeAll(async () => {
  test = await openTestApp();
  await test.sql('CREATE TABLE parts (k UInt8, v UInt8) ENGINE = MergeTree ORDER BY k');
  await test.sql('INSERT INTO parts VALUES (1, 10), (1, 20), (2, 30)');
  await test.sql(
    'CREATE TABLE marks (k UInt8, n Nullable(Int32), f Float64, s String) ENGINE = MergeTree ORDER BY k',
  );
  await test.sql("INSERT INTO marks VALUES (1, 1, 1, '1'), (2, 10, 10, '01'), (3, NULL, nan, '2')");
});
afterAll(() => test.close());

async function answer(query: string) {
  return (await test.rest('POST', '/query', { body: { query } })).body;
}

const refused = (detail: string) => ({
  code: 'invalid_query',
  detail: expect.stringContaining(detail),
});

const ofMark = 'FROM parts WHERE parts.k = m.k';

describe('a correlated subquery that is a value', () => {
  it.each([
    `SELECT k, (SELECT v ${ofMark}) AS x FROM marks AS m`,
    `SELECT k, (SELECT v ${ofMark} GROUP BY v) AS x FROM marks AS m`,
    `SELECT k, (SELECT v FROM (SELECT v, max(k) AS most ${ofMark} GROUP BY v)) AS x FROM marks AS m`,
    `SELECT k FROM marks AS m WHERE (SELECT v ${ofMark}) > 10`,
  ])('is refused where it may have several rows: %s', async (query) => {
    expect(await answer(query)).toMatchObject(refused('write (SELECT max(v) …), or any(v)'));
  });

  it.each([
    [`(SELECT max(v) ${ofMark})`, [20, 30, null]],
    [`(SELECT x FROM (SELECT max(v) AS x ${ofMark}))`, [20, 30, null]],
    [`(SELECT max(x) FROM (SELECT v AS x ${ofMark}))`, [20, 30, null]],
    ['(SELECT m.k)', [1, 2, 3]],
    [`EXISTS (SELECT v ${ofMark})`, [1, 1, 0]],
  ])('is right of one row: %s', async (value, values) => {
    const query = `SELECT ${value} AS x FROM marks AS m ORDER BY k`;
    expect(await answer(query)).toMatchObject({ results: values.map((one) => [one]) });
  });
});

describe('a window', () => {
  const near = 'RANGE BETWEEN 2 PRECEDING AND 2 FOLLOWING';

  it.each([
    [`(ORDER BY n ${near})`, 'write ORDER BY n NULLS FIRST'],
    [`(ORDER BY n RANGE 2 PRECEDING)`, 'write ORDER BY n NULLS FIRST'],
    [`(ORDER BY n DESC NULLS FIRST ${near})`, 'write ORDER BY n NULLS FIRST'],
    [`(ORDER BY f ${near})`, 'write a number in its place'],
    [`(ORDER BY f NULLS FIRST ${near})`, 'write a number in its place'],
    [`w AS c FROM marks WINDOW w AS (ORDER BY n ${near})`, 'write ORDER BY n NULLS FIRST'],
    ["(ORDER BY s COLLATE 'en-u-kn-true')", 'is sorted with COLLATE'],
  ])('is refused that takes rows for near that are not: OVER %s', async (over, advice) => {
    const from = over.includes('FROM') ? '' : ' AS c FROM marks';
    expect(await answer(`SELECT count() OVER ${over}${from}`)).toMatchObject(refused(advice));
  });

  it.each([
    [`(ORDER BY n NULLS FIRST ${near})`, [1, 1, 1]],
    [`(ORDER BY n DESC ${near})`, [1, 1, 1]],
    [`(ORDER BY n DESC NULLS LAST ${near})`, [1, 1, 1]],
    [`(ORDER BY ifNotFinite(f, 99) ${near})`, [1, 1, 1]],
    [`(ORDER BY toFloat64(k) ${near})`, [3, 3, 3]],
    ['(ORDER BY n RANGE UNBOUNDED PRECEDING)', [1, 2, 3]],
    ['(ORDER BY n)', [1, 2, 3]],
    ['(ORDER BY f ROWS 1 PRECEDING)', [1, 2, 2]],
  ])('is right: OVER %s', async (over, counts) => {
    const found = await answer(`SELECT count() OVER ${over} AS c FROM marks ORDER BY k`);
    expect(found).toMatchObject({ results: counts.map((count) => [count]) });
  });
});

describe('a grouping', () => {
  it.each([
    ['SELECT n FROM marks GROUP BY GROUPING SETS ((n), ())', 'such as count()'],
    [
      'SELECT n, grouping(n) AS g FROM marks GROUP BY GROUPING SETS ((n), ()) ORDER BY n',
      'such as count()',
    ],
    ['SELECT (k, n) AS q, count() AS c FROM marks GROUP BY q WITH ROLLUP', 'GROUP BY ROLLUP(a, b)'],
    ['SELECT (k, n) AS q, f, count() AS c FROM marks GROUP BY CUBE(q, f)', 'GROUP BY CUBE(a, b)'],
    ['SELECT (k, n), count() AS c FROM marks GROUP BY 1 WITH CUBE', 'GROUP BY CUBE(a, b)'],
  ])('is refused whose rows would be wrong: %s', async (query, advice) => {
    expect(await answer(query)).toMatchObject(refused(advice));
  });

  it.each([
    ['SELECT n, count() AS c FROM marks GROUP BY GROUPING SETS ((n), ())', 4],
    ['SELECT n FROM marks GROUP BY GROUPING SETS ((n), ()) HAVING count() > 0', 4],
    ['SELECT n, k FROM marks GROUP BY GROUPING SETS ((n), (k))', 6],
    ['SELECT n FROM marks GROUP BY n WITH ROLLUP', 4],
    ['SELECT q, count() AS c FROM (SELECT (k, n) AS q FROM marks) GROUP BY q WITH ROLLUP', 4],
    ['SELECT k, n, count() AS c FROM marks GROUP BY ROLLUP(k, n)', 7],
    ['SELECT (k, n) AS q, count() AS c FROM marks GROUP BY ROLLUP(k, n)', 7],
    ['SELECT (k, n) AS q, count() AS c FROM marks GROUP BY (k, n) WITH ROLLUP', 7],
    ['SELECT (k, n) AS q, count() AS c FROM marks GROUP BY q', 3],
    ['SELECT (k, n) AS q, f, count() AS c FROM marks GROUP BY (q, f) WITH CUBE', 10],
  ])('is right: %s', async (query, rows) => {
    expect((await answer(query)).results).toHaveLength(rows);
  });
});
