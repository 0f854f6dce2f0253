/** Who may read the audit log, which entries, in which order. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openAuditStore } from '../../src/store/audit-store.ts';
import { statementsOf } from '../support/statements.ts';
import { openTestApp, type TestApp } from '../support/test-app.ts';
import { askAudit, readAudit } from './support/writes.ts';

let test: TestApp;
let begun: Date;

const patch = (name: string, description: string) =>
  test.rest('PATCH', `/endpoints/${name}`, { body: { description } });

/** Twelve updates of one endpoint and of another, two in each millisecond. */
beforeAll(async () => {
  test = await openTestApp();
  for (const name of ['mine', 'second']) {
    await test.rest('POST', '/endpoints', { body: { name, query: 'SELECT 1' } });
  }
  const theirs = { name: 'theirs', query: 'SELECT 1' };
  await test.rest('POST', '/endpoints', { body: theirs, project: test.other });
  test.clock.advance(60_000);
  begun = test.clock.now();
  for (let n = 0; n < 12; n += 1) {
    await patch('mine', `mine ${n}`);
    await patch('second', `second ${n}`);
    test.clock.advance(1000);
  }
});
afterAll(() => test.close());

describe('who may', () => {
  it('is a key that may write in the project; nobody else learns anything', async () => {
    const key = test.project.readKey;
    const refused = async (
      ...ask: Parameters<typeof askAudit> extends [unknown, ...infer R] ? R : never
    ) => (await askAudit(test, ...ask)).body;
    expect(await refused({}, key)).toMatchObject({
      data: { auditLog: null },
      errors: [{ extensions: { code: 'permission_denied' } }],
    });
    const id = String(test.other.id);
    expect(await refused({ projectId: id }, test.project.writeKey)).toMatchObject({
      data: { auditLog: null },
      errors: [{ extensions: { code: 'permission_denied', attr: 'project_id' } }],
    });
    expect(await refused({ projectId: null }, test.project.writeKey)).toMatchObject({
      data: { auditLog: null },
      errors: [{ extensions: { code: 'permission_denied' } }],
    });
    expect((await readAudit(test, {}, test.project.writeKey)).totalCount).toBeGreaterThan(24);
  });

  it('sees its own project and no other', async () => {
    const mine = await readAudit(test, { first: 1000 }, test.project.writeKey);
    expect(new Set(mine.entries.map(({ projectId }) => projectId))).toEqual(
      new Set([String(test.project.id)]),
    );
    const theirs = await readAudit(test, { first: 1000 }, test.other.writeKey);
    expect(theirs.entries.map(({ endpointName }) => endpointName)).toEqual(['theirs', null]);
    expect(theirs.totalCount).toBe(2);
  });

  it('sees what was done to keys only as an administrator', async () => {
    const keysOf = async (key: string) =>
      (await readAudit(test, { first: 1000 }, key)).entries.filter((e) =>
        e.action.startsWith('key.'),
      );
    expect((await keysOf(test.adminKey)).length).toBeGreaterThan(2);
    expect(await keysOf(test.project.writeKey)).toEqual([]);
    const asked = { filter: { action: 'key.create' } };
    expect((await readAudit(test, asked, test.project.writeKey)).totalCount).toBe(0);
  });

  it('sees the whole service as an administrator who names no project', async () => {
    const { entries } = await readAudit(test, { projectId: null, first: 1000 });
    expect(new Set(entries.map(({ projectId }) => projectId))).toEqual(
      new Set([String(test.project.id), String(test.other.id), null]),
    );
    expect(entries.find(({ projectId }) => projectId === null)).toMatchObject({
      action: 'user.create',
      after: { email: 'author@querydock.test' },
    });
  });
});

