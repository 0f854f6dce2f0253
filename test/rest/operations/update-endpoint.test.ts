import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { TestApp } from '../../support/test-app.ts';
import { describeAccess } from '../support/access.ts';
import { byCountry, bystanders, change, openSalesApp, retrieve, save } from '../support/sales.ts';

let test: TestApp;
let created: Record<string, unknown>;

beforeAll(async () => {
  test = await openSalesApp();
  await save(test, 'bystander');
  await save(test, 'sales', { description: 'of the other' }, test.other);
});
afterAll(() => test.close());

beforeEach(async () => {
  await test.rest('DELETE', '/endpoints/sales');
  test.clock.set('2026-03-01T12:00:00.000Z');
  created = await save(test, 'sales', { description: 'kept', cache_age_seconds: 60 });
  test.clock.set('2026-03-01T13:00:00.000Z');
});

const patch = (body: unknown, query = '') =>
  test.rest('PATCH', `/endpoints/sales${query}`, { body: body as Record<string, unknown> });

/** Changes the endpoint of the tests and nothing beside it. */
async function patched(body: Readonly<Record<string, unknown>>) {
  const before = await bystanders(test, ['sales']);
  const changed = await change(test, 'sales', body);
  expect(await bystanders(test, ['sales'])).toEqual(before);
  expect(await retrieve(test, 'sales')).toEqual(changed);
  return changed;
}

describe('200', () => {
  it('returns the whole endpoint with what was changed', async () => {
    const changed = await patched({ description: 'new', cache_age_seconds: 5, is_active: false });
    expect(changed).toEqual({
      ...created,
      description: 'new',
      cache_age_seconds: 5,
      is_active: false,
      updated_at: '2026-03-01T13:00:00.000Z',
    });
  });

  it('leaves everything that is absent', async () => {
    expect(await patched({})).toEqual({ ...created, updated_at: '2026-03-01T13:00:00.000Z' });
  });

  it('leaves everything that is null, but for the cache age', async () => {
    const nulls = {
      name: null,
      description: null,
      query: null,
      derived_from_insight: null,
      is_active: null,
      is_materialized: null,
      sync_frequency: null,
      version: null,
      deleted: null,
    };
    expect(await patched(nulls)).toMatchObject({
      description: 'kept',
      cache_age_seconds: 60,
      is_active: true,
      current_version: 1,
    });
  });

  it('clears a description by an empty one', async () => {
    expect(await patched({ description: '' })).toMatchObject({ description: '' });
  });

  it('clears a cache age by null', async () => {
    expect(await patched({ cache_age_seconds: null })).toMatchObject({ cache_age_seconds: null });
  });

  it('accepts a cache age of 0', async () => {
    expect(await patched({ cache_age_seconds: 0 })).toMatchObject({ cache_age_seconds: 0 });
  });

  it('tolerates the name that it has', async () => {
    expect(await patched({ name: 'sales', description: 'new' })).toMatchObject({
      name: 'sales',
      description: 'new',
    });
  });

  it('leaves a sync cadence that it does not name', async () => {
    const cadence = async () => {
      const rows = await test.backends.metadata.prisma.materializationStatus.findMany({
        where: { versionId: String(created.current_version_id) },
      });
      return rows.map(({ syncFrequency }) => syncFrequency);
    };
    await patched({ sync_frequency: '5min' });
    expect(await cadence()).toEqual(['5min']);
    await patched({ description: 'x', is_active: false, is_materialized: false });
    expect(await cadence()).toEqual(['5min']);
  });

  it('accepts is_materialized false where it is off', async () => {
    expect(await patched({ is_materialized: false })).toMatchObject({ is_materialized: false });
  });

  it('deletes by deleted true', async () => {
    const before = await bystanders(test, ['sales']);
    const { status, body } = await patch({ deleted: true });
    expect(status).toBe(200);
    expect(body).toEqual({ success: true });
    expect(await bystanders(test, ['sales'])).toEqual(before);
    expect((await test.rest('GET', '/endpoints/sales')).status).toBe(404);
  });

  it('deletes nothing by deleted false', async () => {
    expect(await patched({ deleted: false, description: 'new' })).toMatchObject({
      description: 'new',
    });
  });

  it('accepts PUT in the same way, without clearing what is absent', async () => {
    const { status, body } = await test.rest('PUT', '/endpoints/sales', {
      body: { description: 'put' },
    });
    expect(status).toBe(200);
    expect(body).toMatchObject({ description: 'put', cache_age_seconds: 60 });
  });
});

