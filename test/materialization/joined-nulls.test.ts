/** Stored tables of a JOIN that compares something with a NULL, of which the engine loses the condition by default. */
import { afterAll, beforeAll, it } from 'vitest';
import type { TestApp } from '../support/test-app.ts';
import { expectServed } from './support/checked-queries.ts';
import { openMaterializedApp } from './support/materialized.ts';

let test: TestApp;
beforeAll(async () => {
  test = await openMaterializedApp();
  for (const table of ['a', 'b']) {
    await test.sql(
      `CREATE TABLE ${table} (k UInt32, x UInt32) ENGINE = MergeTree ORDER BY k AS SELECT number, number % 5 FROM numbers(50)`,
    );
  }
});
afterAll(() => test.close());

it.each([
  'SELECT a.k AS k FROM a JOIN b ON a.k = b.k AND b.k = (SELECT k FROM b WHERE k > 1000)',
  'SELECT a.k AS k FROM a JOIN b ON a.k = b.k AND b.k = (SELECT k FROM b WHERE k > 1000) WHERE a.x = {x:UInt32}',
  'WITH (SELECT (k, x)::Tuple(least UInt32, x UInt32) FROM b WHERE k > 1000) AS one SELECT a.k AS k FROM a JOIN b ON a.k = b.k AND b.k = one.least',
  'SELECT count() AS n FROM a JOIN b ON a.k = b.k AND b.k = nullIf(toUInt32(1), 1) WHERE a.x = {x:UInt32}',
])('hold no rows: %s', async (query) => {
  await expectServed(test, query, query.includes('{x:') ? [{ x: 1 }, { x: 2 }] : [{}]);
});
