import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { hashKey } from '../../src/model/api-key-hash.ts';
import { hasScope, implies, isScope } from '../../src/model/scope.ts';
import { type KeyDraft, type KeyStore, openKeyStore } from '../../src/store/key-store.ts';
import { openProjectStore, type ProjectStore } from '../../src/store/project-store.ts';
import { openUserStore, type UserStore } from '../../src/store/user-store.ts';
import { testClock } from '../support/clock.ts';
import { openTestRecords, type TestRecords } from '../support/postgres.ts';

const clock = testClock();
let db: TestRecords;
let keys: KeyStore;
let projects: ProjectStore;
let users: UserStore;
let draft: KeyDraft;
let counter = 0;

beforeAll(async () => {
  db = await openTestRecords();
  const deps = { prisma: db.records.prisma, clock };
  keys = openKeyStore(deps);
  projects = openProjectStore(deps);
  users = openUserStore(deps);
});
afterAll(() => db?.close());

beforeEach(async () => {
  counter++;
  const user = await users.findOrCreateUser({ email: `u${counter}@example.com` });
  const project = await projects.createProject(`p${counter}`);
  draft = {
    userId: user.id,
    label: 'laptop',
    scopes: ['endpoint:read'],
    projectIds: [project.id],
    expiresAt: null,
  };
  db.takeStatements();
});

describe('a key', () => {
  test('is long, random, recognisable and nowhere in the metadata database', async () => {
    const { id, key } = await keys.createKey(draft);
    const { key: another } = await keys.createKey(draft);
    expect(key).toMatch(/^qdk_[\w-]{43,}$/);
    expect(another).not.toBe(key);
    const { rows } = await db.records.pool.query(
      'SELECT api_key::text AS row, prefix, hash FROM api_key WHERE id = $1',
      [id],
    );
    expect(rows[0].prefix).toBe(key.slice(0, 8));
    expect(rows[0].row).not.toContain(key.slice(8));
    expect(new Uint8Array(rows[0].hash)).toEqual(hashKey(key));
  });

  test('is found by its hash, with everything, in one statement', async () => {
    const expiresAt = new Date('2027-01-01T00:00:00.000Z');
    const second = await projects.createProject(`q${counter}`);
    const projectIds = [...draft.projectIds, second.id];
    const scopes = ['endpoint:write', 'admin'] as const;
    const { id, key } = await keys.createKey({ ...draft, projectIds, scopes, expiresAt });
    db.takeStatements();
    expect(await keys.findKeyByHash(hashKey(key))).toEqual({
      id,
      label: 'laptop',
      limits: {},
      prefix: key.slice(0, 8),
      userId: draft.userId,
      scopes,
      projectIds,
      createdAt: clock.now(),
      expiresAt,
      lastUsedAt: null,
      revokedAt: null,
    });
    expect(db.takeStatements()).toHaveLength(1);
    expect(await keys.findKeyByHash(hashKey(`${key}x`))).toBeNull();
  });

  test.each([
    ['no scope', { scopes: [] }],
    ['a project that does not exist', { projectIds: [2_000_000] }],
    ['a user that does not exist', { userId: 2_000_000 }],
  ])('is not made with %s', async (_what, over) => {
    const before = await keys.listKeys();
    await expect(keys.createKey({ ...draft, ...over })).rejects.toThrow();
    expect(await keys.listKeys()).toEqual(before);
  });

  test('is listed for its projects, newest first', async () => {
    const first = await keys.createKey(draft);
    clock.advance(1000);
    const second = await keys.createKey({ ...draft, label: 'server' });
    const elsewhere = await projects.createProject(`r${counter}`);
    const other = await keys.createKey({ ...draft, projectIds: [elsewhere.id] });
    db.takeStatements();
    const listed = await keys.listKeys(draft.projectIds[0]);
    expect(db.takeStatements()).toHaveLength(1);
    expect(listed.map(({ id }) => id)).toEqual([second.id, first.id]);
    const all = (await keys.listKeys()).map(({ id }) => id);
    expect(all).toEqual(expect.arrayContaining([first.id, second.id, other.id]));
  });
});

