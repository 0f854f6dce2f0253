/** Attacks by paths, headers and keys: reaching another project's endpoints, or anything that is no endpoint. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { TestApp } from '../support/test-app.ts';
import { type Canaries, openGuardedApp } from './support/canaries.ts';

/** Spellings of a project that is not the key's; OTHER is its id, OWN the key's. */
const projects: readonly string[] = [
  'OTHER',
  '0OTHER',
  '+OTHER',
  ' OTHER',
  'OTHER ',
  '%4fTHER',
  'OTHER.0',
  'OTHERe0',
  '0xOTHER',
  'OWN,OTHER',
  'OWN%2F..%2FOTHER',
  'OWN/../OTHER',
  'OWN;OTHER',
  'OWN%00OTHER',
  'OWN%0AOTHER',
  'OWN?project_id=OTHER',
  'OWN%20OR%201=1',
  '@other',
  '*',
  '-1',
  '0',
  '99999999999999999999',
  '%27%20OR%201=1--',
  'null',
  'undefined',
  '[object%20Object]',
  '__proto__',
  '１',
];

const names: readonly string[] = [
  '../../OTHER/endpoints/hidden',
  '..%2F..%2FOTHER%2Fendpoints%2Fhidden',
  '%2e%2e/%2e%2e/OTHER/endpoints/hidden',
  '..%252f..%252fOTHER%252fendpoints%252fhidden',
  '..;/..;/OTHER/endpoints/hidden',
  '.%2e/.%2e/OTHER/endpoints/hidden',
  '..\\..\\OTHER\\endpoints\\hidden',
  '%5c..%5c..%5cOTHER',
  'hidden',
  'hidden%00',
  'hidden%20',
  'HIDDEN',
  'hidden.json',
  'hidden;version=1',
  "shown'%20OR%20'1'='1",
  'shown%27;DROP%20TABLE%20endpoint;--',
  'shown%22',
  'sh%6fwn%2frun',
  '%',
  '%zz',
  '%ff%fe',
  '__proto__',
  'constructor',
  'hasOwnProperty',
  'etc/passwd',
  '%2fetc%2fpasswd',
  '$(id)',
  '`id`',
  '{{7*7}}',
  '%0d%0aSet-Cookie:%20a=b',
  'FILE',
  'file:FILE',
  '..%2f..%2f..FILE',
  'http:%2f%2f127.0.0.1:PORT%2f',
  '%2f127.0.0.1:PORT',
  'a'.repeat(5000),
];

/** Headers that other systems let override the way, the method, the user or the host. */
const overrides: readonly (readonly [string, string])[] = [
  ['x-http-method-override', 'DELETE'],
  ['x-original-url', '/api/projects/OTHER/endpoints/hidden'],
  ['x-rewrite-url', '/api/projects/OTHER/endpoints/hidden'],
  ['x-forwarded-user', 'admin'],
  ['x-project-id', 'OTHER'],
  ['x-forwarded-host', '127.0.0.1:PORT'],
  ['forwarded', 'host=127.0.0.1:PORT;proto=http'],
  ['referer', 'http://127.0.0.1:PORT/'],
  ['x-accel-redirect', 'FILE'],
  ['x-sendfile', 'FILE'],
  ['x-clickhouse-user', 'admin'],
  ['x-clickhouse-database', 'project_OTHER'],
  ['cookie', 'key=KEY'],
  ['x-api-key', 'KEY'],
];

const badKeys: readonly string[] = [
  '',
  'Bearer',
  'Bearer ',
  'Bearer qdk_',
  'Bearer null',
  'Basic KEY',
  'KEY',
  'bearer: KEY',
  'Bearer KEYx',
  "Bearer KEY' OR '1'='1",
  'Bearer KEY, Bearer KEY',
  'Bearer %25',
  `Bearer qdk_${'A'.repeat(43)}`,
  `Bearer ${'x'.repeat(10_000)}`,
  "Bearer ' OR 1 = 1 --",
];

