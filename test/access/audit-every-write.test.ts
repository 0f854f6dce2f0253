/** Nothing is written that the audit log does not tell, and nothing is told that did not happen. */
import { isInputObjectType } from 'graphql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { schema } from '../../src/graphql/schema.ts';
import { operations } from '../../src/rest/operations/all.ts';
import { openTestApp, type TestApp } from '../support/test-app.ts';
import { allEntries, type Entry, mutations, readAudit } from './support/writes.ts';

let test: TestApp;
let writer: { readonly id: string; readonly key: string };
let admin: { readonly id: string; readonly key: string };

beforeAll(async () => {
  test = await openTestApp();
  writer = await test.issueKey({ scopes: ['endpoint:write'], projects: [test.project] });
  admin = await test.issueKey({ scopes: ['admin'], projects: [test.project] });
  await test.rest('POST', '/endpoints', { body: { name: 'plain', query: 'SELECT 1' } });
});
afterAll(() => test.close());

/** What was told since, newest first. */
async function entriesOf(work: () => Promise<unknown>): Promise<readonly Entry[]> {
  const before = new Set((await allEntries(test)).map(({ id }) => id));
  await work();
  return (await allEntries(test)).filter(({ id }) => !before.has(id));
}

const cases = Object.entries(mutations);
const holderOf = (scope: string) => (scope === 'admin' ? admin : writer);

it('has a case for every mutation and every REST route that writes', () => {
  const fields = Object.keys(schema.getMutationType()?.getFields() ?? {});
  expect(Object.keys(mutations).sort()).toEqual(fields.sort());
  // Running a query that is not saved needs the scope, as advice does, and both write nothing.
  const writing = operations
    .filter(({ id, scope }) => scope !== 'endpoint:read' && !['query', 'usage_advice'].includes(id))
    .map(({ id }) => id);
  expect(writing).toEqual([
    'create',
    'update',
    'delete',
    'create_variable',
    'update_variable',
    'delete_variable',
    'put_rows',
  ]);
});

describe.each(cases)('%s', (_name, mutation) => {
  it('has one entry, with actor, project, time and request', async () => {
    const variables = await mutation.prepare(test);
    const { id: keyId, key } = holderOf(mutation.scope);
    test.clock.advance(1000);
    const told = await entriesOf(async () => {
      const { body } = await test.graphql(mutation.document, variables, {
        key,
        headers: { 'x-request-id': 'the-request' },
      });
      expect(body.errors).toBeUndefined();
    });
    expect(told).toMatchObject([
      {
        action: mutation.action,
        at: test.clock.now().toISOString(),
        projectId: String(test.project.id),
        door: 'graphql',
        keyId,
        user: { email: 'author@querydock.test' },
        requestId: 'the-request',
        version: mutation.version,
        ...mutation.told?.(test),
      },
    ]);
  });

  it('has no entry when it is refused', async () => {
    await mutation.prepare(test);
    const told = await entriesOf(async () => {
      const { body } = await test.graphql(mutation.document, mutation.refused, {
        key: holderOf(mutation.scope).key,
      });
      expect(body.errors).toHaveLength(1);
    });
    expect(told).toEqual([]);
  });

  it('has no entry when the key has no right to it', async () => {
    const variables = await mutation.prepare(test);
    const told = await entriesOf(async () => {
      const { body } = await test.graphql(mutation.document, variables, {
        key: test.project.readKey,
      });
      expect(body.errors?.[0]?.extensions.code).toBe('permission_denied');
    });
    expect(told).toEqual([]);
  });

  it('does not happen when its entry cannot be written', async () => {
    const variables = await mutation.prepare(test);
    await test.app.core.recorder.flush();
    const before = await everything();
    await refuseEntries(true);
    try {
      const { body } = await test.graphql(mutation.document, variables, {
        key: holderOf(mutation.scope).key,
      });
      expect(body.errors?.[0]?.extensions.code).toBe('error');
    } finally {
      await refuseEntries(false);
    }
    expect(await everything()).toEqual(before);
  });
});

async function refuseEntries(refuse: boolean): Promise<void> {
  await test.backends.metadata.pool.query(
    refuse
      ? 'ALTER TABLE audit_entry ADD CONSTRAINT refused CHECK (false) NOT VALID'
      : 'ALTER TABLE audit_entry DROP CONSTRAINT refused',
  );
}

const tables = [
  'endpoint',
  'endpoint_version',
  'materialization_status',
  'materialization_sync',
  'stored_table',
  'project',
  'user',
];

/** Every row that an author's write can touch; without when a key was last used. */
async function everything(): Promise<readonly unknown[]> {
  const all = tables.map(
    (name) => `SELECT '${name}' AS t, to_jsonb(r)::text AS row FROM "${name}" r`,
  );
  const keys = "SELECT 'api_key', (to_jsonb(r) - 'last_used_at')::text FROM api_key r";
  const { rows } = await test.backends.metadata.pool.query(
    `${[...all, keys].join(' UNION ALL ')} ORDER BY 1, 2`,
  );
  return rows;
}

