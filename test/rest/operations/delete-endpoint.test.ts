import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestApp } from '../../support/test-app.ts';
import { describeAccess } from '../support/access.ts';
import {
  byCountry,
  bystanders,
  change,
  openSalesApp,
  retrieve,
  run,
  save,
  saveInBoth,
} from '../support/sales.ts';

let test: TestApp;

beforeAll(async () => {
  test = await openSalesApp();
  await save(test, 'bystander');
});
afterAll(() => test.close());

const remove = (name: string, query = '') => test.rest('DELETE', `/endpoints/${name}${query}`);

describe('204', () => {
  it('deletes the endpoint with all its versions, with no body, and nothing else', async () => {
    await saveInBoth(test, 'sales');
    await change(test, 'sales', { query: 'SELECT 2 AS two' });
    const before = await bystanders(test, ['sales']);
    const { status, text, headers } = await remove('sales');
    expect(status).toBe(204);
    expect(text).toBe('');
    expect(headers.get('content-type')).toBeNull();
    expect(await bystanders(test)).toEqual(before);
    for (const path of ['', '?version=1', '/versions', '/run', '/openapi.json']) {
      expect((await test.rest('GET', `/endpoints/sales${path}`)).status).toBe(404);
    }
    const other = await test.rest('GET', '/endpoints/sales', { project: test.other });
    expect(other.status).toBe(200);
  });

  it('makes the name free again for an endpoint that begins at version 1', async () => {
    const first = await save(test, 'again');
    await change(test, 'again', { query: 'SELECT 2 AS two' });
    await run(test, 'again');
    await remove('again');
    const second = await save(test, 'again', { query: 'SELECT 3 AS three' });
    expect(second).toMatchObject({
      current_version: 1,
      versions_count: 1,
      last_executed_at: null,
    });
    expect(second.id).not.toBe(first.id);
    expect(await run(test, 'again')).toMatchObject({ results: [[3]], is_cached: false });
  });

  it.each([
    [{ version: 1 }, 'invalid_input', 'version'],
    [{ deleted: false }, 'invalid_input', 'deleted'],
    [[], 'invalid_input', null],
  ])('deletes nothing for a body that it cannot follow: %j', async (body, code, attr) => {
    const name = `body${JSON.stringify(body).length}`;
    await save(test, name);
    const refused = await test.rest('DELETE', `/endpoints/${name}`, { body });
    expect(refused.status).toBe(400);
    expect(refused.body).toMatchObject({ code, attr });
    expect((await retrieve(test, name)).name).toBe(name);
    expect((await test.rest('DELETE', `/endpoints/${name}`, { body: {} })).status).toBe(204);
  });

  it('deletes an inactive endpoint', async () => {
    await save(test, 'sleeping', { is_active: false });
    expect((await remove('sleeping')).status).toBe(204);
  });

  it('leaves no cached result to a later endpoint of the same name and query', async () => {
    await save(test, 'cached');
    await run(test, 'cached');
    expect(await run(test, 'cached')).toMatchObject({ is_cached: true });
    await remove('cached');
    await save(test, 'cached');
    expect(await run(test, 'cached')).toMatchObject({ is_cached: false });
  });

  it('is returned to one of two callers at the same time', async () => {
    await save(test, 'contested');
    const both = await Promise.all([remove('contested'), remove('contested')]);
    expect(both.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([204, 404]);
  });
});

describe('400', () => {
  it('refuses a query parameter, since no version can be deleted alone', async () => {
    await saveInBoth(test, 'whole');
    const { status, body } = await remove('whole', '?version=1');
    expect(status).toBe(400);
    expect(body).toEqual({
      type: 'validation_error',
      code: 'invalid_input',
      detail: expect.any(String),
      attr: 'version',
    });
    expect(await retrieve(test, 'whole')).toMatchObject({ query: { query: byCountry } });
  });
});

describe('404', () => {
  it.each(['missing', 'Bystander', 'run', '%00'])('is returned for the name %s', async (name) => {
    const before = await bystanders(test);
    const { status, body } = await remove(name);
    expect(status).toBe(404);
    expect(body).toEqual({
      type: 'invalid_request',
      code: 'not_found',
      detail: expect.any(String),
      attr: 'name',
    });
    expect(await bystanders(test)).toEqual(before);
  });
});

let calls = 0;

describeAccess(() => test, {
  method: 'DELETE',
  scope: 'endpoint:write',
  status: 204,
  call: async () => {
    calls += 1;
    await saveInBoth(test, `access_${calls}`);
    return { path: `/endpoints/access_${calls}` };
  },
});
