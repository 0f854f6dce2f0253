/** Values of lists and maps of type LowCardinality, in which the engine does not find '' and 0 by default, and finds them for NULL. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTestApp, type TestApp } from '../support/test-app.ts';

let test: TestApp;
beforeAll(async () => {
  test = await openTestApp();
  const low = 'LowCardinality(String)';
  await test.sql(
    `CREATE TABLE tagged (id UInt8, tags Array(${low}), some Array(LowCardinality(Nullable(String))), plain Array(String), name Nullable(String), k Map(${low}, UInt8), v Map(String, ${low}),
       INDEX of_tags tags TYPE bloom_filter GRANULARITY 1) ENGINE = MergeTree ORDER BY id SETTINGS index_granularity = 1`,
  );
  await test.sql(
    "INSERT INTO tagged VALUES (1, [''], [''], [''], NULL, map('', 1), map('x', '')), (2, ['a', ''], ['a', NULL], ['a'], 'a', map('a', 2, '', 3), map('', 'a', 'y', '')), (3, ['a'], ['a'], ['a'], '', map('a', 4), map('', 'a'))",
  );
});
afterAll(() => test.close());

async function answer(query: string, variables: Readonly<Record<string, unknown>> = {}) {
  return (await test.rest('POST', '/query', { body: { query, variables } })).body;
}

const rows = (found: readonly unknown[]) => ({ results: found.map((id) => [id]) });

describe('an empty text is found in texts of type LowCardinality', () => {
  it.each([
    ['has(tags, {t:String})', [1, 2]],
    ['NOT has(tags, {t:String})', [3]],
    ["has(tags, '')", [1, 2]],
    ['has(tags, {t:Nullable(String)})', [1, 2]],
    ['indexOf(tags, {t:String}) > 0', [1, 2]],
    ['countEqual(tags, {t:String}) = 0', [3]],
    ['mapContains(k, {t:String})', [1, 2]],
    ['mapContainsKey(k, lower({t:String}))', [1, 2]],
    ["mapContainsValue(v, '')", [1, 2]],
    ['k[{t:String}] + 0 = 3', [2]],
    ['arrayElementOrNull(k, {t:String}) = 3', [2]],
    ["arrayElementOrNull(k, '') = 3", [2]],
    ["arrayExists(n -> has(tags, '') AND n = id, [1, 3])", [1]],
    ["has(CAST(['', 'b'], 'Array(LowCardinality(String))'), {t:String}) AND id = 1", [1]],
    ['has(some, {t:String})', [1]],
    ["has(some, '')", [1]],
  ])('in WHERE %s', async (where, ids) => {
    const query = `SELECT id FROM tagged WHERE ${where} ORDER BY id`;
    expect(await answer(query, where.includes('{t:') ? { t: '' } : {})).toMatchObject(rows(ids));
  });

  it.each([
    'SELECT id FROM (SELECT id, tags, {t:String} AS t FROM tagged) WHERE has(tags, t) ORDER BY id',
    'WITH (SELECT {t:String}) AS t SELECT id FROM tagged WHERE has(tags, t) ORDER BY id',
    'SELECT a.id FROM tagged AS a INNER JOIN tagged AS b ON a.id = b.id AND has(a.tags, {t:String}) ORDER BY id',
    'SELECT max(id) AS m FROM tagged GROUP BY has(tags, {t:String}), id HAVING has(tags, {t:String}) ORDER BY m',
  ])('elsewhere: %s', async (query) => {
    expect(await answer(query, { t: '' })).toMatchObject(rows([1, 2]));
  });

  it('in columns, which keep their names', async () => {
    const query =
      "SELECT has(tags, {t:String}), countEqual(tags, ''), k[{t:String}] FROM tagged ORDER BY id";
    expect(await answer(query, { t: '' })).toMatchObject({
      columns: ['has(tags, {t})', "countEqual(tags, '')", 'arrayElement(k, {t})'],
      results: [
        [1, 1, 1],
        [1, 1, 3],
        [0, 0, 0],
      ],
    });
  });
});

it('an empty text is found after another one in the same query', async () => {
  for (const where of ['has(tags, {t:String})', 'mapContains(k, {t:String})']) {
    const query = `SELECT id, has(tags, 'a') AS n FROM tagged WHERE ${where} AND id < 3 ORDER BY id`;
    expect(await answer(query, { t: 'a' })).toMatchObject({ results: [[2, 1]] });
    expect(await answer(query, { t: '' })).toMatchObject({
      results: [
        [1, 0],
        [2, 1],
      ],
    });
  }
});

it('other texts are found as before, by the index', async () => {
  for (const where of [
    "has(tags, 'a')",
    'has(tags, {t:String})',
    'has(tags, {t:Nullable(String)})',
  ])
    expect(
      await answer(
        `SELECT id FROM tagged WHERE ${where} ORDER BY id`,
        where.includes('{t:') ? { t: 'a' } : {},
      ),
    ).toMatchObject(rows([2, 3]));
  const stats = await answer('SELECT id FROM tagged WHERE has(tags, {t:String})', { t: 'zz' });
  expect(stats).toMatchObject(rows([]));
});

it.each([
  ['has(tags, {t:Nullable(String)})', []],
  ['has(some, NULL)', [2]],
  ['{t:Nullable(String)} IS NULL OR has(tags, {t:Nullable(String)})', [1, 2, 3]],
])('NULL is not taken for an empty text: %s', async (where, ids) => {
  const found = await answer(
    `SELECT id FROM tagged WHERE ${where} ORDER BY id`,
    where.includes('{t:') ? { t: null } : {},
  );
  expect(found).toMatchObject(rows(ids));
});

it('a constant before IN is refused with what to write', async () => {
  const found = await answer("SELECT id FROM tagged WHERE '' IN tags");
  expect(found).toMatchObject({
    code: 'invalid_query',
    detail: expect.stringMatching(/^IN at line 1, column 32 .* write has\(list, x\) in place of/),
  });
});

it.each([
  ['indexOf(tags, {t:Nullable(String)}) > 0', 'indexOf(…, assumeNotNull(x))'],
  ['has(some, {t:Nullable(String)})', 'has(…, assumeNotNull(x))'],
  ['has(tags, name)', 'name IS NOT NULL AND has(…, assumeNotNull(name))'],
  ['has(plain, name)', 'name IS NOT NULL AND has(…, assumeNotNull(name))'],
  ['mapContains(k, upper(name))', 'x IS NOT NULL AND mapContains('],
])('a NULL that would be taken for an empty text is refused: %s', async (where, advice) => {
  const found = await answer(
    `SELECT id FROM tagged WHERE ${where}`,
    where.includes('{t:') ? { t: null } : {},
  );
  expect(found).toMatchObject({
    code: 'invalid_query',
    detail: expect.stringContaining(advice),
  });
});

it('what is advised for a column that may be NULL is right', async () => {
  const query =
    'SELECT id FROM tagged WHERE name IS NOT NULL AND has(tags, assumeNotNull(name)) ORDER BY id';
  expect(await answer(query)).toMatchObject(rows([2]));
});

describe('elements that may be NULL, which the engine takes for the empty text or 0 of a list that has no NULL', () => {
  it.each([
    ['hasAny(plain, [name])', {}],
    ['hasAny(plain, [NULL])', {}],
    ["hasAll(['', 'a'], [name])", {}],
    ["hasSubstr(tags, ['a', NULL])", {}],
    ['hasAny(tags, {list:Array(Nullable(String))})', { list: [null] }],
    ['hasAny([id], [if(id = 1, NULL, 0)])', {}],
  ])('are refused in %s', async (where, variables) => {
    expect(await answer(`SELECT id FROM tagged WHERE ${where}`, variables)).toMatchObject({
      code: 'invalid_query',
      detail: expect.stringContaining('write arrayMap(x -> assumeNotNull(x), arrayFilter('),
    });
  });

  it.each([
    ["hasAny(some, ['a', 'b'])", [2, 3]],
    ['hasAny(plain, [])', []],
    ['hasAny(plain, {list:Array(String)})', [1, 2, 3]],
    ['hasAny(plain, arrayMap(x -> assumeNotNull(x), arrayFilter(x -> isNotNull(x), [name])))', [2]],
    ['hasAny([id], [1, 3])', [1, 3]],
  ])('are not in %s', async (where, ids) => {
    const query = `SELECT id FROM tagged WHERE ${where} ORDER BY id`;
    const variables = where.includes('{list') ? { list: ['', 'a'] } : {};
    expect(await answer(query, variables)).toMatchObject(rows(ids));
  });
});
