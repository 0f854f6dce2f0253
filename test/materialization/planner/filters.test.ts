/** A query with `{filters}`: its table answers runs without filters, the source those with filters. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestApp } from '../../support/test-app.ts';
import {
  expectNoOrphans,
  materialized,
  openMaterializedApp,
  run,
  statusOf,
} from '../support/materialized.ts';

let test: TestApp;
const february = { date_from: '2026-02-01' };

beforeAll(async () => {
  test = await openMaterializedApp();
  await materialized(test, 'plain', {
    query:
      'SELECT country, sum(amount) AS total FROM sales WHERE {filters.day} GROUP BY country ORDER BY country',
  });
  await materialized(test, 'ranged', {
    query:
      'SELECT country, sum(amount) AS total FROM sales WHERE amount >= {least:UInt32} AND {filters.day} GROUP BY country ORDER BY country',
  });
});
afterAll(async () => {
  await expectNoOrphans(test);
  await test.close();
});

describe.each([
  ['plain', {}],
  ['ranged', { variables: { least: 2 } }],
])('%s', (name, body) => {
  it('is read from its table without filters, as inline', async () => {
    expect(await statusOf(test, name)).toMatchObject({ status: 'Completed', ready: true });
    const stored = await run(test, name, { ...body, refresh: 'force' });
    expect(stored).toMatchObject({ served_from: 'materialized', inline_reason: null });
    const inline = await run(test, name, { ...body, refresh: 'direct' });
    expect(stored).toMatchObject({ results: inline.results, types: inline.types });
    expect((stored.results as readonly unknown[]).length).toBeGreaterThan(1);
  });

  it('runs inline with filters, and reports the reason', async () => {
    const filtered = await run(test, name, { ...body, filters_override: february });
    expect(filtered).toMatchObject({
      results: [['de', 3]],
      served_from: 'inline',
      inline_reason: 'variables',
      endpoint_materialized: false,
      endpoint_materialized_at: null,
    });
  });

  it('is the same by GraphQL', async () => {
    const ask = async (input: object) => {
      const { body: response } = await test.graphql(
        'query ($name: String!, $input: RunInput!) { run: runEndpoint(projectId: "@current", name: $name, input: $input) { results servedFrom inlineReason endpointMaterialized } }',
        { name, input: { ...body, refresh: 'force', ...input } },
      );
      return response.data?.run;
    };
    expect(await ask({})).toMatchObject({ servedFrom: 'materialized', inlineReason: null });
    expect(await ask({ filtersOverride: february })).toEqual({
      results: [['de', 3]],
      servedFrom: 'inline',
      inlineReason: 'variables',
      endpointMaterialized: false,
    });
  });
});

it('caches filtered and unfiltered results apart', async () => {
  for (let turn = 0; turn < 2; turn += 1) {
    const all = await run(test, 'plain');
    expect(all.results).toHaveLength(6);
    const some = await run(test, 'plain', { filters_override: february });
    expect(some.results).toHaveLength(1);
  }
});
