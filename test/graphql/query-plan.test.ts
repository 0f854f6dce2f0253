import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTestApp, type TestApp } from '../support/test-app.ts';

let test: TestApp;
beforeAll(async () => {
  test = await openTestApp();
  for (const statement of [
    'CREATE TABLE sales (id UInt32, city String) ENGINE = MergeTree ORDER BY id PARTITION BY city SETTINGS index_granularity = 100',
    "INSERT INTO sales SELECT number, if(number % 2 = 0, 'Oslo', 'Rome') FROM numbers(2000)",
  ])
    await test.sql(statement);
});
afterAll(() => test.close());

const document = `query ($query: JSON!, $input: RunInput) {
  checkQuery(projectId: "@current", query: $query, input: $input) { plan {
    reads { table rows parts granules }
    steps { depth name description indexes { kind keys condition parts partsBefore granules granulesBefore } }
  } } }`;
interface Answer {
  readonly checkQuery: {
    readonly plan: {
      readonly reads: readonly unknown[];
      readonly steps: readonly { readonly name: string; readonly indexes: readonly unknown[] }[];
    };
  };
}

const explain = (query: string, variables: unknown = {}) =>
  test.graphql(document, { query, input: { variables } });

describe('the plan of a query', () => {
  it('says what would be read with the given values, and what each index leaves', async () => {
    const query =
      'SELECT count() AS n FROM sales WHERE id < {below:UInt32} AND city = {city:String}';
    const { text, body } = await explain(query, { below: 150, city: 'Oslo' });
    expect(body.errors).toBeUndefined();
    const { plan } = (body.data as unknown as Answer).checkQuery;
    expect(plan.reads).toEqual([{ table: 'sales', rows: 100, parts: 1, granules: 1 }]);
    const [read] = plan.steps.filter(({ name }) => name === 'ReadFromMergeTree');
    expect(read).toMatchObject({ description: 'sales' });
    expect(read?.indexes).toContainEqual(
      expect.objectContaining({ kind: 'Min-Max', keys: ['city'], parts: 1, partsBefore: 2 }),
    );
    expect(read?.indexes).toContainEqual(
      expect.objectContaining({
        kind: 'PrimaryKey',
        keys: ['id'],
        granules: 1,
        granulesBefore: 10,
        condition: expect.stringContaining('id in (-Inf, 149]'),
      }),
    );
    // No name of the service's own.
    expect(text).not.toMatch(/project_\d|querydock/);
  });

  it('is null while a value is missing, and has no reads where there is no table', async () => {
    const missing = await explain('SELECT id FROM sales WHERE id = {id:UInt32}');
    expect(missing.body).toEqual({ data: { checkQuery: { plan: null } } });
    const none = await explain('SELECT 1 AS one');
    expect(none.body.data).toMatchObject({ checkQuery: { plan: { reads: [] } } });
  });

  it('refuses what a check refuses, and keys that may not write', async () => {
    const unknown = await explain('SELECT id FROM slaes');
    expect(unknown.body.errors?.[0]?.extensions.code).toBe('invalid_query');
    const reader = await test.graphql(
      document,
      { query: 'SELECT 1 AS one' },
      { key: test.project.readKey },
    );
    expect(reader.body.errors?.[0]?.extensions.code).toBe('permission_denied');
  });
});
