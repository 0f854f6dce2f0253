/** The clock is set forward and back by hours: no age is negative, nothing is trusted for longer, nothing stays postponed. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openTestApp, type TestApp } from '../support/test-app.ts';

const hour = 3_600_000;
let test: TestApp;
let counter = 0;
let name = '';

beforeAll(async () => {
  test = await openTestApp();
  await test.sql('CREATE TABLE counted (n UInt32) ENGINE = MergeTree ORDER BY n');
  await test.sql('INSERT INTO counted VALUES (1)');
});
afterAll(() => test.close());
beforeEach(() => {
  counter += 1;
  name = `clock_${counter}`;
});

const save = async (more: object = {}) => {
  const body = { name, query: 'SELECT count() AS n FROM counted', ...more };
  const { status, text } = await test.rest('POST', '/endpoints', { body });
  expect(`${status} ${text}`).toMatch(/^201 /);
};
const run = () => test.rest('GET', `/endpoints/${name}/run`);
const insert = () => test.sql('INSERT INTO counted VALUES (1)');
const counted = async () => [[Number(await test.sql('SELECT count() FROM counted'))]];

function expectHonestAges(response: Awaited<ReturnType<typeof run>>): void {
  const now = test.clock.now().getTime();
  const maxAge = Number(/max-age=(-?\d+)/.exec(response.headers.get('cache-control') ?? '')?.[1]);
  expect(response.status).toBe(200);
  expect(Number(response.headers.get('age') ?? 0)).toBeGreaterThanOrEqual(0);
  expect(maxAge).toBeGreaterThanOrEqual(0);
  expect(Date.parse(String(response.body.last_refresh))).toBeLessThanOrEqual(now);
}

describe('a cached result', () => {
  it('is stale after a jump past its age, and computed again', async () => {
    await save({ cache_age_seconds: 60 });
    expectHonestAges(await run());
    await insert();
    test.clock.advance(6 * hour);
    const later = await run();
    expectHonestAges(later);
    expect(later.body).toMatchObject({ is_cached: false, results: await counted() });
  });

  it('of the future is computed again, and no age is negative', async () => {
    await save({ cache_age_seconds: 86_400 });
    await run();
    await insert();
    test.clock.advance(-6 * hour);
    const earlier = await run();
    expectHonestAges(earlier);
    expect(earlier.body).toMatchObject({ is_cached: false, results: await counted() });
    expectHonestAges(await run());
    test.clock.advance(6 * hour);
  });
});

describe('a key', () => {
  it('is refused while the clock is past its expiry, and accepted when the clock is set right', async () => {
    const expiresAt = new Date(test.clock.now().getTime() + hour);
    const { key } = await test.issueKey({
      scopes: ['endpoint:read'],
      projects: [test.project],
      expiresAt,
    });
    const ask = async () => (await test.rest('GET', '/endpoints', { key })).status;
    expect(await ask()).toBe(200);
    test.clock.advance(6 * hour);
    expect(await ask()).toBe(401);
    test.clock.advance(-6 * hour);
    expect(await ask()).toBe(200);
    test.clock.advance(-6 * hour);
    expect(await ask()).toBe(200);
    test.clock.advance(6 * hour);
  });
});

describe('a materialization', () => {
  const sync = async () => (await test.app.materialization.runOnce()).syncs;
  const status = async () =>
    (await test.rest('GET', `/endpoints/${name}/materialization_status`)).body;

  it('of the future is not served, and is made again once the sweep has looked', async () => {
    test.clock.advance(6 * hour);
    await save({ is_materialized: true, cache_age_seconds: 0, sync_frequency: '24hour' });
    expect(await sync()).toEqual(['completed']);
    test.clock.advance(-6 * hour);
    await insert();
    expect((await run()).body).toMatchObject({
      served_from: 'inline',
      inline_reason: 'stale',
      results: await counted(),
    });
    expect(await sync()).toEqual([]);
    await test.app.materialization.sweep();
    expect(await sync()).toEqual(['completed']);
    expect((await run()).body).toMatchObject({
      served_from: 'materialized',
      results: await counted(),
    });
    expect(Date.parse(String((await status()).next_sync_at))).toBeLessThanOrEqual(
      test.clock.now().getTime() + 24 * hour,
    );
  });

  it('of a clock a little ahead is served: clocks of two processes differ', async () => {
    test.clock.advance(20_000);
    await save({ is_materialized: true, cache_age_seconds: 0 });
    expect(await sync()).toEqual(['completed']);
    test.clock.advance(-20_000);
    expect((await run()).body).toMatchObject({ served_from: 'materialized' });
    test.clock.advance(20_000);
  });

  it('that a dead process claimed by a clock ahead is claimed again', async () => {
    await save({ is_materialized: true, cache_age_seconds: 0 });
    const claim = (now: Date) =>
      test.app.core.materializations.claimDueSync({ now, owner: 'dead', leaseMs: 60_000 });
    const wrong = new Date(test.clock.now().getTime() + 6 * hour);
    expect((await claim(wrong))?.endpointName).toBe(name);
    expect(await sync()).toEqual(['completed']);
  });

  it('that another process works on is left to it', async () => {
    await save({ is_materialized: true, cache_age_seconds: 0 });
    const ahead = new Date(test.clock.now().getTime() + 29_000);
    const held = { now: ahead, owner: 'alive', leaseMs: 60_000 };
    expect((await test.app.core.materializations.claimDueSync(held))?.endpointName).toBe(name);
    expect(await sync()).toEqual([]);
    await test.rest('DELETE', `/endpoints/${name}`);
  });

  it('is due after a jump forward, and its old table is not served meanwhile', async () => {
    await save({ is_materialized: true, cache_age_seconds: 0, sync_frequency: '1hour' });
    expect(await sync()).toEqual(['completed']);
    test.clock.advance(6 * hour);
    expect((await run()).body).toMatchObject({ served_from: 'inline', inline_reason: 'stale' });
    expect(await sync()).toContain('completed');
    expect((await run()).body).toMatchObject({ served_from: 'materialized' });
  });
});

describe('the audit log', () => {
  it('keeps the order of what was done while the clock goes back', async () => {
    await save();
    test.clock.advance(-6 * hour);
    await test.rest('PATCH', `/endpoints/${name}`, { body: { description: 'later' } });
    test.clock.advance(6 * hour);
    const { body } = await test.graphql(
      'query ($f: AuditFilter) { auditLog(projectId: "@current", filter: $f) { edges { node { action } } } }',
      { f: { endpoint: name } },
    );
    expect(body.data).toMatchObject({
      auditLog: {
        edges: [{ node: { action: 'endpoint.update' } }, { node: { action: 'endpoint.create' } }],
      },
    });
  });
});