describe('what an entry holds about an endpoint', () => {
  const newest = async () => (await readAudit(test, { first: 1 })).entries[0];

  it('by REST: everything that was created', async () => {
    const { headers } = await test.rest('POST', '/endpoints', {
      key: writer.key,
      body: { name: 'told', query: 'SELECT 1 AS a', description: 'first', cache_age_seconds: 60 },
    });
    const entry = await newest();
    expect(entry).toMatchObject({
      action: 'endpoint.create',
      door: 'rest',
      keyId: writer.id,
      requestId: headers.get('x-request-id'),
      endpointName: 'told',
      version: 1,
      before: null,
      after: {
        name: 'told',
        description: 'first',
        query: { kind: 'SQLQuery', query: 'SELECT 1 AS a', variables: {} },
        cacheAgeSeconds: 60,
        isActive: true,
        isMaterialized: false,
        syncFrequency: '24hour',
      },
    });
  });

  it('every member that an author can set', async () => {
    const type = schema.getType('CreateEndpointInput');
    if (!isInputObjectType(type)) throw new Error('no such input');
    const { after } = (await newest()) ?? {};
    // The same setting as syncFrequency, and one that is no setting.
    const { dataFreshnessSeconds: _same, dryRun: _none, ...members } = type.getFields();
    expect(Object.keys(after ?? {})).toEqual(expect.arrayContaining(Object.keys(members)));
  });

  it('of an update what changed and nothing else, both ways', async () => {
    await test.rest('PATCH', '/endpoints/told', { body: { description: 'second' } });
    expect(await newest()).toMatchObject({
      action: 'endpoint.update',
      version: 1,
      before: { description: 'first' },
      after: { description: 'second' },
    });
    expect(Object.keys((await newest())?.after ?? {})).toEqual(['description']);
  });

  it('of a new version both queries', async () => {
    await test.rest('PATCH', '/endpoints/told', { body: { query: 'SELECT 2 AS a' } });
    const entry = await newest();
    expect(entry?.version).toBe(2);
    expect(entry?.before).toEqual({
      version: 1,
      query: { kind: 'SQLQuery', query: 'SELECT 1 AS a', variables: {} },
    });
    expect(entry?.after).toEqual({
      version: 2,
      query: { kind: 'SQLQuery', query: 'SELECT 2 AS a', variables: {} },
    });
  });

  it('of an older version that is named', async () => {
    await test.rest('PATCH', '/endpoints/told', { body: { version: 1, is_active: false } });
    const entry = await newest();
    expect(entry?.version).toBe(1);
    expect(entry?.before).toEqual({ versionIsActive: true });
    expect(entry?.after).toEqual({ versionIsActive: false });
  });

  it('of materialization its settings', async () => {
    const body = { query: 'SELECT number AS n FROM numbers(3)', sync_frequency: '1hour' };
    await test.rest('PATCH', '/endpoints/told', { body: { ...body, is_materialized: true } });
    expect((await newest())?.after).toMatchObject({ isMaterialized: true, syncFrequency: '1hour' });
    await test.rest('PATCH', '/endpoints/told', { body: { is_active: false } });
    expect(await newest()).toMatchObject({
      before: { isActive: true, isMaterialized: true },
      after: { isActive: false, isMaterialized: false },
    });
  });

  it('of a write that changes nothing that nothing changed', async () => {
    await test.rest('PATCH', '/endpoints/told', { body: {} });
    expect(await newest()).toMatchObject({ action: 'endpoint.update', before: {}, after: {} });
  });

  it('of a deletion what was there', async () => {
    await test.rest('DELETE', '/endpoints/told', { key: writer.key });
    expect(await newest()).toMatchObject({
      action: 'endpoint.delete',
      door: 'rest',
      keyId: writer.id,
      version: 3,
      before: { name: 'told', query: { query: 'SELECT number AS n FROM numbers(3)' } },
      after: null,
    });
  });
});

describe('what an entry holds about a key', () => {
  it('what it may do, once for each of its projects, and never the secret', async () => {
    const projects = [test.project, test.other];
    let key = '';
    const told = await entriesOf(async () => {
      ({ key } = await test.issueKey({ scopes: ['endpoint:read'], projects }));
    });
    expect(told.map(({ projectId }) => String(projectId)).sort()).toEqual(
      projects.map(({ id }) => String(id)).sort(),
    );
    expect(told[0]).toMatchObject({
      action: 'key.create',
      door: 'service',
      keyId: null,
      user: null,
      after: { label: 'test', scopes: ['endpoint:read'], prefix: key.slice(0, 8) },
    });
    const stored = await test.backends.metadata.pool.query(
      'SELECT e::text AS row FROM audit_entry e',
    );
    expect(stored.rows.length).toBeGreaterThan(0);
    expect(stored.rows.filter(({ row }) => row.includes(key.slice(8)))).toEqual([]);
  });

  it('that it was revoked, and by whom', async () => {
    const { id } = await test.issueKey({ scopes: ['endpoint:read'], projects: [test.project] });
    const revoke = 'mutation ($id: ID!) { revokeApiKey(id: $id) }';
    const ask = () => test.graphql(revoke, { id }, { key: admin.key });
    const [entry, ...more] = await entriesOf(async () => {
      await ask();
      // It was revoked before: nothing is done, nothing is told.
      await ask();
    });
    expect(more).toEqual([]);
    expect(entry).toMatchObject({
      action: 'key.revoke',
      keyId: admin.id,
      before: { id },
      after: { id, revokedAt: test.clock.now().toISOString() },
    });
  });
});
