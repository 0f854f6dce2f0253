import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { TestApp } from '../support/test-app.ts';
import {
  ask,
  byCountry,
  expectBystander,
  materialized,
  openWithBystander,
  patch,
  run,
  save,
  servedTables,
  statusOf,
  storedTables,
  sync,
} from './support/materialized.ts';

let test: TestApp;
beforeAll(async () => {
  test = await openWithBystander();
});
afterAll(() => test.close());
afterEach(() => expectBystander(test));

let count = 0;
const fresh = (): string => `e${++count}`;

describe('the table is dropped', () => {
  it.each([
    ['disabled', (name: string) => patch(test, name, { is_materialized: false })],
    ['deactivated', (name: string) => patch(test, name, { is_active: false })],
    [
      'deactivated as a version',
      (n: string) => patch(test, `${n}?version=1`, { is_active: false }),
    ],
    ['deleted', (name: string) => test.rest('DELETE', `/endpoints/${name}`)],
  ])('when it is %s', async (_how, change) => {
    const name = fresh();
    const before = await storedTables(test);
    await materialized(test, name);
    expect(await storedTables(test)).toHaveLength(before.length + 1);
    await change(name);
    expect((await test.app.materialization.runOnce()).dropped).toBe(1);
    expect(await storedTables(test)).toEqual(before);
  });

  it('and the status then has only whether it could be on', async () => {
    const name = fresh();
    await materialized(test, name);
    await patch(test, name, { is_active: false });
    expect(await statusOf(test, name)).toEqual({
      name,
      version: 1,
      can_materialize: true,
      reason: null,
    });
    await patch(test, name, { is_active: true });
    expect(await run(test, name)).not.toHaveProperty('served_from');
  });
});

describe('versions', () => {
  async function twoVersions(): Promise<string> {
    const name = fresh();
    await materialized(test, name, { sync_frequency: '6hour' });
    const changed = await patch(test, name, { query: `${byCountry} LIMIT 2` });
    expect(changed).toMatchObject({
      current_version: 2,
      is_materialized: true,
      materialization: { status: 'Modified', sync_frequency: '6hour' },
    });
    expect(await sync(test)).toEqual(['completed']);
    return name;
  }

  it('carry it on to a changed query, while the old one keeps its own', async () => {
    const name = await twoVersions();
    expect(await statusOf(test, `${name}?version=1`)).toMatchObject({ ready: true, rows: 6 });
    expect(await statusOf(test, name)).toMatchObject({ ready: true, rows: 2 });
    for (const version of [1, 2]) {
      const body = await run(test, name, { version, refresh: 'force' });
      expect(body).toMatchObject({ served_from: 'materialized', endpoint_version: version });
      expect(body.results).toHaveLength(version === 1 ? 6 : 2);
    }
  });

  it('deactivating or disabling an old one never changes the current one', async () => {
    for (const body of [{ is_active: false }, { is_materialized: false }]) {
      const name = await twoVersions();
      const before = await statusOf(test, name);
      await patch(test, `${name}?version=1`, body);
      await sync(test);
      expect(await statusOf(test, name)).toEqual(before);
      expect(await run(test, name, { refresh: 'force' })).toMatchObject({
        served_from: 'materialized',
      });
      expect(await statusOf(test, `${name}?version=1`)).not.toHaveProperty('status');
    }
  });

  it('deactivating the endpoint turns off each of them', async () => {
    const name = await twoVersions();
    await patch(test, name, { is_active: false });
    for (const version of [1, 2]) {
      expect(await statusOf(test, `${name}?version=${version}`)).not.toHaveProperty('status');
    }
  });

  it('a changed query that cannot carry it on is refused whole', async () => {
    const name = fresh();
    await materialized(test, name);
    const refused = await test.rest('PATCH', `/endpoints/${name}`, {
      body: { query: 'SELECT rand() AS r' },
    });
    expect(refused.body).toMatchObject({ code: 'cannot_materialize' });
    expect(await statusOf(test, name)).toMatchObject({ version: 1, ready: true });
    const off = { query: 'SELECT rand() AS r', is_materialized: false };
    expect(await patch(test, name, off)).toMatchObject({ current_version: 2 });
    expect(await statusOf(test, `${name}?version=1`)).toMatchObject({ ready: true });
  });
});

describe('lists', () => {
  it('filter by it and show one that fails like any other', async () => {
    const name = fresh();
    await save(test, name, {
      is_materialized: true,
      query: 'SELECT throwIf(amount > 0) AS x FROM sales',
    });
    expect(await sync(test)).toEqual(['failed']);
    const { status, body } = await test.rest('GET', '/endpoints?is_materialized=true');
    expect(status).toBe(200);
    const results = body.results as readonly { name: string; materialization: object }[];
    expect(results.find((row) => row.name === name)?.materialization).toMatchObject({
      status: 'Failed',
      error: expect.any(String),
    });
    await test.rest('DELETE', `/endpoints/${name}`);
  });
});

describe('a sync on demand', () => {
  it('happens at once, and replaces the table', async () => {
    const name = fresh();
    await materialized(test, name);
    const before = await servedTables(test);
    test.clock.advance(1000);
    expect(await ask(test, 'sync', { name })).toMatchObject({
      data: { done: { nextSyncAt: test.clock.now().toISOString() } },
    });
    expect(await sync(test)).toEqual(['completed']);
    const after = await servedTables(test);
    expect(after).toHaveLength(before.length);
    expect(after).not.toEqual(before);
    expect((await statusOf(test, name)).history).toHaveLength(2);
  });

  it('is refused where it is off, to a read key and for what is not there', async () => {
    const name = fresh();
    await save(test, name);
    const code = (body: object) =>
      (body as { errors?: { extensions: { code: string } }[] }).errors?.[0]?.extensions.code;
    expect(code(await ask(test, 'sync', { name }))).toBe('invalid_input');
    expect(code(await ask(test, 'cancel', { name }))).toBe('invalid_input');
    expect(code(await ask(test, 'sync', { name: 'missing' }))).toBe('not_found');
    expect(code(await ask(test, 'sync', { name, version: 7 }))).toBe('version_not_found');
    const { body } = await test.graphql(
      'mutation { syncMaterialization(projectId: "@current", name: "bystander") { status } }',
      {},
      { key: test.project.readKey },
    );
    expect(code(body)).toBe('permission_denied');
  });

  it('keeps the newest 20 of the history', async () => {
    const name = fresh();
    await materialized(test, name);
    for (let turn = 0; turn < 21; turn += 1) {
      test.clock.advance(1000);
      await ask(test, 'sync', { name });
      await sync(test);
    }
    const { history } = await statusOf(test, name);
    expect(history).toHaveLength(20);
    const kept = await test.backends.metadata.prisma.materializationSync.count({
      where: { materialization: { version: { endpoint: { name } } } },
    });
    expect(kept).toBe(20);
    const id = (history as { id: string }[])[0]?.id;
    expect(id).toEqual(expect.any(String));
  });
});
