/** The media type that a GraphQL request asks for: it decides the response, and never what happens. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openSalesApp, save } from '../rest/support/sales.ts';
import type { TestApp } from '../support/test-app.ts';

let test: TestApp;

beforeAll(async () => {
  test = await openSalesApp();
  await save(test, 'described', { description: 'as saved' });
});
afterAll(() => test.close());

interface Asked {
  readonly path?: string;
  readonly query?: string;
}

function ask(accept: string | null, { path = '/graphql', query = '{ me { email } }' }: Asked = {}) {
  return test.app.fetch(
    new Request(`http://querydock.test${path}`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${test.project.writeKey}`,
        'content-type': 'application/json',
        ...(accept === null ? {} : { accept }),
      },
      body: JSON.stringify({ query }),
    }),
  );
}

const json = 'application/json';
const graphql = 'application/graphql-response+json';

describe('Accept', () => {
  it.each([
    [null, json],
    ['*/*', json],
    ['application/*', json],
    ['text/html, */*;q=0.1', json],
    [`${json}, ${graphql}`, json],
    [`${graphql}, ${json}`, graphql],
    [`${graphql}, */*`, graphql],
    [`${graphql}, ${json};q=0.9`, graphql],
    [`${graphql};q=0.5, ${json}`, json],
    [`${json};q=0.5, ${graphql}`, graphql],
    [`${graphql};q=0, ${json}`, json],
    ['application/problem+json', json],
    [`text/event-stream, ${json}`, json],
    ['text/event-stream', 'text/event-stream'],
  ])('%s gets %s, also when the request is repeated', async (accept, type) => {
    const run = '{ runEndpoint(projectId: "@current", name: "described") { results } }';
    for (const query of ['{ me { email } }', run, run, run]) {
      const response = await ask(accept, { query });
      expect(response.status).toBe(200);
      expect(response.headers.get('content-type')?.split(';')[0]).toBe(type);
      await response.text();
    }
  });

  it.each(['text/html', `${json};q=0`, 'image/png, text/csv', 'nonsense'])(
    '%s is refused before anything is written or run',
    async (accept) => {
      const query =
        'mutation { updateEndpoint(projectId: "@current", name: "described", input: { description: "written" }) { name } }';
      const graph = `/api/projects/${test.project.id}/graphql`;
      const refused = [
        await ask(accept, { query }),
        await ask(accept, { query: '{ nothing' }),
        await ask(accept, { path: graph, query: '{ described { hasMore } }' }),
      ];
      for (const response of refused) {
        expect([response.status, response.headers.get('cache-control')]).toEqual([406, 'no-store']);
        expect(await response.json()).toMatchObject({
          errors: [{ extensions: { code: 'not_acceptable', type: 'invalid_request' } }],
        });
      }
      const { body } = await test.rest('GET', '/endpoints/described');
      expect(body.description).toBe('as saved');
    },
  );
});