describe('the list', () => {
  it('is newest first and keeps its order while entries are added', async () => {
    const since = { filter: { since: begun.toISOString() } };
    const whole = (await readAudit(test, { ...since, first: 100 })).entries;
    expect(whole).toHaveLength(24);
    expect(whole.map(({ at }) => at)).toEqual(
      whole
        .map(({ at }) => at)
        .toSorted()
        .reverse(),
    );
    const read: string[] = [];
    let after: string | null = null;
    for (let page = 0; page < 5; page += 1) {
      const { entries, pageInfo } = await readAudit(test, { ...since, first: 5, after });
      read.push(...entries.map(({ id }) => id));
      after = pageInfo.endCursor;
      expect(pageInfo.hasNextPage).toBe(page < 4);
      await patch('mine', `while reading ${page}`);
    }
    expect(read).toEqual(whole.map(({ id }) => id));
  });

  it.each([
    ['endpoint', () => ({ endpoint: 'second', until: test.clock.now().toISOString() }), 13],
    ['action', () => ({ action: 'endpoint.create' }), 2],
    ['door', () => ({ actor: 'rest', endpoint: 'second' }), 13],
    ['door of nobody', () => ({ actor: 'command line' }), 0],
    ['span', () => ({ since: begun.toISOString(), until: at(2000) }), 4],
    ['empty span', () => ({ since: at(500), until: at(1000) }), 0],
  ])('is narrowed by %s', async (_by, filter, count) => {
    const asked = await readAudit(test, { first: 1000, filter: filter() });
    expect(asked.totalCount).toBe(count);
    expect(asked.entries).toHaveLength(count);
  });

  it('is narrowed by key and by user', async () => {
    const { id, key } = await test.issueKey({
      scopes: ['endpoint:write'],
      projects: [test.project],
    });
    await test.rest('PATCH', '/endpoints/mine', { key, body: { description: 'by another' } });
    const byKey = await readAudit(test, { filter: { actor: id } });
    expect(byKey.entries).toMatchObject([{ keyId: id, after: { description: 'by another' } }]);
    const user = await test.app.core.users.findOrCreateUser({ email: 'author@querydock.test' });
    const byUser = await readAudit(test, { first: 1000, filter: { actor: String(user.id) } });
    expect(byUser.entries.every((e) => e.user?.email === 'author@querydock.test')).toBe(true);
    expect(byUser.totalCount).toBeGreaterThan(24);
  });

  it.each([
    ['filter.action', { action: 'endpoint.rename' }],
    ['filter.actor', { actor: 'somebody' }],
  ])('refuses a %s that there is not', async (attr, filter) => {
    const { body } = await askAudit(test, { filter });
    expect(body.errors).toMatchObject([{ extensions: { code: 'invalid_input', attr } }]);
  });

  it('costs as many statements for 2 entries as for 24', async () => {
    const counts: number[] = [];
    for (const first of [2, 24]) {
      await readAudit(test, { first });
      const statements = await statementsOf(test, () => readAudit(test, { first }));
      counts.push(statements.length);
    }
    expect(counts[1]).toBe(counts[0]);
    expect(counts[0]).toBeLessThanOrEqual(3);
  });
});

const at = (ms: number) => new Date(begun.getTime() + ms).toISOString();

describe('entries', () => {
  it('cannot be changed: the store has no way, and the database refuses it', async () => {
    const store = openAuditStore({ prisma: test.backends.metadata.prisma });
    expect(Object.keys(store).sort()).toEqual(['append', 'deleteEntriesBefore']);
    await expect(
      test.backends.metadata.pool.query("UPDATE audit_entry SET action = 'nothing'"),
    ).rejects.toThrow('not changed');
  });

  it('outlive the endpoint, the key and the project that they name', async () => {
    await test.rest('DELETE', '/endpoints/second');
    const { totalCount } = await readAudit(test, { filter: { endpoint: 'second' } });
    expect(totalCount).toBe(14);
    const { rows } = await test.backends.metadata.pool.query(
      "SELECT count(*)::int AS n FROM pg_constraint WHERE conrelid = 'audit_entry'::regclass AND contype = 'f'",
    );
    expect(rows).toEqual([{ n: 0 }]);
  });

  it('are deleted by retention when their time is over, and not before', async () => {
    const { totalCount } = await readAudit(test, { projectId: null });
    const boundary = new Date(begun.getTime() + 6000);
    const older = await readAudit(test, {
      projectId: null,
      filter: { until: boundary.toISOString() },
    });
    expect(await test.app.core.audit.deleteEntriesBefore(boundary, 3)).toBe(older.totalCount);
    const left = await readAudit(test, { projectId: null, first: 1000 });
    expect(left.totalCount).toBe(totalCount - older.totalCount);
    expect(left.entries.every((e) => new Date(e.at) >= boundary)).toBe(true);
  });
});
