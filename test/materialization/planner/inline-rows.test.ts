/** Rows within the text, which a reader cannot read as they are written. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { TestApp } from '../../support/test-app.ts';
import { openMaterializedApp, save, sync } from '../support/materialized.ts';

let test: TestApp;
beforeAll(async () => {
  test = await openMaterializedApp();
});
afterAll(() => test.close());

it('can be materialized', async () => {
  const query = `SELECT f.a, z.zero FROM format(JSONEachRow, '{"a":1}') AS f, zeros(2) AS z, view(SELECT 1 AS one) AS v`;
  await save(test, 'stored', { query, is_materialized: true });
  expect(await sync(test)).toEqual(['completed']);
  const { body } = await test.rest('GET', '/endpoints/stored/run');
  expect(body).toMatchObject({
    endpoint_materialized: true,
    results: [
      [1, 0],
      [1, 0],
    ],
  });
});
