/** Whose key it is and what it opens: routes that existing clients ask before anything else. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openTestApp, type TestApp } from '../../support/test-app.ts';

let test: TestApp;

beforeAll(async () => {
  test = await openTestApp();
});
afterAll(() => test.close());

const user = {
  id: expect.any(Number),
  uuid: expect.stringMatching(/^[0-9a-f-]{36}$/),
  distinct_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
  first_name: 'Ada',
  last_name: '',
  email: 'author@querydock.test',
};

it('GET /api/users/@me tells the owner of the key and its first project', async () => {
  for (const slash of ['', '/']) {
    const { status, body } = await test.rest('GET', `/api/users/@me${slash}`);
    expect(status).toBe(200);
    const team = { id: test.project.id, name: 'flights' };
    expect(body).toEqual({ ...user, team, organization: null });
  }
});

it('GET /api/personal_api_keys/@current tells what the key may do, and not its secret', async () => {
  const key = test.project.readKey;
  const { status, body, text } = await test.rest('GET', '/api/personal_api_keys/@current/', {
    key,
  });
  expect(status).toBe(200);
  expect(body).toEqual({
    id: expect.any(String),
    label: 'test',
    mask_value: key.slice(0, String(body.mask_value).length),
    scopes: ['endpoint:read'],
    scoped_teams: [test.project.id],
    scoped_organizations: [],
    created_at: expect.any(String),
    expires_at: null,
    last_used_at: null,
  });
  expect(text).not.toContain(key);
});

it('GET of a project tells it, by id or @current and under both prefixes', async () => {
  for (const path of [
    `projects/${test.project.id}/`,
    'projects/@current',
    'environments/@current/',
  ]) {
    const { status, body } = await test.rest('GET', `/api/${path}`);
    expect(status).toBe(200);
    expect(body).toEqual({
      id: test.project.id,
      name: 'flights',
      created_at: expect.any(String),
      timezone: 'UTC',
      organization: null,
    });
  }
  const foreign = await test.rest('GET', `/api/projects/${test.other.id}/`);
  expect(foreign.body).toMatchObject({ code: 'permission_denied', attr: 'project_id' });
  expect((await test.rest('GET', '/api/projects/abc/')).status).toBe(404);
});

it.each(['/api/users/@me/', '/api/personal_api_keys/@current', '/api/projects/@current/'])(
  '%s needs a key',
  async (path) => {
    expect((await test.rest('GET', path, { key: null })).status).toBe(401);
    expect((await test.rest('GET', path, { key: `qdk_${'x'.repeat(43)}` })).status).toBe(401);
  },
);

it('GraphQL tells the same', async () => {
  const document = '{ me { email } currentKey { label scopes projects { id name } } }';
  const { body } = await test.graphql(document);
  expect(body.data).toEqual({
    me: { email: 'author@querydock.test' },
    currentKey: {
      label: 'test',
      scopes: ['endpoint:write'],
      projects: [{ id: String(test.project.id), name: 'flights' }],
    },
  });
});
