/** The contract of materialization line by line through GraphQL; the other files here go through REST. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { eventually } from '../support/eventually.ts';
import type { TestApp } from '../support/test-app.ts';
import {
  byCountry,
  expectNoOrphans,
  ofCountry,
  openMaterializedApp,
  storedTables,
  sync,
} from './support/materialized.ts';

let test: TestApp;
let name = '';
let count = 0;
const hour = 3_600_000;

beforeAll(async () => {
  test = await openMaterializedApp();
  await create('bystander', { query: byCountry, isMaterialized: true, syncFrequency: '30day' });
  await sync(test);
});
afterAll(async () => {
  expect(await run('bystander', { refresh: 'force' })).toMatchObject({
    servedFrom: 'materialized',
  });
  await expectNoOrphans(test);
  await test.close();
});
beforeEach(async () => {
  await sync(test);
  name = `g${++count}`;
});

type Object_ = Readonly<Record<string, unknown>>;

async function ask(query: string, variables: object): Promise<Object_> {
  const { body } = await test.graphql(query, variables);
  if (body.errors !== undefined) return { errors: body.errors };
  return (body.data as { readonly it: Object_ }).it;
}

const status = `enabled status canMaterialize reason lastMaterializedAt error syncFrequency maxStoredRows nextSyncAt
  rows bytes ready durationSeconds progress { rowsRead percent timeElapsed } history { outcome error rows }`;

const create = (called: string, input: object) =>
  ask(
    `mutation ($input: CreateEndpointInput!) { it: createEndpoint(projectId: "@current", input: $input) { name isMaterialized materialization { ${status} } } }`,
    { input: { name: called, ...input } },
  );
const update = (input: object, version?: number) =>
  ask(
    `mutation ($name: String!, $version: Int, $input: UpdateEndpointInput!) { it: updateEndpoint(projectId: "@current", name: $name, version: $version, input: $input) { isMaterialized currentVersion materialization { ${status} } } }`,
    { name, input, version },
  );
const statusOf = (version?: number) =>
  ask(
    `query ($name: String!, $version: Int) { it: materializationStatus(projectId: "@current", name: $name, version: $version) { ${status} } }`,
    { name, version },
  );
const run = (called: string, input: object = {}) =>
  ask(
    'query ($name: String!, $input: RunInput!) { it: runEndpoint(projectId: "@current", name: $name, input: $input) { results columns servedFrom inlineReason endpointMaterialized endpointMaterializedAt isCached endpointVersion } }',
    { name: called, input },
  );
const command = (what: 'syncMaterialization' | 'cancelSync') =>
  ask(
    `mutation ($name: String!) { it: ${what}(projectId: "@current", name: $name) { status nextSyncAt } }`,
    { name },
  );
const refused = (code: string, message: RegExp | string = /./) => ({
  errors: [
    {
      message: expect.stringMatching(message),
      extensions: expect.objectContaining({ code }),
    },
  ],
});

const de = { variables: { country: 'de' } };
async function hourly(): Promise<void> {
  await create(name, { query: ofCountry, isMaterialized: true, syncFrequency: '1hour' });
  expect(await sync(test)).toEqual(['completed']);
}

describe('the object', () => {
  it('has only whether it could be on, while it is off', async () => {
    const created = await create(name, { query: ofCountry });
    expect(created).toMatchObject({
      isMaterialized: false,
      materialization: {
        enabled: false,
        status: null,
        canMaterialize: true,
        reason: null,
        syncFrequency: null,
        maxStoredRows: null,
        nextSyncAt: null,
        rows: null,
        ready: false,
        history: [],
      },
    });
  });

  it('is Modified and due at once when it is turned on, then Completed with what the table holds', async () => {
    const now = test.clock.now().toISOString();
    expect(await create(name, { query: byCountry, isMaterialized: true })).toMatchObject({
      materialization: {
        status: 'Modified',
        nextSyncAt: now,
        syncFrequency: '24hour',
        maxStoredRows: 20_000_000,
        ready: false,
      },
    });
    expect(await sync(test)).toEqual(['completed']);
    expect(await statusOf()).toMatchObject({
      status: 'Completed',
      canMaterialize: true,
      reason: null,
      error: null,
      lastMaterializedAt: now,
      rows: 6,
      bytes: expect.any(Number),
      durationSeconds: expect.any(Number),
      ready: true,
      progress: null,
      history: [{ outcome: 'completed', error: null, rows: 6 }],
    });
  });

  it('is Running with progress, and Cancelled when it is stopped', async () => {
    const query = 'SELECT sum(cityHash64(number)) AS s FROM numbers(200000000000)';
    await create(name, { query, isMaterialized: true });
    const done = sync(test);
    await eventually('the engine is at work', async () => {
      const { progress } = (await statusOf()) as { progress: { rowsRead: number } | null };
      return (progress?.rowsRead ?? 0) > 0;
    });
    expect(await statusOf()).toMatchObject({
      status: 'Running',
      progress: { rowsRead: expect.any(Number), percent: expect.any(Number) },
    });
    expect(await command('cancelSync')).toMatchObject({ status: 'Cancelled' });
    expect(await done).toEqual(['lost']);
    expect(await statusOf()).toMatchObject({ history: [{ outcome: 'cancelled' }] });
    expect(await command('cancelSync')).toMatchObject(refused('invalid_input', /under way/));
    await update({ isMaterialized: false });
  });

  it('is Failed with the error; the last good table is read while it is fresh', async () => {
    await hourly();
    await test.sql('RENAME TABLE sales TO elsewhere');
    test.clock.advance(1000);
    await command('syncMaterialization');
    expect(await sync(test)).toContain('failed');
    await test.sql('RENAME TABLE elsewhere TO sales');
    expect(await statusOf()).toMatchObject({
      status: 'Failed',
      error: expect.any(String),
      ready: true,
      history: [{ outcome: 'failed', error: expect.any(String) }, { outcome: 'completed' }],
    });
    expect(await run(name, { ...de, refresh: 'force' })).toMatchObject({
      servedFrom: 'materialized',
    });
    test.clock.advance(hour);
    expect(await run(name, { ...de, refresh: 'force' })).toMatchObject({
      servedFrom: 'inline',
      inlineReason: 'failed',
    });
    expect(await sync(test)).toContain('completed');
  });
});

describe('a run', () => {
  it('is read from the table, at the swap from the new one, and by direct from the source', async () => {
    const before = test.clock.now().toISOString();
    await hourly();
    const stored = await run(name, de);
    expect(stored).toMatchObject({
      servedFrom: 'materialized',
      inlineReason: null,
      endpointMaterialized: true,
      endpointMaterializedAt: before,
    });
    expect(await run(name, de)).toMatchObject({ servedFrom: 'cache', isCached: true });
    await test.sql("INSERT INTO sales VALUES ('de', 100, '2026-03-01')");
    const direct = await run(name, { ...de, refresh: 'direct' });
    expect(direct).toMatchObject({ inlineReason: 'direct', endpointMaterialized: false });
    expect(direct.results).toHaveLength(3);
    test.clock.advance(1000);
    await command('syncMaterialization');
    await sync(test);
    const after = await run(name, de);
    expect(after).toMatchObject({ servedFrom: 'materialized', isCached: false });
    expect(after.results).toHaveLength(3);
    await test.sql('ALTER TABLE sales DELETE WHERE amount = 100 SETTINGS mutations_sync = 2');
  });

  it('is inline before the first sync and when the table is stale, with the reason', async () => {
    await create(name, { query: ofCountry, isMaterialized: true, syncFrequency: '1hour' });
    expect(await run(name, de)).toMatchObject({ servedFrom: 'inline', inlineReason: 'not_ready' });
    await sync(test);
    test.clock.advance(hour);
    expect(await run(name, { ...de, refresh: 'force' })).toMatchObject({ inlineReason: 'stale' });
  });

  it('reads the table for NULL, and the source data where it has another type than dates', async () => {
    const text =
      'SELECT day, amount FROM sales WHERE ({variables.country} IS NULL OR country = {variables.country}) AND day >= {variables.since} ORDER BY amount';
    const variables = { country: { value: 'de' }, since: { type: 'Date', value: '2000-01-01' } };
    const query = { kind: 'SQLQuery', query: text, variables };
    await create(name, { query, isMaterialized: true, syncFrequency: '1hour' });
    await sync(test);
    expect(await run(name)).toMatchObject({ servedFrom: 'materialized' });
    const all = await run(name, { variables: { country: null } });
    expect(all).toMatchObject({ servedFrom: 'materialized', inlineReason: null });
    const inline = await run(name, { variables: { country: null }, refresh: 'direct' });
    expect(all.results).toEqual(inline.results);
    const none = await run(name, { variables: { since: null } });
    expect(none).toMatchObject({ results: [], servedFrom: 'inline', inlineReason: 'variables' });
  });

  it('needs no value for a variable with a default, also while the table is stale', async () => {
    const query = { kind: 'SQLQuery', query: ofCountry, variables: { country: { value: 'de' } } };
    await create(name, { query, isMaterialized: true, syncFrequency: '1hour' });
    for (const input of [{}, { refresh: 'direct' }]) {
      expect(await run(name, input)).toMatchObject({ servedFrom: 'inline' });
    }
    await sync(test);
    const stored = await run(name, { refresh: 'force' });
    expect(stored).toMatchObject({ servedFrom: 'materialized' });
    expect(stored.results).toHaveLength(2);
    test.clock.advance(2 * hour);
    expect(await run(name)).toMatchObject({ servedFrom: 'inline', inlineReason: 'stale' });
    await update({ isMaterialized: false });
    expect((await run(name)).results).toHaveLength(2);
    expect(await run(name, { refresh: 'direct' })).toMatchObject(
      refused('invalid_input', /direct/),
    );
  });
});

describe('a query that cannot be materialized', () => {
  it.each([
    ['SELECT {x:UInt8} AS a', /reads no table/],
    ['SELECT day FROM sales ARRAY JOIN [1] AS n PREWHERE country = {x:String}', /used in PREWHERE/],
    ['SELECT rand() AS r FROM sales', /rand gives another result/],
    ['SELECT any(day) FROM sales WHERE amount > {x:UInt32}', /cannot be computed/],
  ])('%s is refused with the reason, and nothing is made', async (query, reason) => {
    expect(await create(name, { query, isMaterialized: true })).toMatchObject(
      refused('cannot_materialize', reason),
    );
    expect(
      await ask(
        'query ($name: String!) { it: endpoint(projectId: "@current", name: $name) { name } }',
        { name },
      ),
    ).toMatchObject(refused('not_found'));
    expect(await create(name, { query })).toMatchObject({
      materialization: { canMaterialize: false, reason: expect.stringMatching(reason) },
    });
    expect(await update({ isMaterialized: true })).toMatchObject(
      refused('cannot_materialize', reason),
    );
  });
});

describe('the life of a table', () => {
  it.each([
    ['disabled', () => update({ isMaterialized: false })],
    ['deactivated', () => update({ isActive: false })],
    ['deactivated as a version', () => update({ isActive: false }, 1)],
    [
      'deleted',
      () =>
        ask(
          'mutation ($name: String!) { it: deleteEndpoint(projectId: "@current", name: $name) }',
          { name },
        ),
    ],
  ])('ends when it is %s', async (_how, change) => {
    const before = await storedTables(test);
    await hourly();
    expect(await storedTables(test)).toHaveLength(before.length + 1);
    await change();
    await sync(test);
    expect(await storedTables(test)).toEqual(before);
  });

  it('goes over to a changed query with its cadence; an old version has its own', async () => {
    await hourly();
    for (const input of [
      { description: 'new' },
      { cacheAgeSeconds: 5 },
      { isMaterialized: true },
    ]) {
      expect(await update(input)).toMatchObject({ materialization: { syncFrequency: '1hour' } });
    }
    expect(await update({ query: `${ofCountry} LIMIT 1` })).toMatchObject({
      currentVersion: 2,
      materialization: { status: 'Modified', syncFrequency: '1hour' },
    });
    expect(await sync(test)).toEqual(['completed']);
    for (const version of [1, 2]) {
      const body = await run(name, { ...de, version, refresh: 'force' });
      expect(body).toMatchObject({ servedFrom: 'materialized', endpointVersion: version });
      expect(body.results).toHaveLength(3 - version);
    }
    const current = await statusOf();
    await update({ isActive: false }, 1);
    await sync(test);
    expect(await statusOf()).toEqual(current);
    expect(await statusOf(1)).toMatchObject({ status: null });
    expect(await run(name, { ...de, refresh: 'force' })).toMatchObject({
      servedFrom: 'materialized',
    });
  });
});
