/** `dry_run` of the writes of endpoints, by both interfaces. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestApp } from '../../support/test-app.ts';
import { byCountry, bystanders, openSalesApp, retrieve, save } from '../support/sales.ts';
import { endpointFields, toCamel, withoutIds } from '../support/twins.ts';

let test: TestApp;
beforeAll(async () => {
  test = await openSalesApp();
  await save(test, 'sales', { description: 'By country' });
  await save(test, 'bystander', {}, test.other);
});
afterAll(() => test.close());

const create = (body: object) =>
  test.rest('POST', '/endpoints', { body: { ...body, dry_run: true } });
const update = (body: object, path = '/endpoints/sales') =>
  test.rest('PATCH', path, { body: { ...body, dry_run: true } });

async function everything(): Promise<unknown> {
  const { prisma } = test.backends.metadata;
  const counts = [
    prisma.auditEntry.count(),
    prisma.storedTable.count(),
    prisma.materializationSync.count(),
  ];
  return [await bystanders(test), await Promise.all(counts)];
}

/** Does the work, which must change nothing. */
async function unchanged<T>(work: () => Promise<T>): Promise<T> {
  const before = await everything();
  const result = await work();
  await test.app.materialization.runOnce();
  expect(await everything()).toEqual(before);
  return result;
}

describe('of a create', () => {
  const input = { name: 'next', query: byCountry, cache_age_seconds: 60, is_materialized: true };

  it('answers what would result and what is known of the query, and writes nothing', async () => {
    const { status, body } = await unchanged(() => create(input));
    expect(status).toBe(200);
    const { dry_run, check, ...endpoint } = body;
    expect({ dry_run, check }).toMatchObject({
      dry_run: true,
      check: {
        columns: endpoint.columns,
        tables: [{ name: 'sales', columns: ['amount', 'country'] }],
        estimated_rows: 3,
        materialization: { can_materialize: true, reason: null },
      },
    });
    expect((await test.rest('GET', '/endpoints/next')).status).toBe(404);
    const created = await save(test, 'next', input);
    expect(withoutIds(endpoint)).toEqual(withoutIds(created));
    expect(endpoint.id).not.toBe(created.id);
    await test.rest('DELETE', '/endpoints/next');
  });

  it.each([
    [{ name: 'sales', query: 'SELECT 1' }, 'unique'],
    [{ name: '1st', query: 'SELECT 1' }, 'invalid_input'],
    [{ name: 'next', query: 'SELECT nothing FROM sales' }, 'invalid_query'],
    [{ name: 'next', query: 'SELECT now() AS t', is_materialized: true }, 'cannot_materialize'],
    [{ name: 'next', query: 'SELECT 1', version: 2 }, 'invalid_input'],
    [{ name: 'next', query: 'SELECT 1', dry_run: 'yes' }, 'invalid_input'],
  ])('refuses %j as the write does', async (body, code) => {
    const tried = await unchanged(() =>
      test.rest('POST', '/endpoints', { body: { dry_run: true, ...body } }),
    );
    expect(tried).toMatchObject({ status: 400, body: { code } });
  });

  it('tells a GraphQL caller the same', async () => {
    const document = `mutation ($input: CreateEndpointInput!) {
      createEndpoint(projectId: "@current", input: $input) { ...E check { tables { name columns } estimatedRows } }
    } fragment E on Endpoint ${endpointFields}`;
    const given = { name: 'next', query: byCountry, dryRun: true };
    const { body } = await unchanged(() => test.graphql(document, { input: given }));
    const { check, ...endpoint } = (body.data?.createEndpoint ?? {}) as { readonly check: unknown };
    const {
      dry_run,
      check: told,
      ...twin
    } = (await create({ name: 'next', query: byCountry })).body;
    expect(dry_run).toBe(true);
    expect(withoutIds(endpoint)).toEqual(withoutIds(toCamel(twin)));
    expect(toCamel(told)).toMatchObject(check as object);
  });
});

