/** Errors as application/problem+json, by RFC 9457, for callers who ask for that. */
import http from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { errorTitles } from '../../src/errors/error-titles.ts';
import { errorStatus } from '../../src/errors/service-error.ts';
import { openSalesApp, save } from '../rest/support/sales.ts';
import type { CallOptions, TestApp } from '../support/test-app.ts';

let test: TestApp;

beforeAll(async () => {
  test = await openSalesApp({ maxBodyBytes: 4096 });
  await save(test, 'sales');
});
afterAll(() => test.close());

const problem = 'application/problem+json';
const ask = (method: string, path: string, accept: string, options: CallOptions = {}) =>
  test.rest(method, path, { ...options, headers: { accept, ...options.headers } });

describe('a caller who prefers problem details', () => {
  it.each([
    ['an unknown path', 'GET', '/api/nothing', {}, 'not_found'],
    ['a path outside', 'GET', '/api/../nothing', {}, 'not_found'],
    ['a wrong method', 'DELETE', '/endpoints/sales/run', {}, 'method_not_allowed'],
    [
      'a body that is too large',
      'POST',
      '/endpoints',
      { body: 'x'.repeat(5000) },
      'body_too_large',
    ],
    [
      'another content type',
      'POST',
      '/endpoints',
      { body: 'x', headers: { 'content-type': 'text/plain' } },
      'unsupported_media_type',
    ],
    ['no key', 'GET', '/endpoints', { key: null }, 'not_authenticated'],
    ['an input', 'GET', '/endpoints?limit=x', {}, 'invalid_input'],
    ['a run', 'GET', '/endpoints/sales/run?variables[x]=1', {}, 'unknown_variable'],
    ['a version', 'GET', '/endpoints/sales/run?version=9', {}, 'version_not_found'],
  ] as const)('gets those of %s', async (_what, method, path, options, code) => {
    const plain = await ask(method, path, 'application/json', options);
    expect(plain.headers.get('content-type')).toBe('application/json; charset=utf-8');
    const { status, headers, body } = await ask(method, path, problem, options);
    expect(status).toBe(errorStatus[code]);
    expect(headers.get('content-type')).toBe(problem);
    expect(headers.get('allow')).toBe(plain.headers.get('allow'));
    const { type: _type, ...members } = plain.body;
    expect(body).toEqual({
      ...members,
      type: `http://querydock.test/api/errors/${code}`,
      title: errorTitles[code],
      status,
    });
  });

  it('finds a page at the type', async () => {
    const { body } = await ask('GET', '/endpoints?limit=x', problem);
    const page = await test.app.fetch(new Request(String(body.type)));
    expect(page.status).toBe(200);
    expect(await page.text()).toBe('invalid_input (status 400)\nAn input is not accepted.\n');
    const unknown = await test.app.fetch(new Request('http://querydock.test/api/errors/toString'));
    expect(unknown.status).toBe(404);
  });

  it('gets success as ever', async () => {
    const { status, headers, body } = await ask('GET', '/endpoints/sales/run', problem);
    expect([status, headers.get('content-type')]).toEqual([200, 'application/json; charset=utf-8']);
    expect(body.results).toHaveLength(2);
    const csv = await ask('GET', '/endpoints/sales/run', `text/csv, ${problem}`);
    expect(csv.headers.get('content-type')).toMatch(/^text\/csv/);
  });
});

describe('Accept', () => {
  it.each([
    [problem, problem],
    [`application/json, ${problem}`, problem],
    [`application/json;q=0.9, ${problem}`, problem],
    [`${problem};q=0.5, */*;q=0.1`, problem],
    ['Application/Problem+JSON', problem],
    [`application/json, ${problem};q=0.9`, 'application/json; charset=utf-8'],
    [`${problem};q=0, */*`, 'application/json; charset=utf-8'],
    ['application/*', 'application/json; charset=utf-8'],
    ['*/*', 'application/json; charset=utf-8'],
    ['', 'application/json; charset=utf-8'],
  ])('%s is answered as %s', async (accept, type) => {
    const { status, headers } = await ask('GET', '/endpoints/none', accept);
    expect([status, headers.get('content-type')]).toEqual([404, type]);
  });
});

it('is served over a socket, too', async () => {
  const listener = await test.app.start();
  const { host, port } = listener;
  const type = await new Promise<string | undefined>((resolve, reject) => {
    http
      .get({ host, port, path: '/api/nothing', headers: { accept: problem }, agent: false })
      .on('error', reject)
      .on('response', (response) => {
        response.resume();
        resolve(response.headers['content-type']);
      });
  });
  expect(type).toBe(problem);
});

it('leaves GraphQL its own errors', async () => {
  const { body, headers } = await test.graphql(
    '{ nothing }',
    {},
    { headers: { accept: `application/json, ${problem}` } },
  );
  expect(headers.get('content-type')).not.toContain('problem');
  expect(body).toHaveProperty('errors');
});
