/** The methods of the paths outside of both interfaces. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTestApp, type TestApp } from '../support/test-app.ts';

let test: TestApp;
beforeAll(async () => {
  test = await openTestApp();
});
afterAll(() => test?.close());

const paths = [
  '/healthz',
  '/readyz',
  '/metrics',
  '/api/docs',
  '/api/docs/',
  '/api/openapi.json',
  '/api/errors/not_found',
];

const request = (method: string, path: string, headers: Readonly<Record<string, string>> = {}) =>
  test.app.fetch(new Request(`http://querydock.test${path}`, { method, headers }));

describe.each(paths)('%s', (path) => {
  it.each(['POST', 'PUT', 'PATCH', 'DELETE'])(
    'refuses %s and lists what it accepts',
    async (method) => {
      const response = await request(method, path);
      expect(response.status).toBe(405);
      expect(response.headers.get('allow')).toBe('GET, HEAD, OPTIONS');
      expect(await response.json()).toEqual({
        type: 'invalid_request',
        code: 'method_not_allowed',
        detail: 'This path accepts GET, HEAD, OPTIONS.',
        attr: null,
      });
    },
  );

  it('lists what it accepts to OPTIONS', async () => {
    const response = await request('OPTIONS', path);
    expect(response.status).toBe(204);
    expect(response.headers.get('allow')).toBe('GET, HEAD, OPTIONS');
  });
});

it.each(['GET', 'POST', 'OPTIONS'])(
  'a path that does not exist is not found by %s',
  async (method) => {
    expect((await request(method, '/healthy')).status).toBe(404);
  },
);

it('a path of GraphQL lists its methods to OPTIONS and to a method that it refuses', async () => {
  for (const path of ['/graphql', `/api/projects/${test.project.id}/graphql`]) {
    const options = await request('OPTIONS', path);
    const refused = await request('PATCH', path);
    expect([options.status, refused.status]).toEqual([204, 405]);
    for (const { headers } of [options, refused])
      expect(headers.get('allow')).toBe('GET, HEAD, OPTIONS, POST, PUT, DELETE');
  }
});
