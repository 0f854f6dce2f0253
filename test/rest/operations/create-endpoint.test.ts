import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestApp } from '../../support/test-app.ts';
import { describeAccess } from '../support/access.ts';
import { byCountry, bystanders, openSalesApp, retrieve, save } from '../support/sales.ts';

let test: TestApp;

beforeAll(async () => {
  test = await openSalesApp();
  await save(test, 'bystander');
});
afterAll(() => test.close());

const create = (body: unknown, query = '') =>
  test.rest('POST', `/endpoints${query}`, { body: body as Record<string, unknown> });

describe('201', () => {
  it('returns the whole endpoint', async () => {
    const { status, body } = await create({ name: 'by_country', query: byCountry });
    expect(status).toBe(201);
    expect(body).toEqual({
      id: expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/),
      name: 'by_country',
      graphql_name: 'byCountry',
      description: '',
      query: { kind: 'SQLQuery', query: byCountry, variables: {} },
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
      current_version_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      versions_count: 1,
      derived_from_insight: null,
      data_freshness_seconds: 86_400,
      sync_frequency: '24hour',
      tags: [],
      last_executed_at: null,
      columns: [
        { name: 'country', type: 'String' },
        { name: 'total', type: 'UInt64' },
      ],
      variables: [],
      materialization: { can_materialize: true, reason: null },
    });
    expect(await retrieve(test, 'by_country')).toEqual(body);
  });

  it('keeps every member that it is given', async () => {
    const given = {
      name: 'with_everything',
      description: 'What was sold, <b>ü</b> 😀',
      cache_age_seconds: 60,
      derived_from_insight: 'abc123',
      is_active: false,
      is_materialized: false,
    };
    const { status, body } = await create({
      ...given,
      query: { kind: 'HogQLQuery', query: byCountry },
      sync_frequency: '5min',
      version: 1,
    });
    expect(body).toMatchObject({
      ...given,
      query: { kind: 'HogQLQuery', query: byCountry, variables: {} },
    });
    expect(status).toBe(201);
  });

  it('accepts null for a member that is left out', async () => {
    const members = [
      'description',
      'cache_age_seconds',
      'derived_from_insight',
      'is_active',
      'is_materialized',
      'sync_frequency',
      'version',
    ];
    const nulls = Object.fromEntries(members.map((member) => [member, null]));
    const { body } = await create({ name: 'nulls', query: byCountry, ...nulls });
    expect(body).toMatchObject({ description: '', is_active: true, cache_age_seconds: null });
  });

  it.each(['a', 'Z', `x${'y'.repeat(127)}`, 'a-b_C9', 'constructor', 'toString'])(
    'takes the name %s',
    async (name) => {
      const { status, body } = await create({ name, query: byCountry });
      expect(body.name).toBe(name);
      expect(status).toBe(201);
    },
  );

  it.each([0, 1, 86_400])('takes a cache age of %d seconds', async (age) => {
    const { body } = await create({
      name: `aged_${age}`,
      query: byCountry,
      cache_age_seconds: age,
    });
    expect(body.cache_age_seconds).toBe(age);
  });

  it.each(['5min 15min 30min 1hour 2hour 4hour 6hour 12hour 24hour 7day 30day'.split(' ')])(
    'takes every documented sync frequency',
    async (...frequencies) => {
      for (const sync_frequency of frequencies) {
        const name = `every_${sync_frequency}`;
        expect((await create({ name, query: byCountry, sync_frequency })).status).toBe(201);
      }
    },
  );

  it('accepts the same name in another project and a name in another case', async () => {
    await save(test, 'shared');
    const before = await bystanders(test, ['Shared']);
    await save(test, 'Shared');
    expect(await bystanders(test, ['Shared'])).toEqual(before);
    const { body } = await test.rest('POST', '/endpoints', {
      body: { name: 'shared', query: 'SELECT 1 AS one' },
      project: test.other,
    });
    expect(body).toMatchObject({ name: 'shared', columns: [{ name: 'one' }] });
    expect(await retrieve(test, 'shared')).toMatchObject({ query: { query: byCountry } });
  });

  it('accepts a name once when it is created twice at the same time', async () => {
    const both = await Promise.all(
      [1, 2].map(() => create({ name: 'contested', query: byCountry })),
    );
    expect(both.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([201, 400]);
    expect(both.find(({ status }) => status === 400)?.body).toMatchObject({ code: 'unique' });
  });
});

