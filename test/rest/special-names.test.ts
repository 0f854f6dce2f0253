/** Names that other parts of the service could take for themselves. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestApp } from '../support/test-app.ts';
import { bystanders, change, openSalesApp, run, save, saveInBoth } from './support/sales.ts';

let test: TestApp;

beforeAll(async () => {
  test = await openSalesApp();
  await save(test, 'bystander');
});
afterAll(() => test.close());

const biting =
  'health healthz readyz metrics graphql run versions endpoints endpoint projects environments api docs docs-page openapi openapi-json materialization_status last_execution_time query prototype constructor hasOwnProperty __proto'
    .split(' ')
    .filter((name) => !name.startsWith('_'));

describe('an endpoint called', () => {
  it.each(biting)('%s lives a whole life', async (name) => {
    const before = await bystanders(test, [name]);
    await saveInBoth(test, name, { query: 'SELECT 1 AS number' });
    const withOther = await bystanders(test, [name]);
    const at = (path = '') => test.rest('GET', `/endpoints/${name}${path}`);
    expect((await at()).body).toMatchObject({ name, current_version: 1 });
    expect((await at('/')).body).toMatchObject({ name });
    expect(await change(test, name, { query: 'SELECT 2 AS number' })).toMatchObject({ name });
    expect(await run(test, name)).toMatchObject({ results: [[2]] });
    expect((await at('/run?version=1')).body).toMatchObject({ name, results: [[1]] });
    expect((await at('/versions')).body).toMatchObject({ count: 2 });
    expect((await at('/openapi.json')).body).toMatchObject({ info: { title: name } });
    expect((await at('/materialization_status')).body).toMatchObject({ name, version: 2 });
    const times = await test.rest('POST', '/endpoints/last_execution_times', {
      body: { names: [name] },
    });
    expect(times.body).toMatchObject({ query_status: { results: [[name, expect.any(String)]] } });
    expect((await test.rest('DELETE', `/endpoints/${name}`)).status).toBe(204);
    expect((await at()).status).toBe(404);
    expect(await bystanders(test, [name])).toEqual(withOther);
    expect(before).not.toEqual(withOther);
  });
});

describe('a name that breaks the rule', () => {
  it.each(['openapi.json', 'a%20b', '%C3%BC', 'a%2Fb', '%2F', '..', '%2E%2E', '1a', '_a', 'a%0A'])(
    'is not found as %s, whatever is asked of it',
    async (name) => {
      const before = await bystanders(test);
      const calls = [
        ['GET', ''],
        ['PATCH', ''],
        ['DELETE', ''],
        ['GET', '/run'],
        ['POST', '/run'],
        ['GET', '/versions'],
        ['GET', '/openapi.json'],
        ['GET', '/materialization_status'],
      ] as const;
      for (const [method, path] of calls) {
        const body = method === 'PATCH' || method === 'POST' ? { body: {} } : {};
        // `..` would be taken out of the address by whoever sends it, so it is asked for below the door.
        const response =
          name.startsWith('.') || name.startsWith('%2E')
            ? await dispatch(method, `/endpoints/${name}${path}`)
            : await test.rest(method, `/endpoints/${name}${path}`, body);
        expect(response.status).toBe(404);
      }
      expect(await bystanders(test)).toEqual(before);
    },
  );
});

async function dispatch(method: string, path: string): Promise<{ readonly status: number }> {
  return test.app.dispatch({
    method,
    path: `/api/projects/${test.project.id}${path}`,
    search: '',
    headers: new Headers({ authorization: `Bearer ${test.project.writeKey}` }),
    body: Buffer.alloc(0),
    isTooLarge: false,
    signal: new AbortController().signal,
    remoteAddress: null,
  });
}

describe('the reserved name', () => {
  it('is never an endpoint’s', async () => {
    const { status, body } = await test.rest('POST', '/endpoints', {
      body: { name: 'last_execution_times', query: 'SELECT 1' },
    });
    expect(status).toBe(400);
    expect(body).toMatchObject({ code: 'invalid_input', attr: 'name' });
  });

  it.each(['/run', '/versions', '/openapi.json', '/materialization_status'])(
    'has nothing below it at %s',
    async (path) => {
      const { status, body } = await test.rest('GET', `/endpoints/last_execution_times${path}`);
      expect(status).toBe(404);
      expect(body).toMatchObject({ code: 'not_found' });
    },
  );
});

describe('a name', () => {
  it('is read with its escapes undone', async () => {
    await save(test, 'plain');
    expect((await test.rest('GET', '/endpoints/pl%61in')).body).toMatchObject({ name: 'plain' });
  });

  it('is matched exactly', async () => {
    await save(test, 'exact');
    for (const name of ['Exact', 'exac', 'exactly', 'exact%20', '%20exact', 'e%']) {
      expect((await test.rest('GET', `/endpoints/${name}`)).status).toBe(404);
    }
  });
});