describe('an attack by path, header or key', () => {
  let tested: TestApp;
  let canaries: Canaries;

  beforeAll(async () => {
    ({ tested, canaries } = await openGuardedApp());
  });
  afterEach(async () => {
    expect(await canaries.touched()).toEqual([]);
  });
  afterAll(async () => {
    await canaries?.close();
    await tested?.close();
  });

  const fill = (text: string, key = '') =>
    canaries.fill(
      text
        .replaceAll('OTHER', String(tested.other.id))
        .replaceAll('OWN', String(tested.project.id))
        .replaceAll('KEY', key),
    );

  /** As it is written: `new Request` would already take the dots out of some. */
  async function ask(method: string, path: string, headers: Readonly<Record<string, string>> = {}) {
    const url = `http://querydock.test${path}`;
    if (!URL.canParse(url)) return { status: 400, text: '' };
    const authorization = `Bearer ${tested.project.writeKey}`;
    const request = new Request(url, { method, headers: { authorization, ...headers } });
    const response = await tested.app.fetch(request);
    return { status: response.status, text: await response.text() };
  }

  const intact = async () => {
    const options = { project: tested.other };
    expect((await tested.rest('GET', '/endpoints/hidden', options)).status).toBe(200);
    expect((await tested.rest('GET', '/endpoints/shown')).status).toBe(200);
  };

  it.each(projects)('project %j lets nobody in', async (project) => {
    for (const prefix of ['projects', 'environments']) {
      for (const tail of ['/endpoints', '/endpoints/hidden', '/endpoints/hidden/run']) {
        for (const method of ['GET', 'DELETE', 'PATCH', 'POST']) {
          const response = await ask(method, `/api/${prefix}/${fill(project)}${tail}`);
          expect(response.status).toBeGreaterThanOrEqual(400);
          expect(response.status).toBeLessThan(500);
          expect(response.text).not.toMatch(/CANARY|hidden/);
        }
      }
    }
    await intact();
  });

  it.each(names)('name %j finds nothing', async (name) => {
    for (const tail of ['', '/run', '/versions', '/openapi.json', '/materialization_status']) {
      const path = `/api/projects/${tested.project.id}/endpoints/${fill(name)}${tail}`;
      for (const method of ['GET', 'DELETE']) {
        const response = await ask(method, path);
        expect(response.status).toBeGreaterThanOrEqual(400);
        expect(response.status).toBeLessThan(500);
        expect(response.text).not.toContain('CANARY');
      }
    }
    await intact();
  });

  it.each(overrides)('the header %s: %s changes nothing', async (name, value) => {
    const path = `/api/projects/${tested.project.id}/endpoints/shown`;
    const response = await ask('GET', path, { [name]: fill(value, tested.other.writeKey) });
    expect(response.status).toBe(200);
    expect(response.text).toContain('"shown"');
    expect(response.text).not.toContain('CANARY');
    const other = `/api/projects/${tested.other.id}/endpoints/hidden`;
    const refused = await ask('GET', other, { [name]: fill(value, tested.other.writeKey) });
    expect(refused.status).toBe(403);
    expect(refused.text).not.toContain('CANARY');
    await intact();
  });

  it.each(badKeys)('the key %j is none', async (value) => {
    const path = `/api/projects/${tested.project.id}/endpoints/shown`;
    const authorization = fill(value, tested.project.writeKey);
    const response = await ask('GET', path, { authorization });
    expect(response.status).toBe(401);
    expect(response.text).not.toContain(tested.project.writeKey);
  });

  it.each(['key', 'api_key', 'token', 'access_token', 'authorization', 'personal_api_key'])(
    'the key as ?%s= is none',
    async (name) => {
      const key = tested.project.writeKey;
      const path = `/api/projects/${tested.project.id}/endpoints/shown?${name}=${key}`;
      const response = await ask('GET', path, { authorization: '' });
      expect(response.status).toBe(401);
      expect(response.text).not.toContain(key);
    },
  );

  it('a key that only reads writes nothing', async () => {
    const key = tested.project.readKey;
    const writes = [
      ['POST', '/endpoints', { name: 'made', query: 'SELECT 1' }],
      ['PATCH', '/endpoints/shown', { is_active: false }],
      ['PUT', '/endpoints/shown', { is_active: false }],
      ['DELETE', '/endpoints/shown', undefined],
    ] as const;
    for (const [method, path, body] of writes) {
      const { status } = await tested.rest(method, path, { key, body });
      expect(status).toBe(403);
    }
    await intact();
  });

  it('a project that is not the key’s is refused alike, whether it is there or not', async () => {
    const responses = new Set<string>();
    for (const id of [tested.other.id, 99_999_999]) {
      const { status, text } = await ask('GET', `/api/projects/${id}/endpoints/hidden`);
      responses.add(`${status} ${text.replaceAll(String(id), 'N')}`);
    }
    expect(responses.size).toBe(1);
  });
});
