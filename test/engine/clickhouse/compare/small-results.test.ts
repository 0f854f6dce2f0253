/** Small results are compared by their rows as texts: with the outcome of a comparison in the engine. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openTestApp, type TestApp } from '../../../support/test-app.ts';

let test: TestApp;
beforeAll(async () => {
  test = await openTestApp();
});
afterAll(() => test?.close());

const digest = (sql: string, isSmall: boolean) =>
  test.backends.engine.digest({
    projectId: test.project.id,
    sql,
    params: {},
    queryId: randomUUID(),
    share: { threads: 2, priority: 1 },
    inOrder: 'all',
    isSmall,
  });

const listOf = (...rows: readonly string[]) => `SELECT arrayJoin([${rows.join(', ')}]) AS x`;

it.each([
  [
    'a NULL and a text',
    listOf('NULL', "'a'"),
    "SELECT arrayJoin(CAST(['\\\\N', 'a'] AS Array(Nullable(String)))) AS x",
  ],
  [
    'NULL within a list',
    "SELECT [NULL, 'a'] AS x",
    "SELECT ['NULL', CAST('a' AS Nullable(String))] AS x",
  ],
  ['0 and -0', listOf('0.', '1.'), listOf('-0.', '1.')],
  ['floats that differ in the last bit', 'SELECT 0.1 + 0.2 AS x', 'SELECT 0.3 AS x'],
  ['one row with a line break and two rows', "SELECT 'a\\nb' AS x", listOf("'a'", "'b'")],
  [
    'a tab within one of two columns',
    "SELECT 'a\\tb' AS x, 'c' AS y",
    "SELECT 'a' AS x, 'b\\tc' AS y",
  ],
  ['a backslash', "SELECT 'a\\\\n' AS x", "SELECT 'a\\n' AS x"],
  ['texts that are not valid UTF-8', "SELECT unhex('ff') AS x", "SELECT unhex('fe') AS x"],
  [
    'a time that clocks repeat',
    "SELECT toDateTime(1729987200, 'Europe/Berlin') AS x",
    "SELECT toDateTime(1729990800, 'Europe/Berlin') AS x",
  ],
  [
    'fractions of a second',
    "SELECT toDateTime64('2024-01-01 00:00:00.1', 9) AS x",
    "SELECT toDateTime64('2024-01-01 00:00:00.100000001', 9) AS x",
  ],
  [
    'a dynamic value',
    'SELECT CAST(toUInt64(1) AS Dynamic) AS x',
    "SELECT CAST('1' AS Dynamic) AS x",
  ],
  ['an order', listOf('1', '2'), listOf('2', '1')],
  ['a row more', listOf('1', '1'), listOf('1')],
  ['an empty text and no row', "SELECT '' AS x", "SELECT '' AS x LIMIT 0"],
])('%s differ', async (_, one, other) => {
  for (const isSmall of [true, false]) {
    const [first, second] = [await digest(one, isSmall), await digest(other, isSmall)];
    expect([first.rows, first.hash, first.sequence]).not.toEqual([
      second.rows,
      second.hash,
      second.sequence,
    ]);
    expect(await digest(one, isSmall)).toEqual(first);
  }
});

it('rows in another order have the same hash, and another sequence', async () => {
  const [one, other] = [
    await digest(listOf('1', '2', '3'), true),
    await digest(listOf('3', '1', '2'), true),
  ];
  expect(one).toMatchObject({ rows: 3, hash: other.hash });
  expect(one.sequence).not.toBe(other.sequence);
});

it('a result of more than 64 KiB is not taken for a small one', async () => {
  const large = 'SELECT number AS x FROM numbers(20000) ORDER BY x';
  await expect(digest(large, true)).rejects.toMatchObject({ code: 'query_too_large' });
  expect(await digest(large, false)).toMatchObject({ rows: 20_000 });
});