describe('revokeKey', () => {
  test('returns whether it happened, and only one of two at once did it', async () => {
    const { id, key } = await keys.createKey(draft);
    const bystander = await keys.createKey(draft);
    const done = await Promise.all([keys.revokeKey(id), keys.revokeKey(id)]);
    expect(done.filter(Boolean)).toHaveLength(1);
    const at = clock.now();
    clock.advance(1000);
    expect(await keys.revokeKey(id)).toBe(false);
    expect((await keys.findKeyByHash(hashKey(key)))?.revokedAt).toEqual(at);
    expect((await keys.findKeyByHash(hashKey(bystander.key)))?.revokedAt).toBeNull();
  });

  test.each(['', 'x', '01900000-0000-7000-8000-000000000009'])('finds no key %j', async (id) => {
    expect(await keys.revokeKey(id)).toBeNull();
  });
});

test('updateLastUsed moves the last use forward only, in one statement', async () => {
  const a = await keys.createKey(draft);
  const b = await keys.createKey(draft);
  const c = await keys.createKey(draft);
  const early = new Date('2026-02-01T00:00:00.000Z');
  const late = new Date('2026-02-02T00:00:00.000Z');
  await keys.updateLastUsed(new Map([[a.id, late]]));
  db.takeStatements();
  await keys.updateLastUsed(
    new Map([
      [a.id, early],
      [b.id, early],
    ]),
  );
  expect(db.takeStatements()).toHaveLength(1);
  const lastUse = async ({ key }: { key: string }) =>
    (await keys.findKeyByHash(hashKey(key)))?.lastUsedAt;
  expect([await lastUse(a), await lastUse(b), await lastUse(c)]).toEqual([late, early, null]);
});

describe('scopes', () => {
  test.each([
    ['endpoint:read', 'endpoint:read', true],
    ['endpoint:read', 'endpoint:write', false],
    ['endpoint:read', 'admin', false],
    ['endpoint:write', 'endpoint:read', true],
    ['endpoint:write', 'endpoint:write', true],
    ['endpoint:write', 'admin', false],
    ['admin', 'endpoint:read', true],
    ['admin', 'endpoint:write', true],
    ['admin', 'admin', true],
  ] as const)('%s implies %s: %s', (held, wanted, expected) => {
    expect(implies(held, wanted)).toBe(expected);
    expect(hasScope([held], wanted)).toBe(expected);
  });
  test('nothing implies nothing', () => {
    expect(hasScope([], 'endpoint:read')).toBe(false);
    expect(isScope('root')).toBe(false);
  });
});

describe('users and projects', () => {
  test('a user is made once, also by many at once and in another case of letters', async () => {
    const email = `Ann${counter}@Example.com`;
    const made = await Promise.all(
      Array.from({ length: 8 }, () => users.findOrCreateUser({ email, firstName: 'Ann' })),
    );
    expect(new Set(made.map(({ id }) => id)).size).toBe(1);
    const again = await users.findOrCreateUser({ email: email.toLowerCase(), firstName: 'Bob' });
    expect(again).toEqual(made[0]);
    expect(again).toMatchObject({ email: email.toLowerCase(), firstName: 'Ann', lastName: '' });
    expect(await users.findUser(again.id)).toEqual(again);
    expect(await users.findUser(2_000_000)).toBeNull();
    expect(await users.findUser(2 ** 40)).toBeNull();
  });

  test('a project’s name is taken once', async () => {
    const project = await projects.createProject(`mine${counter}`);
    expect(await projects.findProject(project.id)).toEqual(project);
    expect(await projects.highestProjectId()).toBe(project.id);
    expect((await projects.listProjects()).at(-1)).toEqual(project);
    await expect(projects.createProject(`mine${counter}`)).rejects.toMatchObject({
      code: 'unique',
      attr: 'name',
    });
    expect(await projects.findProject(2 ** 40)).toBeNull();
  });
});
