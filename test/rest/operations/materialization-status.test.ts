import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestApp } from '../../support/test-app.ts';
import { describeAccess } from '../support/access.ts';
import { change, openSalesApp, save } from '../support/sales.ts';

let test: TestApp;

beforeAll(async () => {
  test = await openSalesApp();
  await save(test, 'sales');
  await change(test, 'sales', { query: 'SELECT 2 AS two' });
  await save(test, 'sales', {}, test.other);
  await save(test, 'sleeping', { is_active: false });
});
afterAll(() => test.close());

const ask = (path: string) => test.rest('GET', `/endpoints/${path}`);

describe('200', () => {
  it.each([
    ['sales/materialization_status', 'sales', 2],
    ['sales/materialization_status?version=2', 'sales', 2],
    ['sales/materialization_status?version=1', 'sales', 1],
    ['sleeping/materialization_status', 'sleeping', 1],
  ])('answers %s with what it could be while it is off', async (path, name, version) => {
    const { status, body } = await ask(path);
    expect(status).toBe(200);
    expect(body).toEqual({
      name,
      version,
      can_materialize: true,
      reason: null,
    });
  });

  it('returns the reason for a query that cannot be materialized', async () => {
    await save(test, 'random', { query: 'SELECT rand() AS r' });
    expect((await ask('random/materialization_status')).body).toEqual({
      name: 'random',
      version: 1,
      can_materialize: false,
      reason: expect.stringMatching(/^\S.*\.$/),
    });
  });

  it('equals the status within the endpoint itself', async () => {
    const endpoint = await ask('sales');
    const { body } = await ask('sales/materialization_status');
    expect({ name: 'sales', version: 2, ...(endpoint.body.materialization as object) }).toEqual(
      body,
    );
  });
});

describe('400', () => {
  it.each([
    ['version=one', 'version'],
    ['version=1.0', 'version'],
    ['versoin=1', 'versoin'],
    ['limit=1', 'limit'],
  ])('refuses ?%s', async (query, attr) => {
    const { status, body } = await ask(`sales/materialization_status?${query}`);
    expect(status).toBe(400);
    expect(body).toMatchObject({ code: 'invalid_input', attr });
  });
});

describe('404', () => {
  it('is returned for a missing endpoint', async () => {
    const { status, body } = await ask('missing/materialization_status');
    expect(status).toBe(404);
    expect(body).toEqual({
      type: 'invalid_request',
      code: 'not_found',
      detail: expect.any(String),
      attr: 'name',
    });
  });

  it('is returned for a missing version', async () => {
    const { status, body } = await ask('sales/materialization_status?version=3');
    expect(status).toBe(404);
    expect(body).toMatchObject({ code: 'version_not_found', attr: 'version', current_version: 2 });
  });
});

describeAccess(() => test, {
  method: 'GET',
  scope: 'endpoint:read',
  status: 200,
  call: async () => ({ path: '/endpoints/sales/materialization_status' }),
});