describe('of an update', () => {
  it('answers the version that a changed query would make', async () => {
    const saved = await retrieve(test, 'sales');
    const { status, body } = await unchanged(() => update({ query: 'SELECT 2 AS two' }));
    expect(status).toBe(200);
    expect(body).toMatchObject({
      ...saved,
      id: expect.any(String),
      current_version_id: expect.any(String),
      query: { query: 'SELECT 2 AS two' },
      columns: [{ name: 'two', type: 'UInt8' }],
      current_version: 2,
      versions_count: 2,
      dry_run: true,
      check: { columns: [{ name: 'two', type: 'UInt8' }], tables: [], estimated_rows: 0 },
    });
  });

  it('answers changed settings, and no check without a query', async () => {
    const body = { description: 'x', is_materialized: true, sync_frequency: '1hour' };
    const tried = await unchanged(() => update(body));
    expect(tried.body).toMatchObject({
      current_version: 1,
      description: 'x',
      is_materialized: true,
      materialization: { status: 'Modified', sync_frequency: '1hour' },
      check: null,
    });
    expect(await retrieve(test, 'sales')).toMatchObject({ is_materialized: false });
  });

  it('answers a version when one is named', async () => {
    for (const path of ['/endpoints/sales?version=1', '/endpoints/sales/?version=1']) {
      const tried = await unchanged(() => update({ is_active: false }, path));
      expect(tried.body).toMatchObject({
        version: 1,
        is_active: false,
        endpoint_is_active: true,
        dry_run: true,
      });
    }
    const put = await unchanged(() =>
      test.rest('PUT', '/endpoints/sales', {
        body: { version: 1, description: 'v', dry_run: true },
      }),
    );
    expect(put.body).toMatchObject({ version: 1, description: 'v', check: null });
  });

  it.each([
    [{ query: 'SELECT nothing FROM sales' }, 'invalid_query'],
    [{ query: 'SELECT now() AS t', is_materialized: true }, 'cannot_materialize'],
    [{ query: 'SELECT 1', version: 1 }, 'invalid_input'],
    [{ version: 9 }, 'invalid_input'],
    [{ deleted: true }, 'invalid_input'],
  ])('refuses %j as the write does', async (body, code) => {
    const tried = await unchanged(() => update(body));
    expect(tried).toMatchObject({ status: 400, body: { code } });
  });

  it('of an endpoint that does not exist is 404', async () => {
    expect((await update({ description: 'x' }, '/endpoints/nothing')).status).toBe(404);
  });

  it('shows a GraphQL caller nothing under an id of what is', async () => {
    const saved = await retrieve(test, 'sales');
    const document = `mutation { updateEndpoint(projectId: "@current", name: "sales", input: { description: "x", query: "SELECT 3 AS n", dryRun: true }) {
      id currentVersionId description version { id endpoint { id } } versions(first: 5) { totalCount edges { node { id version } } } check { columns { name } } } }`;
    const { text, body } = await unchanged(() => test.graphql(document));
    expect(body.data?.updateEndpoint).toMatchObject({
      description: 'x',
      versions: { totalCount: 2 },
      check: { columns: [{ name: 'n' }] },
    });
    for (const id of [saved.id, saved.current_version_id]) expect(text).not.toContain(id);
  });

  it('tells a GraphQL caller what it cannot show', async () => {
    const document = `mutation { updateEndpoint(projectId: "@current", name: "sales", input: { description: "x", dryRun: true }) {
      a: versions(first: 1) { edges { node { id } } } b: versions(first: 2) { edges { node { id } } } } }`;
    const { body } = await unchanged(() => test.graphql(document));
    expect(body.errors?.[0]).toMatchObject({
      message: expect.stringContaining('under one alias'),
      extensions: { code: 'invalid_input', attr: 'dry_run' },
    });
  });

  it('has no check when it is no dry run', async () => {
    const { body } = await test.graphql(
      '{ endpoint(projectId: "@current", name: "sales") { check { estimatedRows } } }',
    );
    expect(body.data).toEqual({ endpoint: { check: null } });
  });

  it('waits for nobody and lets others write afterwards', async () => {
    const tried = await Promise.all([1, 2, 3, 4].map((n) => update({ query: `SELECT ${n} AS n` })));
    expect(tried.map(({ body }) => body.current_version)).toEqual([2, 2, 2, 2]);
    const written = await test.rest('PATCH', '/endpoints/sales', {
      body: { description: 'By country' },
    });
    expect(written.status).toBe(200);
  });
});
