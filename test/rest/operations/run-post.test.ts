import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestApp } from '../../support/test-app.ts';
import { describeAccess } from '../support/access.ts';
import { bystanders, change, ofCountry, openSalesApp, run, save } from '../support/sales.ts';

let test: TestApp;

beforeAll(async () => {
  test = await openSalesApp();
  await save(test, 'sales', { cache_age_seconds: 60 });
  await save(test, 'sales', {}, test.other);
  await save(test, 'of_country', { query: ofCountry });
  await save(test, 'versioned', { query: 'SELECT 1 AS number' });
  await change(test, 'versioned', { query: 'SELECT 2 AS number' });
  await save(test, 'filtered', {
    query: 'SELECT country, sum(amount) AS total FROM sales WHERE {filters.day} GROUP BY country',
  });
  await save(test, 'failing', { query: "SELECT throwIf(amount > 0, 'too much') AS x FROM sales" });
});
afterAll(() => test.close());

const post = (name: string, body?: unknown, query = '') =>
  test.rest('POST', `/endpoints/${name}/run${query}`, body === undefined ? {} : { body });

const uuid = expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);

const computed = {
  results: [
    ['at', 1],
    ['de', 5],
  ],
  columns: ['country', 'total'],
  types: [
    ['country', 'String'],
    ['total', 'UInt64'],
  ],
  hasMore: false,
  limit: 50_000,
  offset: 0,
  next_cursor: null,
  is_cached: false,
  last_refresh: '2026-03-01T12:00:00.000Z',
  cache_target_age: '2026-03-01T12:01:00.000Z',
  next_allowed_client_refresh: '2026-03-01T12:01:00.000Z',
  timezone: 'UTC',
  name: 'sales',
  endpoint_version: 1,
  endpoint_version_created_at: '2026-03-01T12:00:00.000Z',
  endpoint_materialized: false,
  endpoint_materialized_at: null,
  execution_id: uuid,
  query_status: null,
};

