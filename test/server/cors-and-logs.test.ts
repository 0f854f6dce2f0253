import { Writable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openLog } from '../../src/config/open-log.ts';
import { openTestApp, type TestApp } from '../support/test-app.ts';

let test: TestApp;
let logged = '';

beforeAll(async () => {
  const sink = new Writable({
    write(chunk, _encoding, done) {
      logged += String(chunk);
      done();
    },
  });
  test = await openTestApp(
    { corsOrigins: 'https://app.example, https://b.example' },
    openLog('trace', sink),
  );
  await test.rest('POST', '/endpoints', {
    body: { name: 'echo', query: 'SELECT {word:String} AS word, {n:UInt8} AS n' },
  });
});
afterAll(() => test.close());

describe('browser origins', () => {
  const ask = (origin: string, method = 'GET', more: Record<string, string> = {}) =>
    test.rest(method, '/endpoints', { headers: { origin, ...more } });

  it('that are allowed may read responses and the headers that matter', async () => {
    const { headers } = await ask('https://app.example');
    expect(headers.get('access-control-allow-origin')).toBe('https://app.example');
    expect(headers.get('access-control-expose-headers')).toContain('ETag');
    expect(headers.get('vary')).toContain('Origin');
  });

  it('that are not allowed get no CORS headers', async () => {
    const { headers } = await ask('https://evil.example');
    expect(headers.get('access-control-allow-origin')).toBeNull();
  });

  it('send a preflight and get a response without a key', async () => {
    const { status, headers } = await test.rest('OPTIONS', '/endpoints', {
      key: null,
      headers: { origin: 'https://b.example', 'access-control-request-method': 'POST' },
    });
    expect(status).toBe(204);
    expect(headers.get('access-control-allow-methods')).toContain('POST');
    const allowed = headers.get('access-control-allow-headers')?.toLowerCase().split(', ');
    // Those that the documentation lets callers send.
    for (const name of [
      ...['authorization', 'cache-control', 'content-type', 'if-match', 'if-none-match'],
      ...['last-event-id', 'traceparent', 'tracestate', 'x-graphql-event-stream-token'],
      'x-request-id',
    ])
      expect(allowed).toContain(name);
  });
});

describe('the log', () => {
  it('names the request and holds no key and no value of a variable', async () => {
    const secret = 'my-private-word';
    logged = '';
    await test.rest('GET', `/endpoints/echo/run?variables[word]=${secret}&variables[n]=7`, {
      headers: { 'x-request-id': 'req-17' },
    });
    await test.rest('POST', '/endpoints/echo/run', {
      body: { variables: { word: secret, n: 'not-a-number-but-private' } },
    });
    await test.rest('POST', '/endpoints/echo/run', { body: { variables: { [secret]: 1 } } });
    await test.graphql(
      'query ($v: JSON) { runEndpoint(projectId: "@current", name: "echo", input: {variables: $v}) { results } }',
      { v: { word: secret, n: 1 } },
    );
    expect(logged).toContain('"requestId":"req-17"');
    expect(logged).toContain('"operation":"run_get"');
    expect(logged).not.toContain(secret);
    expect(logged).not.toContain('not-a-number-but-private');
    expect(logged).not.toContain(test.project.writeKey);
  });

  it('gives each request an id that the caller reads too', async () => {
    const own = await test.rest('GET', '/endpoints', { headers: { 'x-request-id': 'abc.1' } });
    expect(own.headers.get('x-request-id')).toBe('abc.1');
    const made = await test.rest('GET', '/endpoints', {
      headers: { 'x-request-id': 'a b<script>' },
    });
    expect(made.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
  });
});
