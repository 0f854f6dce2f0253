/** The row that answers the document of a project; what stands in it is tested in test/openapi. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { statementsOf } from '../../support/statements.ts';
import type { TestApp, TestResponse } from '../../support/test-app.ts';
import { describeAccess } from '../support/access.ts';
import { change, ofCountry, openSalesApp, save } from '../support/sales.ts';

let test: TestApp;

beforeAll(async () => {
  test = await openSalesApp();
  await save(test, 'daily-sales', { query: ofCountry });
  await save(test, 'by_country');
  await save(test, 'sleeping', { is_active: false });
  await save(test, 'without-current');
  await change(test, 'without-current', { query: 'SELECT 2 AS two' });
  await test.rest('PATCH', '/endpoints/without-current?version=2', { body: { is_active: false } });
  await save(test, 'elsewhere', {}, test.other);
});
afterAll(() => test.close());

const pathsOf = ({ body }: TestResponse) => Object.keys(body.paths as object);
const runPath = (name: string, prefix = 'projects') =>
  `/api/${prefix}/${test.project.id}/endpoints/${name}/run`;

describe('200', () => {
  it('describes the endpoints of the project that can run, by name', async () => {
    const response = await test.rest('GET', '/openapi.json');
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toMatch(/^application\/json/);
    expect(pathsOf(response)).toEqual(
      ['_usage', 'by_country', 'daily-sales'].map((n) => runPath(n)),
    );
    expect(response.body).toMatchObject({
      openapi: '3.0.3',
      servers: [{ url: 'http://querydock.test' }],
      components: {
        schemas: { DailySalesRow: { properties: { day: {}, amount: {} } }, ByCountryRow: {} },
      },
    });
  });

  it('has its paths under the prefix that is asked', async () => {
    const response = await test.rest('GET', '/openapi.json', { prefix: 'environments' });
    expect(pathsOf(response)).toEqual([
      runPath('_usage', 'environments'),
      runPath('by_country', 'environments'),
      runPath('daily-sales', 'environments'),
    ]);
  });

  it('describes rows as arrays when that is asked for', async () => {
    const { body } = await test.rest('GET', '/openapi.json?rows=arrays');
    expect(body).not.toHaveProperty('components.schemas.DailySalesRow');
    expect(body).toHaveProperty('components.schemas.DailySalesRun.properties.results.items.type');
  });

  it('describes another project by its own endpoints only', async () => {
    const response = await test.rest('GET', '/openapi.json', { project: test.other });
    const own = `/api/projects/${test.other.id}/endpoints`;
    expect(pathsOf(response)).toEqual([`${own}/_usage/run`, `${own}/elsewhere/run`]);
  });

  it('leaves out an endpoint whose row is not as it should be, and describes the others', async () => {
    const { prisma } = test.backends.metadata;
    await save(test, 'broken');
    await prisma.endpointVersion.updateMany({
      where: { endpoint: { name: 'broken' } },
      data: { columns: { not: 'a list' } },
    });
    expect(pathsOf(await test.rest('GET', '/openapi.json'))).toHaveLength(3);
    await test.rest('DELETE', '/endpoints/broken');
  });

  it('gives the same document by GraphQL', async () => {
    const rest = await test.rest('GET', '/openapi.json?rows=arrays', { prefix: 'environments' });
    const document = `query ($id: ID!) {
      project(id: $id) { openapi(rows: ARRAYS, prefix: ENVIRONMENTS) }
    }`;
    const { body } = await test.graphql(document, { id: test.project.id });
    expect(body).toEqual({ data: { project: { openapi: rest.body } } });
  });

  it('costs the same statements whatever the number of endpoints', async () => {
    const key = test.project.readKey;
    await test.rest('GET', '/openapi.json', { key });
    const ask = () => test.rest('GET', '/openapi.json', { key });
    const forTwo = await statementsOf(test, ask);
    for (const name of ['one', 'two', 'three', 'four']) await save(test, name);
    expect(await statementsOf(test, ask)).toHaveLength(forTwo.length);
    expect(forTwo).not.toEqual([]);
    expect(pathsOf(await ask())).toHaveLength(7);
  });
});

describe('400', () => {
  it.each([
    ['rows=tables', 'rows'],
    ['version=1', 'version'],
  ])('refuses ?%s', async (query, attr) => {
    const { status, body } = await test.rest('GET', `/openapi.json?${query}`);
    expect(status).toBe(400);
    expect(body).toMatchObject({ code: 'invalid_input', attr });
  });
});

describeAccess(() => test, {
  method: 'GET',
  scope: 'endpoint:read',
  status: 200,
  call: async () => ({ path: '/openapi.json' }),
});
