import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { TestApp } from '../../support/test-app.ts';
import {
  byCountry,
  expectBystander,
  materialized,
  openWithBystander,
  patch,
  run,
  save,
  statusOf,
  sync,
} from '../support/materialized.ts';

let test: TestApp;
beforeAll(async () => {
  test = await openWithBystander();
});
afterAll(() => test.close());
afterEach(() => expectBystander(test));

let count = 0;
const fresh = (): string => `e${++count}`;

describe('turning it on', () => {
  it('is Modified and due at once, then Completed with rows, bytes and the next sync', async () => {
    const name = fresh();
    const created = await save(test, name, { is_materialized: true, sync_frequency: '1hour' });
    const now = test.clock.now();
    expect(created).toMatchObject({
      is_materialized: true,
      materialization: {
        status: 'Modified',
        can_materialize: true,
        reason: null,
        last_materialized_at: null,
        error: null,
        sync_frequency: '1hour',
        next_sync_at: now.toISOString(),
        ready: false,
      },
    });
    expect(await sync(test)).toEqual(['completed']);
    expect(await statusOf(test, name)).toMatchObject({
      name,
      version: 1,
      status: 'Completed',
      can_materialize: true,
      reason: null,
      last_materialized_at: now.toISOString(),
      error: null,
      sync_frequency: '1hour',
      next_sync_at: expect.any(String),
      rows: 6,
      bytes: expect.any(Number),
      ready: true,
      progress: null,
      history: [{ outcome: 'completed', error: null, rows: 6 }],
    });
    const next = Date.parse(String((await statusOf(test, name)).next_sync_at));
    expect(next - now.getTime()).toBeGreaterThan(3_600_000 / 2);
    expect(next - now.getTime()).toBeLessThan(3_600_000);
  });

  it('works by PATCH, and by GraphQL', async () => {
    const name = fresh();
    await save(test, name);
    expect(await patch(test, name, { is_materialized: true })).toMatchObject({
      is_materialized: true,
      materialization: { status: 'Modified', sync_frequency: '24hour' },
    });
    const { body } = await test.graphql(
      'mutation ($name: String!) { updateEndpoint(projectId: "@current", name: $name, input: {isMaterialized: false}) { isMaterialized materialization { status canMaterialize } } }',
      { name },
    );
    expect(body.data).toEqual({
      updateEndpoint: {
        isMaterialized: false,
        materialization: { status: null, canMaterialize: true },
      },
    });
    expect(await sync(test)).toEqual([]);
  });

  it('twice changes nothing', async () => {
    const name = fresh();
    await materialized(test, name);
    const before = await statusOf(test, name);
    test.clock.advance(1000);
    await patch(test, name, { is_materialized: true });
    expect(await statusOf(test, name)).toEqual(before);
    expect(await sync(test)).toEqual([]);
  });

  it('is refused with the planner’s reason, and nothing is created or changed', async () => {
    const refusing = { query: 'SELECT rand() AS r', is_materialized: true };
    const name = fresh();
    const created = await test.rest('POST', '/endpoints', { body: { name, ...refusing } });
    expect(created.status).toBe(400);
    expect(created.body).toMatchObject({
      code: 'cannot_materialize',
      attr: 'is_materialized',
      detail: expect.stringContaining('Cannot materialize endpoint'),
    });
    expect((await test.rest('GET', `/endpoints/${name}`)).status).toBe(404);
    const saved = await save(test, name, { query: refusing.query });
    expect(saved.materialization).toEqual({
      can_materialize: false,
      reason: expect.stringMatching(/\.$/),
    });
    const patched = await test.rest('PATCH', `/endpoints/${name}`, {
      body: { is_materialized: true, description: 'x' },
    });
    expect(patched.body).toMatchObject({ code: 'cannot_materialize' });
    expect((await test.rest('GET', `/endpoints/${name}`)).body).toMatchObject({ description: '' });
  });

  it.each(['endpoint', 'version'])('is refused while the %s is inactive', async (what) => {
    const name = fresh();
    await save(test, name);
    const path = what === 'endpoint' ? name : `${name}?version=1`;
    await patch(test, path, { is_active: false });
    const refused = await test.rest('PATCH', `/endpoints/${path}`, {
      body: { is_materialized: true },
    });
    expect(refused.status).toBe(400);
    expect(refused.body).toMatchObject({ code: 'cannot_materialize', attr: 'is_materialized' });
    const both = { is_materialized: true, is_active: false };
    const body = { name: fresh(), query: byCountry, ...both };
    expect((await test.rest('POST', '/endpoints', { body })).body).toMatchObject({
      code: 'cannot_materialize',
    });
    await patch(test, path, { is_active: true, is_materialized: true });
    expect(await sync(test)).toEqual(['completed']);
  });
});

