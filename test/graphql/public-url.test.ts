/** A service that its callers reach below a path, which a proxy takes away. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openTestApp, type TestApp } from '../support/test-app.ts';

let test: TestApp;
beforeAll(async () => {
  test = await openTestApp({ publicUrl: 'https://data.example.com/base' });
  await test.rest('POST', '/endpoints', { body: { name: 'one', query: 'SELECT 1 AS n' } });
});
afterAll(() => test?.close());

it.each([
  ['/graphql', '{ me { id } }', { me: { id: expect.any(String) } }],
  ['/api/projects/@current/graphql', '{ one { rows { n } } }', { one: { rows: [{ n: 1 }] } }],
])('answers GET and POST of %s', async (path, query, data) => {
  const headers = {
    authorization: `Bearer ${test.project.writeKey}`,
    'content-type': 'application/json',
  };
  const url = `http://querydock.test${path}`;
  const asked = [
    new Request(`${url}?query=${encodeURIComponent(query)}`, { headers }),
    new Request(url, { method: 'POST', headers, body: JSON.stringify({ query }) }),
  ];
  for (const request of asked) {
    const response = await test.app.fetch(request);
    expect([response.status, await response.json()]).toEqual([200, { data }]);
  }
});
