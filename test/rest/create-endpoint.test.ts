import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTestApp, type TestApp } from '../support/test-app.ts';

let test: TestApp;

beforeAll(async () => {
  test = await openTestApp();
  await test.sql('CREATE TABLE sales (country String, amount UInt32, day Date) ENGINE = MergeTree ORDER BY day');
});
afterAll(() => test.close());

describe('201', () => {
  it('answers the whole endpoint', async () => {
    const { status, body } = await test.rest('POST', '/endpoints', {
      body: { name: 'by_country', query: 'SELECT country, sum(amount) AS total FROM sales GROUP BY country' },
    });
    expect(status).toBe(201);
    expect(body).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      name: 'by_country',
      description: '',
      query: { kind: 'SQLQuery', query: 'SELECT country, sum(amount) AS total FROM sales GROUP BY country', variables: {} },
      is_active: true,
      cache_age_seconds: null,
      endpoint_path: `/api/projects/${test.project.id}/endpoints/by_country/run`,
      url: `http://querydock.test/api/projects/${test.project.id}/endpoints/by_country/run`,
      ui_url: `http://querydock.test/project/${test.project.id}/endpoints/by_country`,
      created_at: '2026-03-01T12:00:00.000Z',
      updated_at: '2026-03-01T12:00:00.000Z',
      created_by: {
        id: expect.any(Number),
        uuid: expect.any(String),
        distinct_id: expect.any(String),
        first_name: 'Ada',
        last_name: '',
        email: 'author@querydock.test',
      },
      is_materialized: false,
      current_version: 1,
      current_version_id: expect.any(String),
      versions_count: 1,
      derived_from_insight: null,
      last_executed_at: null,
      columns: [{ name: 'country', type: 'String' }, { name: 'total', type: 'UInt64' }],
      variables: [],
      materialization: { can_materialize: false, reason: expect.any(String) },
    });
  });
});