describe('200', () => {
  it('returns the whole run, results first, and the cached one to the next caller', async () => {
    const first = await post('sales', {});
    expect(first.status).toBe(200);
    expect(first.body).toEqual(computed);
    expect(first.text).toMatch(/^\{"results":\[\["at", 1\],\["de", 5\]\],"columns":/);
    const second = await post('sales', {});
    expect(second.body).toEqual({
      ...computed,
      is_cached: true,
      execution_id: first.body.execution_id,
    });
  });

  it('runs without a body', async () => {
    expect((await post('sales')).body).toMatchObject({ results: computed.results });
  });

  it('accepts null for every member', async () => {
    const members =
      'client_query_id debug filters_override integers limit offset query_override refresh variables version'.split(
        ' ',
      );
    const nulls = Object.fromEntries(members.map((member) => [member, null]));
    const { status, body } = await post('sales', nulls);
    expect(status).toBe(200);
    expect(body).toMatchObject({ limit: 50_000, offset: 0 });
  });

  it('reads and caches each project’s rows apart', async () => {
    await run(test, 'sales');
    const { body } = await test.rest('POST', '/endpoints/sales/run', { project: test.other });
    expect(body).toMatchObject({ results: [['fr', 9]], is_cached: false });
  });

  it.each([
    [undefined, 2],
    [1, 1],
    [2, 2],
  ])('runs version %s as %d', async (version, number) => {
    const body = await run(test, 'versioned', version === undefined ? {} : { version });
    expect(body).toMatchObject({ results: [[number]], endpoint_version: number });
  });

  it('accepts the version and every other input from the query string too', async () => {
    const { body } = await post('sales', undefined, '?limit=1&offset=1&version=1&refresh=force');
    expect(body).toMatchObject({ results: [['de', 5]], limit: 1, offset: 1, is_cached: false });
  });

  it('prefers the body over the query string', async () => {
    const { body } = await post('versioned', { version: 1, limit: null }, '?version=2&limit=7');
    expect(body).toMatchObject({ endpoint_version: 1, limit: 7 });
  });

  it('changes nothing that is saved', async () => {
    const before = await bystanders(test);
    await run(test, 'sales', { refresh: 'force' });
    expect(await bystanders(test)).toEqual(before);
  });

  it('has no rows for a result without any', async () => {
    const body = await run(test, 'of_country', { variables: { country: 'xx' } });
    expect(body).toMatchObject({ results: [], columns: ['day', 'amount'], hasMore: false });
  });
});

describe('400', () => {
  it.each([
    ['client_query_id as a number', { client_query_id: 5 }, 'client_query_id'],
    ['an empty client_query_id', { client_query_id: '' }, 'client_query_id'],
    ['a client_query_id too long', { client_query_id: 'x'.repeat(256) }, 'client_query_id'],
    ['a client_query_id with a NUL', { client_query_id: 'a\u0000' }, 'client_query_id'],
    ['debug as text', { debug: 'true' }, 'debug'],
    ['debug as a number', { debug: 1 }, 'debug'],
    ['a limit of 0', { limit: 0 }, 'limit'],
    ['a limit below 0', { limit: -1 }, 'limit'],
    ['a limit with a fraction', { limit: 1.5 }, 'limit'],
    ['a limit as text', { limit: '5' }, 'limit'],
    ['a limit of 10^300', { limit: 1e300 }, 'limit'],
    ['an offset below 0', { offset: -1 }, 'offset'],
    ['an offset with a fraction', { offset: 0.5 }, 'offset'],
    ['an offset above 2^53', { offset: 2 ** 53 }, 'offset'],
    ['another refresh', { refresh: 'blocking' }, 'refresh'],
    ['a refresh that is true', { refresh: true }, 'refresh'],
    ['refresh direct without a materialization', { refresh: 'direct' }, 'refresh'],
    ['other integers', { integers: 'bigint' }, 'integers'],
    ['variables as a list', { variables: [] }, 'variables'],
    ['variables as text', { variables: '{}' }, 'variables'],
    ['a version as text', { version: '1' }, 'version'],
    ['a version with a fraction', { version: 1.5 }, 'version'],
    ['query_override', { query_override: {} }, 'query_override'],
    ['query_override with something', { query_override: { limit: 1 } }, 'query_override'],
    ['query_override as text', { query_override: 'SELECT 1' }, 'query_override'],
    ['filters_override without {filters}', { filters_override: {} }, 'filters_override'],
    ['filters_override as text', { filters_override: 'x' }, 'filters_override'],
    ['an unknown member', { limits: 5 }, 'limits'],
    ['a member in camelCase', { clientQueryId: 'x' }, 'clientQueryId'],
  ])('refuses %s', async (_what, body, attr) => {
    const response = await post('sales', body);
    expect(response.status).toBe(400);
    expect(response.body).toEqual({
      type: 'validation_error',
      code: 'invalid_input',
      detail: expect.stringMatching(/^\S.*\.$/),
      attr,
    });
  });

  it('refuses an unknown query parameter beside a body', async () => {
    const response = await post('sales', {}, '?limits=5');
    expect(response.status).toBe(400);
    expect(response.body).toMatchObject({ code: 'invalid_input', attr: 'limits' });
  });

  it.each(['', '?format=csv'])(
    'names the filter whose column the query does not have%s',
    async (query) => {
      const properties = [
        { key: 'country', value: 'de' },
        { key: 'amout', operator: 'gt', value: 1 },
      ];
      const response = await post('filtered', { filters_override: { properties } }, query);
      expect([response.status, response.body]).toEqual([
        400,
        {
          type: 'validation_error',
          code: 'invalid_input',
          detail: 'The query has no column "amout". Did you mean amount?',
          attr: 'filters_override.properties[1].key',
        },
      ]);
    },
  );

  it('reports that a query failed while it ran, with the message of the engine and nothing internal', async () => {
    const { status, body } = await post('failing', {});
    expect(status).toBe(400);
    expect(body).toEqual({
      type: 'validation_error',
      code: 'query_failed',
      detail: expect.stringContaining('too much'),
      attr: null,
    });
    expect(body.detail).not.toMatch(/SELECT|project_|DB::|version/);
  });

  it('reports that a query failed when its table is gone', async () => {
    await test.sql('CREATE TABLE fleeting (a UInt8) ENGINE = Memory');
    await save(test, 'fleeting', { query: 'SELECT a FROM fleeting' });
    await test.sql('DROP TABLE fleeting SYNC');
    const { status, body } = await post('fleeting', {});
    expect(status).toBe(400);
    expect(body).toMatchObject({
      code: 'query_failed',
      detail: expect.stringContaining('fleeting'),
    });
  });

  it('refuses an inactive version, also when it is the latest', async () => {
    await save(test, 'dimmed', { query: 'SELECT 1 AS number' });
    await change(test, 'dimmed', { query: 'SELECT 2 AS number' });
    await change(test, 'dimmed', { version: 2, is_active: false });
    for (const body of [{}, { version: 2 }]) {
      const response = await post('dimmed', body);
      expect(response.status).toBe(400);
      expect(response.body).toEqual({
        type: 'validation_error',
        code: 'inactive_version',
        detail: expect.stringContaining('Version 2'),
        attr: 'version',
      });
    }
    expect(await run(test, 'dimmed', { version: 1 })).toMatchObject({ results: [[1]] });
    await change(test, 'dimmed', { version: 2, is_active: true });
    expect(await run(test, 'dimmed')).toMatchObject({ results: [[2]] });
  });
});

describe('404', () => {
  it('is returned for a missing endpoint', async () => {
    const { status, body } = await post('missing', {});
    expect(status).toBe(404);
    expect(body).toEqual({
      type: 'invalid_request',
      code: 'not_found',
      detail: expect.any(String),
      attr: 'name',
    });
  });

  it.each([0, -1, 3, 2_147_483_647])(
    'is returned for version %d, naming the latest',
    async (version) => {
      const { status, body } = await post('versioned', { version });
      expect(status).toBe(404);
      expect(body).toMatchObject({
        code: 'version_not_found',
        attr: 'version',
        error: body.detail,
        current_version: 2,
      });
    },
  );

  it('is returned for every version of an inactive endpoint, which can still be managed', async () => {
    await save(test, 'asleep', { query: 'SELECT 1 AS number' });
    expect(await run(test, 'asleep')).toMatchObject({ results: [[1]] });
    await change(test, 'asleep', { query: 'SELECT 2 AS number', is_active: false });
    for (const body of [{}, { version: 1 }, { version: 2 }, { version: 9 }]) {
      const response = await post('asleep', body);
      expect(response.status).toBe(404);
      expect(response.body).toMatchObject({ code: 'not_found', attr: 'name' });
    }
    await change(test, 'asleep', { description: 'still here' });
    expect((await test.rest('GET', '/endpoints/asleep/versions')).status).toBe(200);
    await change(test, 'asleep', { is_active: true });
    expect(await run(test, 'asleep', { version: 1 })).toMatchObject({ results: [[1]] });
  });
});

describeAccess(() => test, {
  method: 'POST',
  scope: 'endpoint:read',
  status: 200,
  call: async () => ({ path: '/endpoints/sales/run', body: {} }),
});
