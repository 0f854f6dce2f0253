/** What is deleted between two statements of one request is not found, as if it had been deleted before. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type EventReader, readEvents } from '../support/events.ts';
import type { TestApp, TestResponse } from '../support/test-app.ts';
import { byCountry, bystanders, openSalesApp, save } from './support/sales.ts';

let test: TestApp;
let name = '';
let count = 0;
let restore: () => void = () => undefined;

beforeAll(async () => {
  test = await openSalesApp();
});
afterAll(() => test.close());
beforeEach(async () => {
  name = `e${++count}`;
  await save(test, name, { is_materialized: true });
});
afterEach(() => restore());

type Stores = Pick<TestApp['app']['core'], 'endpoints' | 'variables' | 'materializations'>;

/** Does the work once, after the next call of this operation of a store and before its caller goes on. */
function interpose<Of extends keyof Stores>(
  store: Of,
  operation: keyof Stores[Of] & string,
  work: () => Promise<unknown>,
): void {
  const operations = test.app.core[store] as unknown as Record<
    string,
    (...args: unknown[]) => Promise<unknown>
  >;
  const original = operations[operation];
  if (original === undefined) throw new Error(`there is no operation ${operation}`);
  restore = () => {
    operations[operation] = original;
    restore = () => undefined;
  };
  operations[operation] = async (...args) => {
    restore();
    const result = await original(...args);
    await work();
    return result;
  };
}

async function remove(): Promise<void> {
  const { status } = await test.rest('DELETE', `/endpoints/${name}`);
  expect(status).toBe(204);
}

const noEndpoint = {
  code: 'not_found',
  detail: 'The project has no endpoint with this name.',
  attr: 'name',
};

describe('an endpoint that is deleted meanwhile', () => {
  it.each<[string, string, keyof Stores['endpoints'], string, object?]>([
    ['a GET', 'GET', 'findEndpoint', '?'],
    ['a GET of its status', 'GET', 'findEndpoint', '/materialization_status'],
    ['a PATCH', 'PATCH', 'applyUpdate', '', { description: 'mine' }],
    ['a PATCH of a version', 'PATCH', 'applyUpdate', '?version=1', { description: 'mine' }],
  ])('is not found by %s', async (_what, method, operation, path, body) => {
    const others = await bystanders(test, [name]);
    interpose('endpoints', operation, remove);
    const url = `/endpoints/${name}${path}`;
    const met = await test.rest(method, url, body === undefined ? {} : { body });
    const later = await test.rest(method, url, body === undefined ? {} : { body });
    expect([met.status, met.body]).toEqual([404, later.body]);
    expect(met.body).toMatchObject({ code: 'not_found', attr: 'name' });
    expect(await bystanders(test)).toEqual(others);
  });

  it('is not found by the POST that made it', async () => {
    name = 'short_lived';
    interpose('endpoints', 'createEndpoint', remove);
    const made = await test.rest('POST', '/endpoints', { body: { name, query: byCountry } });
    expect([made.status, made.body]).toMatchObject([404, noEndpoint]);
    expect((await save(test, name)).current_version).toBe(1);
  });

  it('is not found although its name has been taken again', async () => {
    name = 'taken_again';
    await save(test, name);
    interpose('endpoints', 'applyUpdate', async () => {
      await remove();
      await save(test, name);
    });
    const body = { description: 'mine' };
    const met = await test.rest('PATCH', `/endpoints/${name}`, { body });
    expect([met.status, met.body]).toMatchObject([404, noEndpoint]);
    const next = await test.rest('GET', `/endpoints/${name}`);
    expect(next.body).toMatchObject({ current_version: 1, description: '' });
  });

  it.each([
    ['endpoint', '{ id }', ''],
    ['endpointVersion', '{ id }', ', version: 1'],
    ['materializationStatus', '{ status }', ''],
  ])('is not found by the field %s', async (field, selection, more) => {
    interpose('endpoints', 'findEndpoint', remove);
    const query = `query ($name: String!) { ${field}(projectId: "@current", name: $name${more}) ${selection} }`;
    const met = await test.graphql(query, { name });
    const later = await test.graphql(query, { name });
    expect(met.body).toEqual(later.body);
    expect(met.body.errors).toMatchObject([{ extensions: { code: 'not_found', attr: 'name' } }]);
  });

  it('is not found by the request for a sync', async () => {
    interpose('materializations', 'requestSync', remove);
    const query =
      'mutation ($name: String!) { syncMaterialization(projectId: "@current", name: $name) { status } }';
    const met = await test.graphql(query, { name });
    const later = await test.graphql(query, { name });
    expect(met.body).toEqual(later.body);
    expect(met.body.errors).toMatchObject([{ extensions: { code: 'not_found', attr: 'name' } }]);
  });

  it('is not found by a subscription to its status', async () => {
    interpose('endpoints', 'findEndpoint', remove);
    const query = `subscription { materializationStatus(projectId: "@current", name: "${name}") { status } }`;
    const reader = await follow(query);
    const [event] = await reader.until(1);
    reader.close();
    expect(event?.data).toMatchObject({
      errors: [{ extensions: { code: 'not_found', attr: 'name' } }],
    });
  });
});

function follow(query: string): Promise<EventReader> {
  return readEvents((signal) =>
    Promise.resolve(
      test.app.fetch(
        new Request('http://querydock.test/graphql', {
          method: 'POST',
          headers: {
            authorization: `Bearer ${test.project.writeKey}`,
            'content-type': 'application/json',
            accept: 'text/event-stream',
          },
          body: JSON.stringify({ query }),
          signal,
        }),
      ),
    ),
  );
}

describe('a saved variable that is deleted meanwhile', () => {
  const path = '/insight_variables';
  const variable = { name: 'Country', type: 'String' };
  const noVariable = {
    code: 'not_found',
    detail: 'The project has no saved variable with this id.',
    attr: 'id',
  };

  async function removeAll(): Promise<void> {
    const listed = await test.rest('GET', path);
    for (const { id } of listed.body.results as readonly { readonly id: string }[])
      await test.rest('DELETE', `${path}/${id}`);
  }

  it.each<[string, (id: string) => Promise<TestResponse>, keyof Stores['variables']]>([
    [
      'the PATCH of it',
      (id) => test.rest('PATCH', `${path}/${id}`, { body: { name: 'Land' } }),
      'updateVariable',
    ],
    [
      'the POST that made it',
      () => test.rest('POST', path, { body: { name: 'Region', type: 'String' } }),
      'createVariable',
    ],
  ])('is not found by %s', async (_what, ask, operation) => {
    const { body } = await test.rest('POST', path, { body: variable });
    interpose('variables', operation, removeAll);
    const met = await ask(String(body.id));
    expect([met.status, met.body]).toMatchObject([404, noVariable]);
    expect((await test.rest('POST', path, { body: variable })).status).toBe(201);
    await removeAll();
  });
});
