/** A query that is cancelled before the engine has it, so that the engine has nothing to stop. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openSalesApp, save } from '../rest/support/sales.ts';
import { eventually } from '../support/eventually.ts';
import { type HeldEngine, openHeldEngine } from '../support/held-engine.ts';
import type { TestApp } from '../support/test-app.ts';

let held: HeldEngine;
let test: TestApp;

beforeAll(async () => {
  held = await openHeldEngine();
  test = await openSalesApp({ clickhouseUrl: held.clickhouseUrl });
});
afterAll(async () => {
  await test.close();
  await held.close();
});

it('is over at once, and others go on', async () => {
  for (const name of ['early', 'bystander'])
    await save(test, name, { query: `SELECT 1 AS n, 'held back' AS o, '${name}' AS name` });
  held.hold("'held back'");
  const run = test.rest('GET', '/endpoints/early/run?client_query_id=early');
  await eventually('it is on its way', () => held.held() === 1);
  const other = test.rest('GET', '/endpoints/bystander/run');
  await eventually('the other one is, too', () => held.held() === 2);
  const found = await test.graphql('{ queryStatus(projectId: "@current", id: "early") { id } }');
  const { id = '' } = (found.body.data?.queryStatus ?? {}) as { readonly id?: string };
  const cancelled = await test.graphql(
    'mutation ($id: ID!) { cancelQuery(projectId: "@current", id: $id) { id } }',
    { id },
  );
  expect(cancelled.body.data).toEqual({ cancelQuery: { id } });
  expect((await run).body).toMatchObject({ code: 'query_cancelled' });
  held.release();
  expect((await other).status).toBe(200);
});