describe('400', () => {
  /** Whatever is refused, nothing is saved by it. */
  async function refused(body: unknown, query = '') {
    const before = await bystanders(test);
    const response = await create(body, query);
    expect(await bystanders(test)).toEqual(before);
    expect(response.status).toBe(400);
    expect(response.body).toEqual({
      type: 'validation_error',
      code: expect.any(String),
      detail: expect.stringMatching(/^\S.{10,}[.?]$/s),
      attr: response.body.attr,
    });
    return response.body;
  }

  const valid = { name: 'valid', query: byCountry };

  it.each([
    ['an absent name', { query: byCountry }, 'name'],
    ['a null name', { ...valid, name: null }, 'name'],
    ['an empty name', { ...valid, name: '' }, 'name'],
    ['a name that begins with a digit', { ...valid, name: '1a' }, 'name'],
    ['a name that begins with a hyphen', { ...valid, name: '-a' }, 'name'],
    ['a name with a blank', { ...valid, name: 'a b' }, 'name'],
    ['a name with a line break at its end', { ...valid, name: 'a\n' }, 'name'],
    ['a name beyond ASCII', { ...valid, name: 'ü' }, 'name'],
    ['a name with a slash', { ...valid, name: 'a/b' }, 'name'],
    ['a name with a dot', { ...valid, name: 'openapi.json' }, 'name'],
    ['a name of 129 characters', { ...valid, name: 'a'.repeat(129) }, 'name'],
    ['the reserved name', { ...valid, name: 'last_execution_times' }, 'name'],
    ['a name that is a number', { ...valid, name: 5 }, 'name'],
    ['an absent query', { name: 'valid' }, 'query'],
    ['a null query', { ...valid, query: null }, 'query'],
    ['a description that is a number', { ...valid, description: 5 }, 'description'],
    ['a cache age below 0', { ...valid, cache_age_seconds: -1 }, 'cache_age_seconds'],
    ['a cache age above a day', { ...valid, cache_age_seconds: 86_401 }, 'cache_age_seconds'],
    ['a cache age with a fraction', { ...valid, cache_age_seconds: 1.5 }, 'cache_age_seconds'],
    ['a cache age of 10^12', { ...valid, cache_age_seconds: 1e12 }, 'cache_age_seconds'],
    ['a cache age as text', { ...valid, cache_age_seconds: '60' }, 'cache_age_seconds'],
    ['an insight as a number', { ...valid, derived_from_insight: 1 }, 'derived_from_insight'],
    ['is_active as text', { ...valid, is_active: 'true' }, 'is_active'],
    ['is_active as a number', { ...valid, is_active: 1 }, 'is_active'],
    ['is_materialized as text', { ...valid, is_materialized: 'no' }, 'is_materialized'],
    ['another sync frequency', { ...valid, sync_frequency: '1day' }, 'sync_frequency'],
    ['an empty sync frequency', { ...valid, sync_frequency: '' }, 'sync_frequency'],
    ['version 2', { ...valid, version: 2 }, 'version'],
    ['version 0', { ...valid, version: 0 }, 'version'],
    ['version as text', { ...valid, version: '1' }, 'version'],
    ['an unknown member', { ...valid, cacheAgeSeconds: 5 }, 'cacheAgeSeconds'],
    ['deleted, which only an update takes', { ...valid, deleted: true }, 'deleted'],
  ])('refuses %s', async (_what, body, attr) => {
    expect(await refused(body)).toMatchObject({ code: 'invalid_input', attr });
  });

  it.each([[[]], ['text'], [5], [null], [true]])('refuses %j as a body', async (body) => {
    expect(await refused(JSON.stringify(body))).toMatchObject({
      code: 'invalid_input',
      attr: null,
    });
  });

  it('refuses an empty body for its missing name', async () => {
    expect(await refused({})).toMatchObject({ code: 'invalid_input', attr: 'name' });
  });

  it('refuses a name that is taken, naming it', async () => {
    const body = await refused({ name: 'bystander', query: 'SELECT 1' });
    expect(body).toMatchObject({ code: 'unique', attr: 'name' });
    expect(body.detail).toContain('bystander');
  });

  it('refuses is_materialized for a query that cannot be materialized, with the reason', async () => {
    const query = 'SELECT rand() AS r';
    const body = await refused({ ...valid, query, is_materialized: true });
    expect(body).toMatchObject({ code: 'cannot_materialize', attr: 'is_materialized' });
    expect(body.detail).toMatch(/^Cannot materialize endpoint\. \S.*rand/);
    expect((await test.rest('GET', '/endpoints/valid')).status).toBe(404);
  });

  it('refuses a query parameter', async () => {
    expect(await refused(valid, '?version=1')).toMatchObject({
      code: 'invalid_input',
      attr: 'version',
    });
  });
});

describe('404', () => {
  it('is returned to an administrator for a project that does not exist', async () => {
    const { status, body } = await test.rest('POST', '/endpoints', {
      body: { name: 'nowhere', query: 'SELECT 1' },
      key: test.adminKey,
      project: '2000000000',
    });
    expect(status).toBe(404);
    expect(body).toMatchObject({ code: 'not_found', attr: 'project_id' });
  });
});

let calls = 0;

describeAccess(() => test, {
  method: 'POST',
  scope: 'endpoint:write',
  status: 201,
  call: async () => {
    calls += 1;
    return { path: '/endpoints', body: { name: `access_${calls}`, query: byCountry } };
  },
});
