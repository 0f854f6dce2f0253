import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTestApp, type TestApp } from '../support/test-app.ts';
import { legitimateQueries } from './support/legitimate-queries.ts';
import { ownTables } from './support/tables.ts';

describe('what authors write', () => {
  let tested: TestApp;

  beforeAll(async () => {
    tested = await openTestApp();
    for (const statement of ownTables) await tested.sql(statement);
  });
  afterAll(async () => tested?.close());

  it('is a wide list', () => {
    expect(new Set(legitimateQueries).size).toBeGreaterThanOrEqual(60);
  });

  it.each(legitimateQueries.map((query, index) => ({ query, name: `legitimate_${index}` })))(
    'is accepted and runs: $query',
    async ({ query, name }) => {
      const created = await tested.rest('POST', '/endpoints', { body: { name, query } });
      expect(created.body).toMatchObject({ name });
      const run = await tested.rest('GET', `/endpoints/${name}/run`);
      expect(run.body).toMatchObject({ results: expect.any(Array) });
    },
  );
});
