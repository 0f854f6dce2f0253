/** Methods, slashes, unknown paths and bodies that no row takes. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestApp } from '../support/test-app.ts';
import { byCountry, bystanders, openSalesApp, save } from './support/sales.ts';

let test: TestApp;

beforeAll(async () => {
  test = await openSalesApp();
  await save(test, 'sales');
});
afterAll(() => test.close());

const nobody = '01900000-0000-7000-8000-000000000009';
const paths = [
  ['/endpoints', ['GET', 'HEAD', 'OPTIONS', 'POST']],
  ['/endpoints/sales', ['DELETE', 'GET', 'HEAD', 'OPTIONS', 'PATCH', 'PUT']],
  ['/endpoints/sales/materialization_status', ['GET', 'HEAD', 'OPTIONS']],
  ['/endpoints/sales/openapi.json', ['GET', 'HEAD', 'OPTIONS']],
  ['/endpoints/sales/run', ['GET', 'HEAD', 'OPTIONS', 'POST']],
  ['/endpoints/sales/versions', ['GET', 'HEAD', 'OPTIONS']],
  ['/endpoints/last_execution_times', ['OPTIONS', 'POST']],
  ['/endpoints/sales/logs', ['GET', 'HEAD', 'OPTIONS']],
  ['/insight_variables', ['GET', 'HEAD', 'OPTIONS', 'POST']],
  [`/insight_variables/${nobody}`, ['DELETE', 'GET', 'HEAD', 'OPTIONS', 'PATCH', 'PUT']],
  ['/graphql/schema.graphql', ['GET', 'HEAD', 'OPTIONS']],
  ['', ['GET', 'HEAD', 'OPTIONS']],
  ['/api/users/@me', ['GET', 'HEAD', 'OPTIONS']],
  ['/api/personal_api_keys/@current', ['GET', 'HEAD', 'OPTIONS']],
] as const;
const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];
const wrong = paths.flatMap(([path, allowed]) =>
  methods
    .filter((method) => !allowed.some((known) => known === method))
    .map((method) => [method, path, allowed.join(', ')] as const),
);

describe('405', () => {
  it.each(wrong)('refuses %s %s and lists what is allowed: %s', async (method, path, allow) => {
    const before = await bystanders(test);
    for (const suffix of ['', '/']) {
      const { status, headers, body, text } = await test.rest(method, path + suffix);
      expect(status).toBe(405);
      expect(headers.get('allow')).toBe(allow);
      if (method === 'HEAD') expect(text).toBe('');
      else {
        expect(body).toEqual({
          type: 'invalid_request',
          code: 'method_not_allowed',
          detail: expect.stringContaining(allow),
          attr: null,
        });
      }
    }
    expect(await bystanders(test)).toEqual(before);
  });
});

describe('OPTIONS', () => {
  it.each(paths)('on %s lists the allowed methods, without a key', async (path, allowed) => {
    const { status, headers, text } = await test.rest('OPTIONS', path, { key: null });
    expect(status).toBe(204);
    expect(text).toBe('');
    expect(headers.get('allow')).toBe(allowed.join(', '));
  });
});

describe('HEAD', () => {
  it.each([
    '/endpoints',
    '/endpoints/sales',
    '/endpoints/sales/materialization_status',
    '/endpoints/sales/openapi.json',
    '/endpoints/sales/run',
    '/endpoints/sales/versions',
    '/endpoints/sales/logs',
    '/insight_variables',
    '',
    '/api/users/@me',
    '/api/personal_api_keys/@current',
  ])('on %s answers as GET without the body', async (path) => {
    const got = await test.rest('GET', path);
    const { status, text, headers } = await test.rest('HEAD', path);
    expect(status).toBe(200);
    expect(text).toBe('');
    expect(headers.get('content-type')).toBe(got.headers.get('content-type'));
    expect((await test.rest('HEAD', path, { key: null })).status).toBe(401);
  });

  it('of a missing endpoint is 404', async () => {
    expect((await test.rest('HEAD', '/endpoints/missing')).status).toBe(404);
  });
});

describe('404', () => {
  it.each([
    '//',
    '/endpoint',
    '/Endpoints',
    '/endpoints//',
    '/endpoints//run',
    '/endpoints/sales//run',
    '/endpoints/sales/runs',
    '/endpoints/sales/run/now',
    '/endpoints/sales/versions/1',
    '/endpoints/sales/openapi',
    '/endpoints/sales/openapi.yaml',
    '/endpoints/last_execution_times/now',
    '/insights',
  ])('is answered below a project for %j', async (path) => {
    const { status, body } = await test.rest('GET', path);
    expect(status).toBe(404);
    expect(body).toEqual({
      type: 'invalid_request',
      code: 'not_found',
      detail: expect.any(String),
      attr: null,
    });
  });

  it.each([
    '/api/',
    '/api/projects',
    '/api/projects/',
    '/api/users',
    '/api/users/me',
    '/api/users/@me/now',
    '/api/personal_api_keys',
    '/api/projects//',
    '/api/project/1/endpoints',
    '/api/v1/projects/1/endpoints',
    '/api/projects/%ff/endpoints',
  ])('is answered for %s', async (path) => {
    for (const method of ['GET', 'POST', 'DELETE']) {
      const { status, body } = await test.rest(method, path);
      expect(status).toBe(404);
      expect(body).toMatchObject({ code: 'not_found', type: 'invalid_request' });
    }
  });
});

describe('a body', () => {
  const rows = [
    ['POST', '/endpoints'],
    ['PATCH', '/endpoints/sales'],
    ['PUT', '/endpoints/sales'],
    ['POST', '/endpoints/sales/run'],
    ['POST', '/endpoints/last_execution_times'],
  ] as const;

  async function refused(method: string, path: string, body: string, type?: string) {
    const before = await bystanders(test);
    const headers = type === undefined ? {} : { 'content-type': type };
    const response = await test.rest(method, path, { body, headers });
    expect(await bystanders(test)).toEqual(before);
    return response;
  }

  it.each(rows)('of %s %s that is not JSON is malformed_json', async (method, path) => {
    const texts = ['{', '{"name":}', 'name=x', '{"a":1} x', "{'a':1}", '{"a":NaN}', '\u0000'];
    for (const text of [...texts, '['.repeat(70) + ']'.repeat(70), '['.repeat(200_000)]) {
      const { status, body } = await refused(method, path, text);
      expect(status).toBe(400);
      expect(body).toEqual({
        type: 'validation_error',
        code: 'malformed_json',
        detail: expect.stringContaining('JSON'),
        attr: null,
      });
    }
  });

  it.each(rows)('of %s %s of another content type is 415', async (method, path) => {
    const types = [
      ...['text/plain', 'application/x-www-form-urlencoded', 'application/jsonp', 'x'],
      ...['application/json; charset=utf-16', 'application/json;charset="latin1"'],
    ];
    for (const type of types) {
      const { status, body } = await refused(method, path, '{"name":"x"}', type);
      expect(status).toBe(415);
      expect(body).toEqual({
        type: 'invalid_request',
        code: 'unsupported_media_type',
        detail: expect.stringContaining('application/json'),
        attr: null,
      });
    }
  });

  it.each(rows)('of %s %s of 2 MB is 413', async (method, path) => {
    const text = JSON.stringify({ description: 'x'.repeat(2_000_000) });
    const { status, body } = await refused(method, path, text);
    expect(status).toBe(413);
    expect(body).toEqual({
      type: 'invalid_request',
      code: 'body_too_large',
      detail: expect.stringContaining('1048576'),
      attr: null,
    });
  });

  it.each([
    'application/json; charset=utf-8',
    'Application/JSON',
    'application/json;charset=utf-8',
    'application/json; Charset="UTF-8"',
    'application/json; charset=utf8; version=1',
  ])('may be of the content type %s', async (type) => {
    const { status } = await test.rest('POST', '/endpoints/sales/run', {
      body: '{"limit":1}',
      headers: { 'content-type': type },
    });
    expect(status).toBe(200);
  });

  it('is refused only after the key was checked, so that strangers learn nothing', async () => {
    const { status } = await test.rest('POST', '/endpoints', { body: '{', key: null });
    expect(status).toBe(401);
  });
});

describe('a response', () => {
  it('is JSON in UTF-8, is not sniffed and has a request id', async () => {
    for (const path of ['/endpoints', '/endpoints/missing', '/nothing']) {
      const { headers } = await test.rest('GET', path);
      expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('x-request-id')).toMatch(/\S/);
    }
  });

  it('of a list names the query as it was saved', async () => {
    const { body } = await test.rest('GET', '/endpoints/sales');
    expect(body).toMatchObject({ query: { query: byCountry } });
  });
});
