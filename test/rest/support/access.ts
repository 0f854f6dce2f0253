/** What every row of the documented surface does about prefixes, slashes, keys and projects. */
import { describe, expect, it } from 'vitest';
import { eventually } from '../../support/eventually.ts';
import type { CallOptions, TestApp, TestResponse } from '../../support/test-app.ts';
import { bystanders } from './sales.ts';

export interface AccessRow {
  readonly method: string;
  readonly scope: 'endpoint:read' | 'endpoint:write';
  readonly status: number;
  /** Prepares one successful call and returns it. Called anew for each call. */
  readonly call: () => Promise<{ readonly path: string; readonly body?: unknown }>;
}

export function describeAccess(getTest: () => TestApp, row: AccessRow): void {
  async function ask(options: CallOptions, suffix = ''): Promise<TestResponse> {
    const { path, body } = await row.call();
    return getTest().rest(row.method, path + suffix, {
      ...(body === undefined ? {} : { body }),
      ...options,
    });
  }

  /** Asks with a key that is refused; what is saved must not change by it. */
  async function refused(options: CallOptions): Promise<TestResponse> {
    const { path, body } = await row.call();
    const before = await bystanders(getTest());
    const response = await getTest().rest(row.method, path, {
      ...(body === undefined ? {} : { body }),
      ...options,
    });
    expect(await bystanders(getTest())).toEqual(before);
    return response;
  }

  describe('access', () => {
    it.each(['projects', 'environments'] as const)('is given below /api/%s', async (prefix) => {
      expect((await ask({ prefix })).status).toBe(row.status);
    });

    it('is given with a slash at the end', async () => {
      expect((await ask({}, '/')).status).toBe(row.status);
    });

    it('is given to @current for a key of one project', async () => {
      const response = await ask({ project: '@current' });
      expect(response.status).toBe(row.status);
    });

    it('is refused to @current for a key of two projects', async () => {
      const test = getTest();
      const { project, other } = test;
      const { key } = await test.issueKey({ scopes: [row.scope], projects: [project, other] });
      const { status, body } = await refused({ project: '@current', key });
      expect(status).toBe(400);
      expect(body).toMatchObject({ code: 'invalid_input', attr: 'project_id' });
    });

    it('is refused without a key', async () => {
      const { status, body, headers } = await refused({ key: null });
      expect(status).toBe(401);
      expect(body).toEqual({
        type: 'authentication_error',
        code: 'not_authenticated',
        detail: expect.stringContaining('Authorization: Bearer'),
        attr: null,
      });
      expect(headers.get('www-authenticate')).toBe('Bearer');
    });

    it.each(invalidKeys)('is refused to %s key', async (_which, makeKey) => {
      const key = await makeKey(getTest(), row.scope);
      expectFailedAuthentication(await refused({ key }));
    });

    it('is refused to another project’s key', async () => {
      const { project, other } = getTest();
      const { status, body } = await refused({ key: other.writeKey });
      expect(status).toBe(403);
      expect(body).toEqual({
        type: 'authentication_error',
        code: 'permission_denied',
        detail: expect.stringContaining(`project ${project.id}`),
        attr: 'project_id',
      });
    });

    it('is refused for a project that does not exist with the same message as for a foreign one', async () => {
      const { other } = getTest();
      const foreign = await refused({ key: other.writeKey });
      const missing = await refused({ key: other.writeKey, project: '2000000000' });
      const masked = (response: TestResponse) => response.text.replace(/project \d+/, 'project N');
      expect(missing.status).toBe(403);
      expect(masked(missing)).toBe(masked(foreign));
    });

    it.each(['0', '-1', '1e3', '0x1', 'abc', '99999999999', '%20'])(
      'is refused for the project id %s',
      async (project) => {
        const { status, body } = await refused({ project });
        expect(status).toBe(404);
        expect(body).toMatchObject({ code: 'not_found', type: 'invalid_request' });
      },
    );

    describeScope(row, ask, refused, getTest);
  });
}

function describeScope(
  row: AccessRow,
  ask: (options: CallOptions) => Promise<TestResponse>,
  refused: (options: CallOptions) => Promise<TestResponse>,
  getTest: () => TestApp,
): void {
  if (row.scope === 'endpoint:read') {
    it('is given to a read key', async () => {
      expect((await ask({ key: getTest().project.readKey })).status).toBe(row.status);
    });
    return;
  }
  it('is refused to a read key, naming the scope', async () => {
    const { status, body } = await refused({ key: getTest().project.readKey });
    expect(status).toBe(403);
    expect(body).toEqual({
      type: 'authentication_error',
      code: 'permission_denied',
      detail: expect.stringContaining("'endpoint:write'"),
      attr: null,
    });
  });
}

function expectFailedAuthentication({ status, body, headers }: TestResponse): void {
  expect(status).toBe(401);
  expect(body).toEqual({
    type: 'authentication_error',
    code: 'authentication_failed',
    detail: expect.any(String),
    attr: null,
  });
  expect(headers.get('www-authenticate')).toBe('Bearer');
}

type KeyMaker = (test: TestApp, scope: string) => Promise<string>;

const invalidKeys: readonly (readonly [string, KeyMaker])[] = [
  ['a wrong', async () => `qdk_${'x'.repeat(43)}`],
  ['a malformed', async () => 'not a key'],
  [
    'an expired',
    async (test, scope) => {
      const expiresAt = new Date(test.clock.now().getTime() + 1000);
      const { key } = await test.issueKey({ scopes: [scope], projects: [test.project], expiresAt });
      test.clock.advance(1000);
      return key;
    },
  ],
  [
    'a revoked',
    async (test, scope) => {
      const { id, key } = await test.issueKey({ scopes: [scope], projects: [test.project] });
      await test.rest('GET', '/endpoints', { key });
      const revoke = 'mutation Revoke($id: ID!) { revokeApiKey(id: $id) }';
      const { body } = await test.graphql(revoke, { id }, { key: test.adminKey });
      expect(body).toEqual({ data: { revokeApiKey: true } });
      await eventually('the revoked key is refused', async () => {
        return (await test.rest('GET', '/endpoints', { key })).status === 401;
      });
      return key;
    },
  ],
];
