/** The guard of the engine checks the read of a stored table as it checks a caller's query, and takes its columns for what they are. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { TestApp } from '../support/test-app.ts';
import { materialized, openMaterializedApp, run } from './support/materialized.ts';

let test: TestApp;
beforeAll(async () => {
  test = await openMaterializedApp();
  await test.sql(
    'CREATE TABLE marked ENGINE = MergeTree ORDER BY id AS SELECT number AS id, number % 3 AS k, range(number % 5) AS marks FROM numbers(100)',
  );
});
afterAll(() => test.close());

it.each([
  'SELECT id FROM marked WHERE arrayExists(x -> x > {a:UInt8}, marks) ORDER BY id',
  'SELECT k, count() AS n FROM marked WHERE arrayCount(x -> x = {a:UInt8}, marks) > 0 GROUP BY k ORDER BY k',
  'SELECT k, arraySort(arrayMap(x -> x + {a:UInt8}, groupUniqArray(id))) AS ids FROM marked GROUP BY k ORDER BY k',
])('a stored array is given to a function with a lambda: %s', async (query) => {
  const name = `g${query.length}`;
  await materialized(test, name, { query });
  for (const a of [0, 2, 200]) {
    const given = { variables: { a } };
    const stored = await run(test, name, { ...given, refresh: 'force' });
    const { results } = await run(test, name, { ...given, refresh: 'direct' });
    expect(stored).toMatchObject({ served_from: 'materialized', results });
  }
});

it('a text that has to be a member of an enum is compared with its members', async () => {
  await test.sql(
    "CREATE TABLE parcels ENGINE = MergeTree ORDER BY id AS SELECT number AS id, CAST(number % 2 + 1 AS Enum8('new' = 1, 'sent' = 2)) AS state FROM numbers(9)",
  );
  const query =
    'SELECT state, count() AS n, uniqExact(id) AS ids, quantileExact(0.5)(id) AS q FROM parcels GROUP BY state HAVING state != {other:String} ORDER BY state';
  await materialized(test, 'parcels', { query });
  expect(
    await run(test, 'parcels', { variables: { other: 'new' }, refresh: 'force' }),
  ).toMatchObject({ served_from: 'materialized', results: [['sent', 4, 4, 5]] });
});

it.each([
  'SELECT k, argMax(word, id) AS w FROM words GROUP BY k HAVING positionCaseInsensitive(w, {t:String}) > 0 ORDER BY k',
  'SELECT k, positionCaseInsensitive(argMin(word, id), {t:String}) AS at FROM words WHERE id >= {from:UInt64} GROUP BY k ORDER BY k',
])('a text that was merged from states is searched: %s', async (query) => {
  await test.sql(
    "CREATE TABLE IF NOT EXISTS words ENGINE = MergeTree ORDER BY id AS SELECT number AS id, number % 40 AS k, concat('Ab', toString(number % 13)) AS word FROM numbers(600)",
  );
  const name = `words${query.length}`;
  await materialized(test, name, { query });
  const from = query.includes('{from') ? { from: 100 } : {};
  for (const t of ['b1', 'AB', '7', '']) {
    const given = { variables: { t, ...from } };
    const stored = await run(test, name, { ...given, refresh: 'force' });
    const { results } = await run(test, name, { ...given, refresh: 'direct' });
    expect(stored).toMatchObject({ served_from: 'materialized', results });
  }
});