describe('the cadence', () => {
  it('stays through every PATCH that does not name it', async () => {
    const name = fresh();
    await materialized(test, name, { sync_frequency: '7day' });
    for (const body of [
      { description: 'new' },
      { cache_age_seconds: 5 },
      { is_materialized: true },
      { is_active: true },
      { query: `${byCountry} LIMIT 3` },
    ]) {
      await patch(test, name, body);
      expect(await statusOf(test, name)).toMatchObject({ sync_frequency: '7day' });
    }
    expect(await statusOf(test, `${name}?version=1`)).toMatchObject({ sync_frequency: '7day' });
    await sync(test);
  });

  it('counts from the table there is: Modified until the next sync', async () => {
    const name = fresh();
    await materialized(test, name, { sync_frequency: '24hour' });
    test.clock.advance(60_000);
    await patch(test, name, { sync_frequency: '1hour' });
    const status = await statusOf(test, name);
    expect(status).toMatchObject({ status: 'Modified', sync_frequency: '1hour', ready: true });
    const due = Date.parse(String(status.next_sync_at)) - test.clock.now().getTime();
    expect(due).toBeLessThan(3_600_000);
    expect(await sync(test)).toEqual([]);
    test.clock.advance(due);
    expect(await sync(test)).toContain('completed');
    expect(await statusOf(test, name)).toMatchObject({ status: 'Completed' });
  });

  it.each([
    ['an unknown one', { sync_frequency: '1min' }],
    ['one while it is turned off', { sync_frequency: '1hour', is_materialized: false }],
  ])('refuses %s', async (_what, body) => {
    const name = fresh();
    await materialized(test, name);
    const before = await statusOf(test, name);
    const refused = await test.rest('PATCH', `/endpoints/${name}`, { body });
    expect(refused.body).toMatchObject({ code: 'invalid_input', attr: 'sync_frequency' });
    expect(await statusOf(test, name)).toEqual(before);
  });
});

describe('a query that can no longer be materialized', () => {
  it('is read from the source after the next sync, which drops its table', async () => {
    const name = fresh();
    await test.sql(
      'CREATE TABLE prices (k String, n Int32) ENGINE = MergeTree ORDER BY k AS SELECT toString(number % 2), number FROM numbers(9)',
    );
    const query =
      'SELECT n, min(-n) OVER (PARTITION BY k) AS least FROM prices WHERE k = {k:String} ORDER BY n';
    await materialized(test, name, { query, sync_frequency: '1hour' });
    const last = () => run(test, name, { variables: { k: '1' }, limit: 1, refresh: 'force' });
    expect(await last()).toMatchObject({ served_from: 'materialized', results: [[1, -7]] });
    await test.sql('ALTER TABLE prices MODIFY COLUMN n Float64');
    test.clock.advance(3_600_000);
    expect(await sync(test)).toContain('failed');
    expect(await statusOf(test, name)).toMatchObject({
      status: 'Failed',
      ready: false,
      error: expect.stringContaining('0 or -0'),
    });
    expect(await last()).toMatchObject({ served_from: 'inline', results: [[1, -7]] });
    await patch(test, name, { is_materialized: false });
  });
});
