/**
 * What `posthog-cli exp endpoints` sends, request by request: list, pull, push, diff and run. The program itself is a binary
 * for which there is no package; its requests and the members it requires are those of its source.
 */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openTestApp, type TestApp } from '../support/test-app.ts';

let test: TestApp;

beforeAll(async () => {
  test = await openTestApp();
  await test.sql(
    'CREATE TABLE sales (country String, amount UInt32) ENGINE = MergeTree ORDER BY amount',
  );
  await test.sql("INSERT INTO sales VALUES ('at', 1), ('de', 2), ('de', 3)");
});
afterAll(() => test.close());

type Body = Readonly<Record<string, unknown>>;

async function send(method: string, path: string, body?: Body): Promise<Body> {
  const options = { prefix: 'environments', ...(body === undefined ? {} : { body }) } as const;
  const response = await test.rest(method, path, options);
  expect([200, 201], response.text).toContain(response.status);
  return response.body;
}

/** What the program cannot do without. */
function expectReadable(endpoint: unknown): void {
  expect(endpoint).toMatchObject({
    id: expect.any(String),
    name: expect.any(String),
    query: { kind: 'HogQLQuery', query: expect.any(String) },
    is_active: expect.any(Boolean),
    endpoint_path: expect.any(String),
    created_at: expect.any(String),
    updated_at: expect.any(String),
    is_materialized: expect.any(Boolean),
    description: expect.any(String),
    materialization: { can_materialize: expect.any(Boolean) },
  });
}

const text =
  'SELECT country, sum(amount) AS total FROM sales WHERE country = {variables.country} GROUP BY country';

it('pushes a file with a variable that is made for it, pulls it, pushes a change and runs it', async () => {
  expect(await send('GET', '/insight_variables/')).toMatchObject({ results: [] });
  const variable = await send('POST', '/insight_variables/', {
    name: 'country',
    code_name: 'country',
    type: 'String',
    default_value: 'de',
  });
  expect(await send('GET', '/insight_variables/')).toMatchObject({
    results: [{ id: variable.id, code_name: 'country', type: 'String', default_value: 'de' }],
  });

  const id = String(variable.id);
  const variables = { [id]: { variableId: id, code_name: 'country', value: 'de' } };
  const file = {
    name: 'by_country',
    description: 'Totals',
    query: { kind: 'HogQLQuery', query: text, variables },
    is_materialized: false,
  };
  expectReadable(await send('POST', '/endpoints/', file));

  const { results } = await send('GET', '/endpoints/');
  expect(results).toHaveLength(1);
  const pulled = await send('GET', '/endpoints/by_country/');
  expectReadable(pulled);
  expect(pulled.query).toMatchObject({
    query: text,
    variables: { [id]: { code_name: 'country' } },
  });

  const unchanged = await send('PATCH', '/endpoints/by_country/', file);
  expect(unchanged).toMatchObject({ current_version: 1 });
  const older = await send('PATCH', '/endpoints/by_country/', {
    ...file,
    is_materialized: true,
    sync_frequency: '12hour',
  });
  expect(older).toMatchObject({ materialization: { sync_frequency: '12hour' } });
  const newer = await send('PATCH', '/endpoints/by_country/', {
    ...file,
    is_materialized: true,
    data_freshness_seconds: 43_200,
    query: pulled.query,
  });
  expect(newer).toMatchObject({ current_version: 1, data_freshness_seconds: 43_200 });
  expectReadable(newer);

  await send('PATCH', '/endpoints/by_country/', { name: 'by_country', is_materialized: false });
  expect(await send('POST', '/endpoints/by_country/run/', {})).toMatchObject({
    results: [['de', 5]],
    columns: ['country', 'total'],
  });
  const run = { variables: { country: 'at' } };
  expect(await send('POST', '/endpoints/by_country/run/', run)).toMatchObject({
    results: [['at', 1]],
  });
});