describe('400', () => {
  async function refused(body: unknown, query = '') {
    const before = await bystanders(test);
    const response = await patch(body, query);
    expect(await bystanders(test)).toEqual(before);
    expect(response.status).toBe(400);
    expect(response.body).toMatchObject({
      type: 'validation_error',
      detail: expect.stringMatching(/\S/),
    });
    return response.body;
  }

  it.each([
    ['a new name', { name: 'sold' }, 'name'],
    ['a name that is a number', { name: 5 }, 'name'],
    ['a description that is a number', { description: 5 }, 'description'],
    ['a description with a NUL', { description: 'a\u0000' }, 'description'],
    ['a query that is a number', { query: 5 }, 'query'],
    ['an empty query', { query: '' }, 'query'],
    ['a cache age of -1', { cache_age_seconds: -1 }, 'cache_age_seconds'],
    ['a cache age of 86401', { cache_age_seconds: 86_401 }, 'cache_age_seconds'],
    ['a cache age as text', { cache_age_seconds: '5' }, 'cache_age_seconds'],
    ['is_active as text', { is_active: 'false' }, 'is_active'],
    ['is_materialized as a number', { is_materialized: 1 }, 'is_materialized'],
    ['another sync frequency', { sync_frequency: 'hourly' }, 'sync_frequency'],
    [
      'a sync frequency while materialization is turned off',
      { sync_frequency: '1hour', is_materialized: false },
      'sync_frequency',
    ],
    ['a version as text', { version: '1' }, 'version'],
    ['a version with a fraction', { version: 1.5 }, 'version'],
    ['a version that is not there', { version: 9, description: 'x' }, 'version'],
    ['version 0', { version: 0, description: 'x' }, 'version'],
    ['deleted as text', { deleted: 'true' }, 'deleted'],
    ['an unknown member', { descripton: 'x' }, 'descripton'],
    ['another value of a member that is only read', { current_version: 9 }, 'current_version'],
    ['a query together with a version', { query: 'SELECT 1', version: 1 }, 'query'],
  ])('refuses %s', async (_what, body, attr) => {
    expect(await refused(body)).toMatchObject({ code: 'invalid_input', attr });
  });

  it.each([
    ['?version=9', { description: 'x' }, 'version'],
    ['?version=one', { description: 'x' }, 'version'],
    ['?version=1', { query: 'SELECT 1' }, 'query'],
    ['?name=sales', { description: 'x' }, 'name'],
  ])('refuses %s', async (query, body, attr) => {
    expect(await refused(body, query)).toMatchObject({ code: 'invalid_input', attr });
  });

  it('refuses a query that the engine does not accept', async () => {
    expect(await refused({ query: 'SELECT nothing FROM sales', description: 'x' })).toMatchObject({
      code: 'invalid_query',
      attr: 'query',
    });
  });

  it('refuses is_materialized true with the reason', async () => {
    await save(test, 'random', { query: 'SELECT rand() AS r' });
    const before = await bystanders(test);
    const { status, body } = await test.rest('PATCH', '/endpoints/random', {
      body: { is_materialized: true, description: 'x' },
    });
    expect(status).toBe(400);
    expect(body).toMatchObject({ code: 'cannot_materialize', attr: 'is_materialized' });
    expect(body.detail).toMatch(/^Cannot materialize endpoint\. \S.*rand/);
    expect(await bystanders(test)).toEqual(before);
    await test.rest('DELETE', '/endpoints/random');
  });

  it('refuses is_materialized true together with a new query', async () => {
    const body = await refused({ is_materialized: true, query: 'SELECT rand() AS r' });
    expect(body).toMatchObject({ code: 'cannot_materialize' });
  });
});

describe('404', () => {
  it.each([
    { description: 'x' },
    { query: byCountry },
    { deleted: true },
    { version: 1, is_active: false },
  ])('answers for a missing endpoint and %j', async (body) => {
    const before = await bystanders(test);
    const response = await test.rest('PATCH', '/endpoints/missing', { body });
    expect(await bystanders(test)).toEqual(before);
    expect(response.status).toBe(404);
    expect(response.body).toEqual({
      type: 'invalid_request',
      code: 'not_found',
      detail: expect.any(String),
      attr: 'name',
    });
  });
});

describeAccess(() => test, {
  method: 'PATCH',
  scope: 'endpoint:write',
  status: 200,
  call: async () => ({ path: '/endpoints/sales', body: { description: 'accessed' } }),
});
