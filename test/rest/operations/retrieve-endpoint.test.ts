import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestApp } from '../../support/test-app.ts';
import { describeAccess } from '../support/access.ts';
import { byCountry, change, openSalesApp, save } from '../support/sales.ts';

let test: TestApp;
let created: Record<string, unknown>;

beforeAll(async () => {
  test = await openSalesApp();
  created = await save(test, 'sales', { description: 'first', cache_age_seconds: 60 });
  await save(test, 'sales', { query: 'SELECT 1 AS other' }, test.other);
  test.clock.advance(60_000);
  await change(test, 'sales', {
    query: 'SELECT country FROM sales WHERE country = {country:String}',
    description: 'second',
  });
  await save(test, 'sleeping', { is_active: false });
});
afterAll(() => test.close());

const get = (path: string) => test.rest('GET', `/endpoints/${path}`);

const secondColumns = {
  query: {
    kind: 'SQLQuery',
    query: 'SELECT country FROM sales WHERE country = {country:String}',
    variables: {},
  },
  columns: [{ name: 'country', type: 'String' }],
  variables: [{ name: 'country', type: 'String', required: true, default: null, description: '' }],
};

describe('200', () => {
  it('returns the endpoint as its latest version has it', async () => {
    const { status, body } = await get('sales');
    expect(status).toBe(200);
    expect(body).toEqual({
      ...created,
      ...secondColumns,
      description: 'second',
      cache_age_seconds: 60,
      updated_at: '2026-03-01T12:01:00.000Z',
      current_version: 2,
      current_version_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      versions_count: 2,
    });
    expect(body.current_version_id).not.toBe(created.current_version_id);
  });

  it('returns an older version with everything taken from it', async () => {
    const latest = await get('sales');
    const { status, body } = await get('sales?version=1');
    expect(status).toBe(200);
    expect(body).toEqual({
      ...created,
      updated_at: '2026-03-01T12:01:00.000Z',
      current_version: 2,
      current_version_id: latest.body.current_version_id,
      versions_count: 2,
      version: 1,
      version_id: created.current_version_id,
      version_created_at: '2026-03-01T12:00:00.000Z',
      version_created_by: created.created_by,
      endpoint_is_active: true,
    });
  });

  it('returns the latest version with the members of a version when it is named', async () => {
    const latest = await get('sales');
    const { body } = await get('sales?version=2');
    expect(body).toEqual({
      ...latest.body,
      version: 2,
      version_id: latest.body.current_version_id,
      version_created_at: '2026-03-01T12:01:00.000Z',
      version_created_by: created.created_by,
      endpoint_is_active: true,
    });
  });

  it('returns the other project its own endpoint of the same name', async () => {
    const { body } = await test.rest('GET', '/endpoints/sales', { project: test.other });
    expect(body).toMatchObject({ query: { query: 'SELECT 1 AS other' }, current_version: 1 });
  });

  it('returns an inactive endpoint', async () => {
    expect((await get('sleeping')).body).toMatchObject({ is_active: false });
    expect((await get('sleeping?version=1')).body).toMatchObject({
      is_active: true,
      endpoint_is_active: false,
    });
  });

  it('accepts the version from a body too, which wins over the query string', async () => {
    const found = await test.app.dispatch({
      method: 'GET',
      path: `/api/projects/${test.project.id}/endpoints/sales`,
      search: '?version=2',
      headers: new Headers({
        authorization: `Bearer ${test.project.readKey}`,
        'content-type': 'application/json',
      }),
      body: Buffer.from('{"version":1}'),
      isTooLarge: false,
      signal: new AbortController().signal,
      remoteAddress: null,
    });
    const body = Buffer.concat(found.body as Buffer[]).toString('utf8');
    expect(JSON.parse(body)).toMatchObject({ version: 1, description: 'first' });
  });

  it('shows when it ran last', async () => {
    await test.rest('POST', '/endpoints/sales/run', { body: { version: 1 } });
    await test.app.core.recorder.flush();
    expect((await get('sales')).body.last_executed_at).toBe('2026-03-01T12:01:00.000Z');
  });
});

describe('400', () => {
  it.each(['', '1.5', 'one', '1e0', '0x1', ' 1', '+1', 'null', '1&version=2'])(
    'refuses ?version=%s',
    async (version) => {
      const { status, body } = await get(`sales?version=${encodeURI(version).replace('+', '%2B')}`);
      expect(status).toBe(400);
      expect(body).toEqual({
        type: 'validation_error',
        code: 'invalid_input',
        detail: expect.any(String),
        attr: 'version',
      });
    },
  );

  it('refuses an unknown query parameter', async () => {
    const { status, body } = await get('sales?verison=1');
    expect(status).toBe(400);
    expect(body).toMatchObject({
      code: 'invalid_input',
      attr: 'verison',
      detail: expect.stringContaining('version'),
    });
  });
});

describe('404', () => {
  it.each(['missing', 'Sales', 'sale', 'sales2', 'a'.repeat(300), '%00', 'sales%00'])(
    'is returned for the name %s',
    async (name) => {
      const { status, body } = await get(name);
      expect(status).toBe(404);
      expect(body).toEqual({
        type: 'invalid_request',
        code: 'not_found',
        detail: expect.any(String),
        attr: 'name',
      });
    },
  );

  it.each([3, 0, -1, 2_147_483_647])(
    'is returned for version %d, naming the latest',
    async (version) => {
      const { status, body } = await get(`sales?version=${version}`);
      const detail = `Version ${version} not found for endpoint 'sales'. The current version is 2.`;
      expect(status).toBe(404);
      expect(body).toEqual({
        type: 'invalid_request',
        code: 'version_not_found',
        detail,
        attr: 'version',
        error: detail,
        current_version: 2,
      });
    },
  );
});

describe('404 beyond 32 bits', () => {
  it.each(['99999999999', '-99999999999', '9007199254740991'])(
    'is returned for version %s as for any other that does not exist',
    async (version) => {
      const { status, body } = await get(`sales?version=${version}`);
      expect(status).toBe(404);
      expect(body).toMatchObject({
        code: 'version_not_found',
        attr: 'version',
        current_version: 2,
      });
    },
  );

  it.each([
    ['99999999999999999999999', 'This version was'],
    ['-2147483649', 'This version was'],
    ['2147483647', 'Version 2147483647'],
    ['-5', 'Version -5'],
  ])('names no number but that of the request: %s', async (version, named) => {
    const detail = `${named} not found for endpoint 'sales'. The current version is 2.`;
    for (const path of ['sales', 'sales/run', 'sales/materialization_status']) {
      const { status, body } = await get(`${path}?version=${version}`);
      expect([status, body.detail, body.error]).toEqual([404, detail, detail]);
    }
    const patch = { body: { description: 'lost' } };
    const refused = await test.rest('PATCH', `/endpoints/sales?version=${version}`, patch);
    expect([refused.status, refused.body.detail]).toEqual([
      400,
      `${named} not found. The versions of this endpoint are 1 to 2.`,
    ]);
    const missing = await get(`missing?version=${version}`);
    expect([missing.status, missing.body.code]).toEqual([404, 'not_found']);
  });
});

describeAccess(() => test, {
  method: 'GET',
  scope: 'endpoint:read',
  status: 200,
  call: async () => ({ path: '/endpoints/sales' }),
});

it('returns the query of a version as it was saved', async () => {
  expect((await get('sales?version=1')).body).toMatchObject({ query: { query: byCountry } });
});
