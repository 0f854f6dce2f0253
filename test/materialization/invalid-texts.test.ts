/** The engine's ILIKE over texts that are not valid UTF-8 depends on the rows beside them: checked by each sync, or refused. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestApp } from '../support/test-app.ts';
import {
  ask,
  materialized,
  openMaterializedApp,
  run,
  save,
  statusOf,
  sync,
} from './support/materialized.ts';

let test: TestApp;
beforeAll(async () => {
  test = await openMaterializedApp();
  const columns =
    'id UInt32, level String, text String, short LowCardinality(Nullable(String)), tags Array(String), names Array(Nullable(String)), labels Map(LowCardinality(String), String)';
  for (const table of ['good', 'bad']) {
    await test.sql(`CREATE TABLE ${table} (${columns}) ENGINE = MergeTree ORDER BY id`);
    await test.sql(`CREATE VIEW view_of_${table} AS SELECT id, level, text AS shown FROM ${table}`);
    await test.sql(
      `INSERT INTO ${table} SELECT number, ['info', 'fault'][number % 2 + 1], ['caf\u00e9', 'CAF\u00c9 au lait', 'tea'][number % 3 + 1], if(number % 4 = 0, NULL, '\u00e9t\u00e9'), ['\u00c9', 'b'], [NULL, '\u00c9'], map('k\u00e9', 'th\u00c9', 'x', '') FROM numbers(60)`,
    );
  }
  await test.sql(
    "INSERT INTO bad SELECT 60, 'info', 'caf\\xC3', concat('\\xC3', 'x'), ['\\xA9'], ['\\xA9'], map('k', '\\xA9') FROM numbers(1)",
  );
});
afterAll(() => test?.close());

let count = 0;
const named = () => `searched_${++count}`;
const isOf = ' AND level = {level:String} ORDER BY id';

const traced: readonly (readonly [what: string, query: string])[] = [
  ['a column', `SELECT id FROM t WHERE text ILIKE '%caf\u00e9%'${isOf}`],
  ['a column under NOT', `SELECT id FROM t WHERE text NOT ILIKE '%\u00e9%'${isOf}`],
  [
    'a position',
    `SELECT id, positionCaseInsensitiveUTF8(text, '\u00e9') AS at FROM t WHERE 1${isOf}`,
  ],
  [
    'a count',
    `SELECT id, countSubstringsCaseInsensitiveUTF8(text, '\u00e9') AS n FROM t WHERE 1${isOf}`,
  ],
  [
    'a column that may be NULL, of low cardinality',
    `SELECT id FROM t WHERE short ILIKE '\u00c9%'${isOf}`,
  ],
  [
    'a variable that is searched for',
    'SELECT id FROM t WHERE text ILIKE {like:String} AND level = {level:String} ORDER BY id',
  ],
  [
    'a function that keeps texts valid',
    `SELECT id FROM t WHERE lower(concat(trim(text), level)) ILIKE '%\u00c9%'${isOf}`,
  ],
  [
    'the elements of an array',
    `SELECT id FROM t WHERE arrayExists(tag -> tag ILIKE '\u00e9', tags)${isOf}`,
  ],
  [
    'a joined array',
    `SELECT id, tag FROM t ARRAY JOIN tags AS tag WHERE tag ILIKE '\u00e9'${isOf}, tag`,
  ],
  ['elements that may be NULL', `SELECT id FROM t WHERE names[2] ILIKE '\u00e9'${isOf}`],
  [
    'a value of a map',
    `SELECT id FROM t WHERE labels['k\u00e9'] ILIKE concat('%', {like:String}, '%')${isOf}`,
  ],
  [
    'the names in a map',
    `SELECT id FROM t WHERE arrayExists(name -> name ILIKE 'K\u00c9', mapKeys(labels))${isOf}`,
  ],
  [
    'a subquery',
    `SELECT id FROM (SELECT id, level, text AS shown FROM t WHERE id < 100) WHERE shown ILIKE '%\u00e9%'${isOf}`,
  ],
  [
    'a CTE',
    `WITH some AS (SELECT id, level, upper(text) AS shown FROM t) SELECT id FROM some WHERE shown ILIKE '%\u00e9%'${isOf}`,
  ],
  ['a view', `SELECT id FROM view_of_t WHERE shown ILIKE '%\u00e9%'${isOf}`],
  [
    'a join by USING',
    `SELECT a.id FROM t AS a JOIN (SELECT DISTINCT text FROM t) AS b USING (text) WHERE text ILIKE '%\u00e9%' AND a.level = {level:String} ORDER BY a.id`,
  ],
  [
    'a subquery of a condition',
    `SELECT id FROM t WHERE id IN (SELECT id FROM t WHERE text ILIKE '%\u00e9%')${isOf}`,
  ],
  [
    'an aggregate of groups',
    `SELECT level, countIf(text ILIKE '%\u00e9%') AS n FROM t WHERE level = {level:String} GROUP BY level`,
  ],
];

const valuesOf = (query: string) => ({
  level: 'info',
  ...(query.includes('{like') ? { like: '%\u00c9%' } : {}),
});

describe.each(traced)('searching %s', (_what, query) => {
  const over = (table: string) => query.replaceAll(/\b(view_of_)?t\b(?!')/g, `$1${table}`);

  it('is materialized while every text is valid, and gives what an inline run gives', async () => {
    const name = named();
    const variables = valuesOf(query);
    await materialized(test, name, { query: over('good') });
    const stored = await run(test, name, { variables, refresh: 'force' });
    expect(stored.served_from).toBe('materialized');
    await save(test, `${name}_inline`, { query: over('good') });
    const inline = await run(test, `${name}_inline`, { variables });
    expect(stored.results).toEqual(inline.results);
    expect(inline.results).not.toEqual([]);
  });

  it('is refused by the sync where one is not', async () => {
    const name = named();
    await save(test, name, { query: over('bad'), is_materialized: true });
    expect(await sync(test)).toEqual(['failed']);
    expect(await statusOf(test, name)).toMatchObject({
      can_materialize: false,
      reason: expect.stringMatching(
        /^(?:(text|short|shown) has .*; write .* over toValidUTF8\(\1\)\.|(?:tags|names|labels) has .*; write .* over toValidUTF8\(…\)\.)$/,
      ),
    });
  });
});

it('a table stays in use when an invalid text is added, and is made again once it is gone', async () => {
  await test.sql('CREATE TABLE log (id UInt32, line String) ENGINE = MergeTree ORDER BY id');
  await test.sql("INSERT INTO log VALUES (1, 'Sch\u00f6n'), (2, 'sch\u00d6n'), (3, 'x')");
  const query =
    "SELECT id FROM log WHERE id < {below:UInt32} AND line ILIKE '%\u00f6%' ORDER BY id";
  await materialized(test, 'log', { query });
  const served = () => run(test, 'log', { variables: { below: 9 }, refresh: 'force' });
  const before = { served_from: 'materialized', results: [[1], [2]] };
  expect(await served()).toMatchObject(before);
  await test.sql("INSERT INTO log VALUES (4, '\\xC3')");
  await ask(test, 'sync', { name: 'log' });
  expect(await sync(test)).toEqual(['failed']);
  expect(await served()).toMatchObject(before);
  await test.sql('ALTER TABLE log DELETE WHERE id = 4 SETTINGS mutations_sync = 2');
  await test.sql("INSERT INTO log VALUES (5, '\u00d6')");
  await ask(test, 'sync', { name: 'log' });
  expect(await sync(test)).toEqual(['completed']);
  expect(await served()).toMatchObject({ ...before, results: [[1], [2], [5]] });
});

it('texts that are made valid may hold anything', async () => {
  const query = `SELECT id FROM bad WHERE toValidUTF8(text) ILIKE '%\u00e9%'${isOf}`;
  await materialized(test, 'made_valid', { query });
  expect(await run(test, 'made_valid', { variables: { level: 'info' } })).toMatchObject({
    served_from: 'materialized',
  });
});

it.each([
  ['substring(text, 1, 4)', 'ILIKE'],
  ["unhex('c3')", 'ILIKE'],
  ["concat(text, '\\xC3')", 'ILIKE'],
  ["extract(text, '(\\\\C)')", 'ILIKE'],
  ["splitByString('', text)[2]", 'ILIKE'],
  ["trim(BOTH '\u00e9' FROM text)", 'ILIKE'],
  ["replaceRegexpOne(text, '\\\\C$', '')", 'ILIKE'],
])('a search in %s is refused at once, because it may cut a character', async (text, search) => {
  const query = `SELECT id FROM good WHERE ${text} ILIKE '%\u00e9%'${isOf}`;
  const body = { name: named(), query, is_materialized: true };
  const response = await test.rest('POST', '/endpoints', { body });
  expect([response.status, response.body]).toEqual([
    400,
    expect.objectContaining({
      code: 'cannot_materialize',
      attr: 'is_materialized',
      detail: expect.stringContaining(
        `Over texts that are not valid UTF-8, the result of ${search} depends on the rows beside them`,
      ),
    }),
  ]);
});

it('a value of a map is searched with the advice that a refusal gives', async () => {
  const query = `SELECT id FROM bad WHERE toValidUTF8(labels['k\u00e9']) ILIKE '%\u00e9'${isOf}`;
  await materialized(test, 'valid_value', { query });
  const stored = await run(test, 'valid_value', { variables: { level: 'info' } });
  expect(stored.served_from).toBe('materialized');
  expect(stored.results).toHaveLength(30);
});

it('a search in what is not text needs no check', async () => {
  const query = `SELECT id FROM bad WHERE toString(id) ILIKE '1%'${isOf}`;
  await materialized(test, 'digits', { query });
  expect(await run(test, 'digits', { variables: { level: 'info' } })).toMatchObject({
    served_from: 'materialized',
  });
});
