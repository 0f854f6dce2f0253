/** The row that answers the document; what stands in it is tested in test/openapi. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { endpointDocument } from '../../../src/openapi/endpoint-document.ts';
import type { TestApp } from '../../support/test-app.ts';
import { describeAccess } from '../support/access.ts';
import { change, ofCountry, openSalesApp, save } from '../support/sales.ts';

let test: TestApp;

beforeAll(async () => {
  test = await openSalesApp();
  await save(test, 'daily-sales', { description: 'By day', query: ofCountry });
  await change(test, 'daily-sales', { query: 'SELECT 2 AS two' });
  await save(test, 'daily-sales', {}, test.other);
  await save(test, 'sleeping', { is_active: false });
});
afterAll(() => test.close());

const ask = (path: string) => test.rest('GET', `/endpoints/${path}`);

const objects = { rows: 'objects', prefix: 'projects' } as const;

const one = {
  name: 'daily-sales',
  version: 1,
  description: 'By day',
  columns: [
    { name: 'day', type: 'Date' },
    { name: 'amount', type: 'UInt32' },
  ],
  variables: [{ name: 'country', type: 'String', required: true, default: null, description: '' }],
};

describe('200', () => {
  it('returns the document of the latest version', async () => {
    const { status, body, headers } = await ask('daily-sales/openapi.json');
    expect(status).toBe(200);
    expect(headers.get('content-type')).toMatch(/^application\/json/);
    const documented = {
      ...one,
      projectId: test.project.id,
      version: 2,
      columns: [{ name: 'two', type: 'UInt8' }],
      variables: [],
    };
    expect(body).toEqual(
      JSON.parse(JSON.stringify(endpointDocument(documented, 'http://querydock.test', objects))),
    );
  });

  it('returns the document of the version that is named', async () => {
    const { body } = await ask('daily-sales/openapi.json?version=1');
    const documented = { ...one, projectId: test.project.id };
    expect(body).toEqual(
      JSON.parse(JSON.stringify(endpointDocument(documented, 'http://querydock.test', objects))),
    );
  });

  it('has the promised title, version, server, path, operations and scheme', async () => {
    const { body } = await ask('daily-sales/openapi.json?version=1');
    const path = `/api/projects/${test.project.id}/endpoints/daily-sales/run`;
    expect(body).toMatchObject({
      openapi: '3.0.3',
      info: { title: 'daily-sales', version: '1' },
      servers: [{ url: 'http://querydock.test' }],
      paths: { [path]: { post: { operationId: 'run_daily_sales' }, get: {} } },
      components: { securitySchemes: expect.any(Object) },
    });
    expect(body.servers).toHaveLength(1);
    expect(Object.keys(body.paths as object)).toEqual([path]);
    const { securitySchemes } = body.components as { readonly securitySchemes: object };
    expect(Object.values(securitySchemes)).toMatchObject([{ type: 'http', scheme: 'bearer' }]);
  });

  it('describes the form of rows that is asked for, under the prefix that is asked', async () => {
    const documented = { ...one, projectId: test.project.id };
    const choice = { rows: 'arrays', prefix: 'environments' } as const;
    const { body } = await test.rest('GET', '/endpoints/daily-sales/openapi.json', {
      prefix: 'environments',
    });
    expect(Object.keys(body.paths as object)).toEqual([
      `/api/environments/${test.project.id}/endpoints/daily-sales/run`,
    ]);
    const path = '/endpoints/daily-sales/openapi.json?version=1&rows=arrays';
    const inArrays = await test.rest('GET', path, { prefix: 'environments' });
    expect(inArrays.body).toEqual(
      JSON.parse(JSON.stringify(endpointDocument(documented, 'http://querydock.test', choice))),
    );
  });

  it.each([
    ['objects', { day: '2026-01-01', amount: 1 }],
    ['arrays', ['2026-01-01', 1]],
  ])('describes the members that a run with rows=%s has', async (rows, first) => {
    const path = `daily-sales/openapi.json?version=1&rows=${rows}`;
    const { body: document } = await ask(path);
    const run = await ask(`daily-sales/run?version=1&rows=${rows}&variables[country]=at`);
    expect(run.body.results).toEqual([first]);
    const [item] = Object.values(document.paths as Record<string, { readonly get: unknown }>);
    expect(item?.get).toHaveProperty(
      ['responses', '200', 'content', 'application/json', 'schema', 'required'],
      Object.keys(run.body),
    );
  });

  it('is returned for an inactive endpoint', async () => {
    expect((await ask('sleeping/openapi.json')).body).toMatchObject({ info: { version: '1' } });
  });
});

describe('400', () => {
  it.each([
    ['version=latest', 'version'],
    ['format=yaml', 'format'],
    ['rows=tables', 'rows'],
  ])('refuses ?%s', async (query, attr) => {
    const { status, body } = await ask(`daily-sales/openapi.json?${query}`);
    expect(status).toBe(400);
    expect(body).toMatchObject({ code: 'invalid_input', attr });
  });
});

describe('404', () => {
  it('is returned for a missing endpoint', async () => {
    const { status, body } = await ask('missing/openapi.json');
    expect(status).toBe(404);
    expect(body).toMatchObject({ code: 'not_found', attr: 'name' });
  });

  it('is returned for a missing version', async () => {
    const { status, body } = await ask('daily-sales/openapi.json?version=3');
    expect(status).toBe(404);
    expect(body).toMatchObject({ code: 'version_not_found', current_version: 2 });
  });
});

describeAccess(() => test, {
  method: 'GET',
  scope: 'endpoint:read',
  status: 200,
  call: async () => ({ path: '/endpoints/daily-sales/openapi.json' }),
});
