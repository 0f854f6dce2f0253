/** Searches of the empty text and of NULL in values of type LowCardinality, whose constants are converted for the engine. */
import { afterAll, beforeAll, it } from 'vitest';
import type { TestApp } from '../support/test-app.ts';
import { expectServed } from './support/checked-queries.ts';
import { openMaterializedApp } from './support/materialized.ts';

let test: TestApp;
beforeAll(async () => {
  test = await openMaterializedApp();
  await test.sql(
    'CREATE TABLE posts (id UInt32, tags Array(LowCardinality(String)), m Map(LowCardinality(String), UInt32), n Array(LowCardinality(Nullable(String))), d Date) ENGINE = MergeTree ORDER BY id',
  );
  await test.sql(
    "INSERT INTO posts SELECT number, arrayMap(i -> ['', 'a', 'b', 'c d'][(number * i) % 4 + 1], range(number % 5)), map(['', 'a', 'k'][number % 3 + 1], number), [if(number % 3 = 0, NULL, ['', 'a'][number % 2 + 1])], toDate('2026-01-01') + number % 20 FROM numbers(500)",
  );
});
afterAll(() => test?.close());
it.each([
  'SELECT id, tags FROM posts WHERE has(tags, {t:String}) ORDER BY id',
  'SELECT count() AS n FROM posts WHERE NOT has(tags, {t:String})',
  'SELECT d, countIf(has(tags, {t:String})) AS n FROM posts GROUP BY d ORDER BY d',
  'SELECT d, count() AS n FROM posts WHERE ({u:Nullable(String)} IS NULL OR has(tags, {u:Nullable(String)})) GROUP BY d ORDER BY d',
  'SELECT id, m[{t:String}] AS v FROM posts WHERE mapContains(m, {t:String}) ORDER BY id',
  'SELECT sum(m[{t:String}]) AS v FROM posts WHERE d >= {d:Date}',
  'SELECT id, indexOf(tags, {t:String}) AS at FROM posts WHERE d = {d:Date} ORDER BY id',
  'SELECT id FROM posts WHERE has(n, {t:String}) ORDER BY id',
  "SELECT has(tags, '') AS h, count() AS n FROM posts WHERE d >= {d:Date} GROUP BY h ORDER BY h",
  "SELECT has(tags, ''), count() FROM posts WHERE d >= {d:Date} GROUP BY has(tags, '') ORDER BY 1",
  'SELECT has(tags, {t:String}) AS h, sum(id) AS n FROM posts GROUP BY h HAVING h ORDER BY h',
  'SELECT id FROM posts WHERE d = {d:Date} AND (empty({ts:Array(String)}) OR hasAny(tags, {ts:Array(String)})) ORDER BY id',
])('are served from stored tables: %s', (query) =>
  expectServed(test, query, [
    { t: '', u: null, d: '2026-01-05', ts: [''] },
    { t: 'a', u: '', d: '2026-01-01', ts: [] },
    { t: 'zz', u: 'a', d: '2030-01-01', ts: ['a', ''] },
  ]),
);
