import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTestApp, type TestApp } from '../support/test-app.ts';

let test: TestApp;

beforeAll(async () => {
  test = await openTestApp();
  await test.rest('POST', '/endpoints', { body: { name: 'one', query: 'SELECT 1' } });
});
afterAll(() => test.close());

const create = `mutation ($input: CreateApiKeyInput!) { createApiKey(input: $input) { id key } }`;
const input = () => ({
  label: 'reports',
  scopes: ['endpoint:read'],
  projectIds: [test.project.id],
});

describe('an administrator', () => {
  it('issues a key that works at once and is not to be read again', async () => {
    const { body } = await test.graphql(create, { input: input() }, { key: test.adminKey });
    const { key } = (body.data?.createApiKey ?? {}) as { key: string };
    expect(key).toMatch(/^qdk_[A-Za-z0-9_-]{43}$/);
    expect((await test.rest('GET', '/endpoints/one/run', { key })).status).toBe(200);
    const listed = await test.graphql(
      '{ apiKeys(first: 100) { edges { node { label prefix scopes projectIds owner { email } } } } }',
      {},
      { key: test.adminKey },
    );
    expect(listed.text).not.toContain(key);
    expect(listed.text).toContain('"label":"reports"');
  });

  it('revokes a key, which is refused from then on', async () => {
    const { body } = await test.graphql(create, { input: input() }, { key: test.adminKey });
    const { id, key } = (body.data?.createApiKey ?? {}) as { id: string; key: string };
    expect((await test.rest('GET', '/endpoints/one', { key })).status).toBe(200);
    const revoke = () =>
      test.graphql('mutation ($id: ID!) { revokeApiKey(id: $id) }', { id }, { key: test.adminKey });
    expect((await revoke()).body).toEqual({ data: { revokeApiKey: true } });
    expect((await test.rest('GET', '/endpoints/one', { key })).body).toMatchObject({
      code: 'authentication_failed',
    });
    expect((await revoke()).body).toEqual({ data: { revokeApiKey: false } });
    expect((await test.rest('GET', '/endpoints/one')).status).toBe(200);
  });

  it.each([
    [{ scopes: [] }, 'scopes'],
    [{ scopes: ['everything'] }, 'scopes'],
    [{ label: ' ' }, 'label'],
    [{ label: 'x\n\u001b[31mred' }, 'label'],
    [{ projectIds: [] }, 'project_ids'],
    [{ projectIds: [999_999] }, 'project_ids'],
    [{ expiresAt: '2020-01-01T00:00:00Z' }, 'expires_at'],
    [{ expiresAt: '+275760-09-12T00:00:00Z' }, 'expires_at'],
  ])('is told what is wrong with %j', async (change, attr) => {
    const { body } = await test.graphql(
      create,
      { input: { ...input(), ...change } },
      { key: test.adminKey },
    );
    expect(body.errors?.[0]?.extensions).toMatchObject({ code: 'invalid_input', attr });
  });
});

describe('any other key', () => {
  it.each([
    [create, { input: { label: 'x', scopes: ['admin'], projectIds: [1] } }],
    ['mutation { revokeApiKey(id: "00000000-0000-7000-8000-000000000000") }', {}],
    ['{ apiKeys { edges { node { id } } } }', {}],
  ])('may not do it: %s', async (query, variables) => {
    const { body } = await test.graphql(query, variables);
    expect(body.errors?.[0]).toMatchObject({
      message: "The API key is missing the required scope 'admin'.",
      extensions: { code: 'permission_denied' },
    });
  });
});

describe('a key that must not be let in', () => {
  const ask = (key: string | null) =>
    test.graphql('{ project(id: "@current") { id } }', {}, { key });

  it('gets an error that depends only on whether a key was sent', async () => {
    expect((await ask(null)).body.errors?.[0]?.extensions.code).toBe('not_authenticated');
    expect((await ask('qdk_wrong_wrong_wrong')).body.errors?.[0]?.extensions.code).toBe(
      'authentication_failed',
    );
  });

  it('is one whose time is over', async () => {
    const expiresAt = new Date(test.clock.now().getTime() + 60_000);
    const { key } = await test.issueKey({
      scopes: ['endpoint:read'],
      projects: [test.project],
      expiresAt,
    });
    expect((await ask(key)).body.errors).toBeUndefined();
    test.clock.advance(60_000);
    expect((await ask(key)).body.errors?.[0]?.extensions.code).toBe('authentication_failed');
  });

  it('is one of another project', async () => {
    const { body } = await test.graphql(`{ project(id: ${test.other.id}) { id } }`);
    expect(body.errors?.[0]?.extensions).toMatchObject({ code: 'permission_denied' });
  });
});
