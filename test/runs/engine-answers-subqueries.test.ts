/** What the engine answers wrongly of correlated subqueries, enums and counts in windows: right here, or refused with what to write. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTestApp, type TestApp } from '../support/test-app.ts';

let test: TestApp;
beforeAll(async () => {
  test = await openTestApp();
  await test.sql(
    'CREATE TABLE users (id UInt32, name Nullable(String), most Nullable(Int32)) ENGINE = MergeTree ORDER BY id',
  );
  await test.sql("INSERT INTO users VALUES (1, 'a', 5), (2, NULL, NULL), (3, 'c', 20)");
  await test.sql(
    'CREATE TABLE orders (id UInt32, user UInt32, paid Nullable(Int32)) ENGINE = MergeTree ORDER BY id',
  );
  await test.sql('INSERT INTO orders VALUES (1, 1, 10), (2, 1, NULL), (3, 2, 7)');
  await test.sql(
    `CREATE TABLE codes (code String, plan Enum8('x' = 1, 'b' = 2, 'a' = 3)) ENGINE = MergeTree ORDER BY code SETTINGS index_granularity = 8
     AS SELECT ['x', 'b', 'a', 'c'][number % 4 + 1], ['x', 'b', 'a'][number % 3 + 1] FROM numbers(1200)`,
  );
});
afterAll(() => test.close());

async function answer(query: string, variables: Readonly<Record<string, unknown>> = {}) {
  return (await test.rest('POST', '/query', { body: { query, variables } })).body;
}

const refused = (detail: RegExp) => ({
  code: 'invalid_query',
  detail: expect.stringMatching(detail),
});

describe('a correlated subquery that counts', () => {
  const ofUser = 'FROM orders WHERE orders.user = u.id';
  it.each([
    `SELECT id, (SELECT count() ${ofUser}) AS n FROM users AS u`,
    `SELECT id FROM users AS u WHERE (SELECT count() ${ofUser}) = 0`,
    `SELECT id, (SELECT count(paid) > 0 ${ofUser}) AS n FROM users AS u`,
    `SELECT id, (SELECT uniqExact(paid) + 1 ${ofUser}) AS n FROM users AS u`,
    `SELECT id, (SELECT countIf(paid > 5) ${ofUser}) AS n FROM users AS u`,
    `SELECT id, (SELECT COUNT(DISTINCT paid) ${ofUser}) AS n FROM users AS u`,
    `SELECT id, (SELECT coalesce(sum(paid), 0) ${ofUser}) AS n FROM users AS u`,
    `SELECT id, (SELECT length(groupArray(paid)) ${ofUser}) AS n FROM users AS u`,
    `SELECT id, (SELECT sumOrDefault(paid) ${ofUser}) AS n FROM users AS u`,
  ])('is refused where it may be NULL: %s', async (query) => {
    expect(await answer(query)).toMatchObject(refused(/, column .* write ifNull\(\(SELECT /));
  });

  it.each([
    ['ifNull(', ', 0)'],
    ['coalesce(', ', 0)'],
  ])('is right within %s…%s', async (before, after) => {
    const query = `SELECT id, ${before}(SELECT count() ${ofUser})${after} AS n FROM users AS u ORDER BY id`;
    expect(await answer(query)).toMatchObject({
      results: [
        [1, 2],
        [2, 1],
        [3, 0],
      ],
    });
  });

  it.each([
    'count() = 0',
    'COUNT(*) < 2',
    'count() >= 0',
    'count() = {n:UInt8}',
    'count() > 1 OR max(paid) > 7',
  ])('is refused in HAVING, which is true of no rows: %s', async (having) => {
    const query = `SELECT id FROM users AS u WHERE EXISTS (SELECT 1 ${ofUser} HAVING ${having})`;
    const found = await answer(query, having.includes('{') ? { n: 0 } : {});
    expect(found).toMatchObject(
      refused(/HAVING.*compare outside the subquery: ifNull\(\(SELECT count/),
    );
  });

  it.each([
    ['EXISTS', 'count() > 1', [1]],
    ['NOT EXISTS', 'COUNT(*) >= 2', [2, 3]],
    ['EXISTS', 'count() = 1', [2]],
    ['EXISTS', 'max(paid) > 8', [1]],
  ])('is right where HAVING needs rows: %s … HAVING %s', async (exists, having, ids) => {
    const found = await answer(
      `SELECT id FROM users AS u WHERE ${exists} (SELECT 1 ${ofUser} HAVING ${having}) ORDER BY id`,
    );
    expect(found).toMatchObject({ results: ids.map((id) => [id]) });
  });

  it('is accepted where it is NULL for no rows anyway, or counts the rows of the whole table', async () => {
    for (const query of [
      `SELECT id, (SELECT max(paid) ${ofUser}) AS n FROM users AS u ORDER BY id LIMIT 1`,
      'SELECT id, (SELECT count() + 7 FROM orders) AS n FROM users ORDER BY id LIMIT 1',
      `SELECT id, (SELECT groupArray(paid)[1] ${ofUser}) AS n FROM users AS u ORDER BY id LIMIT 1`,
      `SELECT id, (SELECT max(paid) * 3 / (SELECT count() FROM orders) ${ofUser}) AS n FROM users AS u ORDER BY id LIMIT 1`,
      `SELECT id, 8 + (SELECT sum(NOT (paid > 10)) ${ofUser} AND paid > 0) + 1 AS n FROM users AS u ORDER BY id LIMIT 1`,
      `SELECT id, ifNull((SELECT coalesce(sum(paid), 0) ${ofUser}), 0) AS n FROM users AS u ORDER BY id LIMIT 1`,
    ])
      expect(await answer(query)).toMatchObject({ results: [[1, 10]] });
  });
});

describe('a correlated subquery of a column that may be NULL', () => {
  it.each([
    'EXISTS (SELECT 1 FROM orders WHERE u.most IS NULL OR orders.paid > u.most)',
    'NOT EXISTS (SELECT 1 FROM orders WHERE u.most IS NULL)',
    'EXISTS (SELECT 1 FROM orders WHERE orders.paid > ifNull(u.most, 0))',
    'EXISTS (SELECT u.most FROM orders WHERE orders.user = u.id)',
    'EXISTS (SELECT 1 FROM orders WHERE NOT (u.most != 5 AND orders.paid > 100))',
    'EXISTS (SELECT 1 FROM orders WHERE NOT arrayExists(x -> x = u.most, [1]))',
    'EXISTS (SELECT 1 FROM orders WHERE paid <=> u.most)',
    'EXISTS (SELECT 1 FROM orders WHERE transform(u.most, [0], [1], 1))',
    '(SELECT sumIf(id, orders.id > u.most) FROM orders) = 0',
  ])('is refused where rows with NULL would be lost: %s', async (where) => {
    expect(await answer(`SELECT id FROM users AS u WHERE ${where}`)).toMatchObject(
      refused(/The column most at line 1, column .* WHERE most IS NULL OR EXISTS/),
    );
  });

  it.each([
    ['EXISTS (SELECT 1 FROM orders WHERE orders.paid > u.most)', [1]],
    ['NOT EXISTS (SELECT 1 FROM orders WHERE orders.paid > u.most AND paid > 0)', [2, 3]],
    ['u.most IS NULL OR EXISTS (SELECT 1 FROM orders WHERE orders.paid > u.most)', [1, 2]],
    ['EXISTS (SELECT 1 FROM orders WHERE user = u.id AND u.most IS NOT NULL)', [1]],
    ['EXISTS (SELECT u.most FROM orders WHERE paid > u.most AND (id = 1 OR u.most > 6))', [1]],
    ['EXISTS (SELECT 1 FROM orders WHERE u.id = 3 OR orders.user = u.id)', [1, 2, 3]],
  ])('is right: %s', async (where, ids) => {
    const found = await answer(`SELECT id FROM users AS u WHERE ${where} ORDER BY id`);
    expect(found).toMatchObject({ results: ids.map((id) => [id]) });
  });
});

it.each([
  'SELECT id, count(paid) OVER (ORDER BY id) AS n FROM orders ORDER BY id',
  'SELECT id, n FROM (SELECT id, COUNT (paid) OVER w AS n FROM orders WINDOW w AS (ORDER BY id)) ORDER BY id',
])('a window counts the values that are not NULL: %s', async (query) => {
  expect(await answer(query)).toMatchObject({
    results: [
      [1, 1],
      [2, 1],
      [3, 2],
    ],
  });
});

it('two comparisons of values of several types have no third one', async () => {
  const all = await answer(
    "SELECT sum(first * second) AS n FROM (SELECT plan > code AS first, code > 'a' AS second FROM codes)",
  );
  expect(all).toMatchObject({ results: [[200]] });
  for (const query of [
    "SELECT count() AS n FROM codes WHERE plan > code AND code > 'a'",
    "SELECT countIf(plan > code AND code > 'a') AS n FROM codes",
  ])
    expect(await answer(query)).toMatchObject({ results: [[200]] });
});

describe('a text compared with a value of an Enum', () => {
  it.each([
    "code = {plan:Enum8('x' = 1, 'b' = 2)}",
    "code < CAST('x', 'Enum8(\\'x\\' = 1)')",
    "code != {plan:Enum8('x' = 1, 'b' = 2)}",
    "code IN (CAST('x', 'Enum8(\\'x\\' = 1)'))",
    "code NOT IN {plans:Array(Enum8('x' = 1, 'b' = 2))}",
  ])('is refused: %s', async (where) => {
    const body = await answer(
      `SELECT count() AS n FROM codes WHERE ${where}`,
      where.includes('{plans') ? { plans: ['x'] } : where.includes('{') ? { plan: 'x' } : {},
    );
    expect(body).toMatchObject(refused(/line 1, column 38.*CAST\(… AS String\).*\{name:String\}/));
  });

  it.each(["code = CAST({plan:Enum8('x' = 1, 'b' = 2)} AS String)", 'code = {plan:String}'])(
    'is right as a String: %s',
    async (where) => {
      const found = await answer(`SELECT count() AS n FROM codes WHERE ${where}`, { plan: 'x' });
      expect(found).toMatchObject({ results: [[300]] });
    },
  );
});
