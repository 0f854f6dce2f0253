import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { statementsOf } from '../../support/statements.ts';
import type { TestApp } from '../../support/test-app.ts';
import { describeAccess } from '../support/access.ts';
import { change, openSalesApp, retrieve, save } from '../support/sales.ts';

let test: TestApp;

beforeAll(async () => {
  test = await openSalesApp();
  await save(test, 'sales');
  for (const number of [2, 3]) {
    test.clock.advance(1000);
    await change(test, 'sales', { query: `SELECT ${number} AS number` });
  }
  await change(test, 'sales', { version: 2, is_active: false });
  await save(test, 'sales', {}, test.other);
  await save(test, 'sleeping', { is_active: false });
});
afterAll(() => test.close());

const ask = (path: string) => test.rest('GET', `/endpoints/${path}`);

describe('200', () => {
  it('returns every version whole, newest first, inactive ones included', async () => {
    const { status, body } = await ask('sales/versions');
    expect(status).toBe(200);
    expect(body).toEqual({
      count: 3,
      next: null,
      previous: null,
      results: [
        await retrieve(test, 'sales', 3),
        await retrieve(test, 'sales', 2),
        await retrieve(test, 'sales', 1),
      ],
    });
    expect(body.results).toMatchObject([
      { version: 3, is_active: true, version_created_at: '2026-03-01T12:00:02.000Z' },
      { version: 2, is_active: false, version_created_at: '2026-03-01T12:00:01.000Z' },
      { version: 1, is_active: true, version_created_at: '2026-03-01T12:00:00.000Z' },
    ]);
  });

  it('returns one page and where the others are', async () => {
    const { body } = await ask('sales/versions?limit=1&offset=1');
    const base = `http://querydock.test/api/projects/${test.project.id}/endpoints/sales/versions`;
    expect(body).toMatchObject({
      count: 3,
      next: `${base}?limit=1&offset=2`,
      previous: `${base}?limit=1&offset=0`,
      results: [{ version: 2 }],
    });
  });

  it('returns an inactive endpoint and the other project’s', async () => {
    expect((await ask('sleeping/versions')).body).toMatchObject({
      count: 1,
      results: [{ version: 1, endpoint_is_active: false }],
    });
    const other = await test.rest('GET', '/endpoints/sales/versions', { project: test.other });
    expect(other.body).toMatchObject({ count: 1 });
  });

  it('costs the same statements whatever the number of versions', async () => {
    const forOne = await statementsOf(test, () => ask('sales/versions?limit=1'));
    expect(await statementsOf(test, () => ask('sales/versions'))).toHaveLength(forOne.length);
  });
});

describe('400', () => {
  it.each([
    ['limit=0', 'limit'],
    ['limit=1001', 'limit'],
    ['offset=-1', 'offset'],
    ['offset=2147483648', 'offset'],
    ['version=1', 'version'],
    ['is_active=yes', 'is_active'],
    ['search=x', 'search'],
  ])('refuses ?%s', async (query, attr) => {
    const { status, body } = await ask(`sales/versions?${query}`);
    expect(status).toBe(400);
    expect(body).toMatchObject({ code: 'invalid_input', attr });
  });
});

describe('404', () => {
  it('is returned for a missing endpoint', async () => {
    const { status, body } = await ask('missing/versions');
    expect(status).toBe(404);
    expect(body).toEqual({
      type: 'invalid_request',
      code: 'not_found',
      detail: expect.any(String),
      attr: 'name',
    });
  });
});

describeAccess(() => test, {
  method: 'GET',
  scope: 'endpoint:read',
  status: 200,
  call: async () => ({ path: '/endpoints/sales/versions' }),
});
