/** Searches in texts whose engine functions accept only some texts to search for. */
import { afterAll, beforeAll, it } from 'vitest';
import type { TestApp } from '../support/test-app.ts';
import { materialized, openMaterializedApp, servedRows } from './support/materialized.ts';

let test: TestApp;
beforeAll(async () => {
  test = await openMaterializedApp();
  await test.sql(
    "CREATE TABLE logs (service String, level Int32, at DateTime, body String) ENGINE = MergeTree ORDER BY (service, level, at) AS SELECT concat('s', toString(number % 3)), number % 5, toDateTime('2026-01-01 00:00:00') + number * 3600, concat('an error b', toString(number % 4)) FROM numbers(800)",
  );
});
afterAll(() => test.close());

it.each([
  'hasToken(body, {word:String})',
  'hasTokenCaseInsensitive(body, {word:String})',
  'NOT hasToken(body, {word:String})',
])('is materialized beside other conditions: %s', async (search) => {
  const name = `words_${search.replace(/\W/g, '')}`;
  const where = `service = {s:String} AND at >= {from:DateTime} AND ${search}`;
  await materialized(test, name, {
    query: `SELECT DISTINCT level FROM logs WHERE ${where} ORDER BY level`,
  });
  for (const word of ['b1', 'error', 'none']) {
    const variables = { s: 's1', from: '2026-01-05 00:00:00', word };
    await servedRows(test, name, variables);
  }
});
