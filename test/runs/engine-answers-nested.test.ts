/** Arrays, tuples and maps, and texts of NaN, that the engine compares otherwise in an index: right here, or refused with what to write instead. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTestApp, type TestApp } from '../support/test-app.ts';

let test: TestApp;
beforeAll(async () => {
  test = await openTestApp();
  await test.sql(
    'CREATE TABLE gaps (id UInt8, v Array(Nullable(String)), t Tuple(Int32, Nullable(String)), m Map(String, Nullable(Int8)), n Nullable(Int32)) ENGINE = MergeTree ORDER BY (v, t, m, n) SETTINGS index_granularity = 1, allow_nullable_key = 1',
  );
  await test.sql(
    "INSERT INTO gaps VALUES (1, ['a'], (1, 'a'), {'a':1}, 1), (2, [NULL], (2, NULL), {}, NULL), (3, ['a', NULL], (1, NULL), {'a':NULL}, 3), (4, ['b'], (4, 'd'), {}, 4), (5, [], (6, 'e'), {}, 5)",
  );
  await test.sql(
    'CREATE TABLE lists (id UInt8, s String, v Array(String), t Tuple(UInt8, String), at Array(DateTime), ts DateTime, flags Array(Bool), flag Tuple(Bool, UInt8), INDEX of_flags (flags, flag) TYPE minmax) ENGINE = MergeTree ORDER BY (v, t, at, s, ts) SETTINGS index_granularity = 1',
  );
  await test.sql(
    "INSERT INTO lists VALUES (1, 'a', ['a'], (2, 'c'), ['2024-01-01 00:00:00'], '2024-01-01 00:00:00', [true], (true, 1)), (2, 'b', ['b'], (3, 'd'), [], '2024-01-02 00:00:00', [false], (false, 2)), (3, 'c', [], (4, 'e'), [], '2024-01-03 00:00:00', [], (false, 3))",
  );
});
afterAll(() => test.close());

const given: Readonly<Record<string, unknown>> = {
  texts: ['a'],
  fixed: ['a'],
  lists: [['a']],
  flags: [true],
  flag: true,
  codes: ['a'],
  none: [],
  code: 'a',
  number: 'nan',
};

async function count(table: string, where: string) {
  const named = Object.entries(given).filter(([name]) => where.includes(`{${name}:`));
  const query = `SELECT count() FROM ${table} WHERE ${where}`;
  const body = { query, variables: Object.fromEntries(named) };
  return (await test.rest('POST', '/query', { body })).body;
}

async function expectRefusal(table: string, where: string, reason: string) {
  expect(await count(table, where)).toMatchObject({
    code: 'invalid_query',
    detail: expect.stringContaining(reason),
  });
}

describe('an array, tuple or map with NULLs that is compared as a whole', () => {
  it.each([
    ["v = ['a']", 'write v IN (…) instead'],
    ["['a'] = v", 'The column v at line 1, column 40 has elements that may be NULL'],
    ['v = {texts:Array(String)}', 'write v IN (…) instead'],
    ['v = {none:Array(String)}', 'write v IN (…) instead'],
    ['v = [NULL]', 'write v IN (…) instead'],
    ["v != ['a']", 'write v NOT IN (…) instead'],
    ["v >= ['a']", 'compare its elements instead, as v[1]'],
    ["v BETWEEN ['a'] AND ['b']", 'as v[1]'],
    ["NOT (v < ['c'])", 'as v[1]'],
    ["v IS NOT DISTINCT FROM ['a']", 'write v IN (…) instead'],
    ["(id, v) = (1, ['a'])", 'write v IN (…) instead'],
    ["t = (1, 'a')", 'write t IN (…) instead'],
    ["t > (1, 'a')", 'as t.1'],
    ["m = map('a', 1)", 'write m IN (…) instead'],
  ])('is refused: %s', (where, reason) => expectRefusal('gaps', where, reason));

  it.each([
    ["v IN (['a'])", 1],
    ['v IN ({texts:Array(String)})', 1],
    ['v IN ([NULL])', 1],
    ["v NOT IN (['a'])", 4],
    ['v = []', 1],
    ['v != []', 4],
    ["has(v, 'a')", 2],
    ["v[1] >= 'a'", 3],
    ["t IN ((1, 'a'))", 1],
    ["t.1 = 1 AND t.2 = 'a'", 1],
    ["m IN (map('a', 1))", 1],
    ['(id, n) = (1, 1)', 1],
    ['(n, id) > (3, 3)', 2],
    ['[n] = [1]', 1],
  ])('is right otherwise: %s', async (where, rows) => {
    expect(await count('gaps', where)).toMatchObject({ results: [[rows]] });
  });

  it('is right in HAVING', async () => {
    const query = "SELECT id FROM gaps GROUP BY id HAVING groupUniqArrayArray(v) = ['b']";
    const { body } = await test.rest('POST', '/query', { body: { query } });
    expect(body).toMatchObject({ results: [[4]] });
  });
});

describe('elements that are compared with those of another type', () => {
  it.each([
    ["v = [toFixedString('a', 2)]", 'give these the type Array(String)'],
    ['v = {fixed:Array(FixedString(2))}', 'with those of type FixedString(2)'],
    ['v > {codes:Array(FixedString(1))}', 'with those of type FixedString(1)'],
    ["v >= [CAST('a' AS Enum8('a' = 1))]", "with those of type Enum8('a' = 1)"],
    ["t = (2, toFixedString('c', 2))", 'give these the type Tuple(UInt8, String)'],
    ["t = (2, CAST('c' AS Enum8('c' = 1)))", 'give these the type Tuple(UInt8, String)'],
    ["(id, v) = (1, [toFixedString('a', 2)])", 'The column v'],
    ["(id, s) = (1, toFixedString('a', 2))", 'The column s'],
    ['(id, s) != (1, {code:FixedString(2)})', 'a variable {name:String}'],
    ["(s, id) = (CAST('a' AS Enum8('a' = 1)), 1)", 'CAST(… AS String)'],
    ["at = [toDate('2024-01-01')]", 'give these the type Array(DateTime)'],
    ["at <= [toDate32('2024-01-01')]", 'with those of type Date32'],
    ["(ts, id) = ('20240101', 1)", "write '2024-01-01'"],
  ])('is refused: %s', (where, reason) => expectRefusal('lists', where, reason));

  it.each([
    ["v = ['a']", 1],
    ['v = {texts:Array(String)}', 1],
    ["v = [toFixedString('a', 1)]", 1],
    ["v = CAST([toFixedString('a', 2)] AS Array(String))", 1],
    ["t = (2, 'c')", 1],
    ['t >= (3, {code:String})', 2],
    ["(id, s) = (1, 'a')", 1],
    ["at = [toDateTime('2024-01-01 00:00:00')]", 1],
    ["at >= [toDateTime64('2024-01-01 00:00:00', 3)]", 1],
    ["(ts, id) = ('2024-01-01 00:00:00', 1)", 1],
    ["(s, id) <= (toFixedString('b', 2), 2)", 2],
    ["(s, id) < ('20240101', 1)", 0],
    ["[s] = [toFixedString('a', 2)]", 1],
  ])('is right otherwise: %s', async (where, rows) => {
    expect(await count('lists', where)).toMatchObject({ results: [[rows]] });
  });
});

describe('Bools of arrays and tuples', () => {
  it.each([
    ['flags = [true]', 'write flags IN (…) instead'],
    ['flags = {flags:Array(Bool)}', 'elements of type Bool'],
    ['flags <= [1]', 'as flags[1]'],
    ['flag = ({flag:Bool}, 1)', 'write flag IN (…) instead'],
    ['(id, flags) = (1, [true])', 'write flags IN (…) instead'],
  ])('are refused where they are compared as a whole: %s', (where, reason) =>
    expectRefusal('lists', where, reason),
  );

  it.each([
    ['flags IN ([true])', 1],
    ['flags IN ({flags:Array(Bool)})', 1],
    ['flags != []', 2],
    ['has(flags, true)', 1],
    ['flag IN ((true, 1))', 1],
    ['flag.1 = true', 1],
  ])('are right otherwise: %s', async (where, rows) => {
    expect(await count('lists', where)).toMatchObject({ results: [[rows]] });
  });
});

describe('a floating point number that is compared with NaN', () => {
  beforeAll(async () => {
    await test.sql(
      'CREATE TABLE floats (x Float64) ENGINE = MergeTree ORDER BY x SETTINGS index_granularity = 1 AS SELECT [1., nan, 3.][number + 1] AS x FROM numbers(3)',
    );
  });

  it.each(["NOT (x < 'nan')", "NOT ('-NaN' <= x)"])('is refused where it is a text: %s', (where) =>
    expectRefusal('floats', where, 'write nan without quotes'),
  );

  it.each([
    ['NOT (x < nan)', 3],
    ['NOT (x >= {number:Float64})', 3],
    ["x = 'nan'", 0],
    ["x != 'nan'", 3],
    ["x < '3'", 1],
  ])('is right otherwise: %s', async (where, rows) => {
    expect(await count('floats', where)).toMatchObject({ results: [[rows]] });
  });
});

describe('elements that are searched by an index', () => {
  beforeAll(async () => {
    await test.sql(
      "CREATE TABLE tagged (id UInt8, v Array(String), w Array(String), at Array(DateTime64(3)), m Map(String, String), INDEX of_v v TYPE bloom_filter, INDEX of_w w TYPE text(tokenizer = 'array'), INDEX of_at at TYPE bloom_filter, INDEX of_keys mapKeys(m) TYPE bloom_filter, INDEX of_values mapValues(m) TYPE bloom_filter) ENGINE = MergeTree ORDER BY id SETTINGS index_granularity = 1",
    );
    await test.sql(
      "INSERT INTO tagged VALUES (1, ['a'], ['a'], ['2024-01-01 00:00:00'], {'a':'a'}), (2, ['a', 'b'], ['b'], [], {}), (3, [], [], [], {'b':'b'})",
    );
  });

  it.each([
    ["has([['a']], v)", 'write v IN (…) instead'],
    ['has({lists:Array(Array(String))}, v)', 'has at line 1, column 34 looks for an array'],
    ["hasAny(v, [toFixedString('a', 2)])", 'give these the type Array(String)'],
    ['hasAll(v, {fixed:Array(FixedString(3))})', 'with those of type FixedString(3)'],
    ["hasAny(v, [CAST('a' AS Enum8('a' = 1))])", "with those of type Enum8('a' = 1)"],
    ["hasAny([toFixedString('a', 2)], v)", 'give these the type Array(String)'],
    ["hasAll(w, [toFixedString('a', 2)])", 'give these the type Array(String)'],
    ["hasAny(at, [toDate('2024-01-01')])", 'give these the type Array(DateTime64(3))'],
    ["hasAll(at, [toDate32('2024-01-01')])", 'with those of type Date32'],
    ["hasAny(mapKeys(m), [toFixedString('a', 2)])", 'give these the type Array(String)'],
    ["hasAll(mapValues(m), [toFixedString('a', 2)])", 'give these the type Array(String)'],
  ])('are refused where it does not find them: %s', (where, reason) =>
    expectRefusal('tagged', where, reason),
  );

  it.each([
    ['v IN {lists:Array(Array(String))}', 1],
    ["v IN (['a'], ['a', 'b'])", 2],
    ["hasAny(v, ['a'])", 2],
    ['hasAll(v, {texts:Array(String)})', 2],
    ["hasAny(v, [toFixedString('a', 1)])", 2],
    ["hasSubstr(v, [toFixedString('a', 2)])", 2],
    ["hasAny(['a', 'z'], v)", 2],
    ['hasAll(v, [])', 3],
    ["hasAny(at, [toDateTime('2024-01-01 00:00:00')])", 1],
    ["hasAll(mapKeys(m), ['a'])", 1],
    ["has([['a']], [v[1]])", 2],
    ["hasAny([v[1]], [toFixedString('a', 2)])", 2],
  ])('are found otherwise: %s', async (where, rows) => {
    expect(await count('tagged', where)).toMatchObject({ results: [[rows]] });
  });
});
