/** Freshness of a materialized version is the age of its rows, not of the read of them. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type EngineRelay, openEngineRelay } from '../support/engine-relay.ts';
import { eventually } from '../support/eventually.ts';
import type { TestApp } from '../support/test-app.ts';
import { plansByText } from './support/hand-plans.ts';
import {
  ask,
  materialized,
  ofCountry,
  openMaterializedApp,
  patch,
  run,
  sync,
} from './support/materialized.ts';

let relay: EngineRelay;
let test: TestApp;
let name = '';
let count = 0;
/** When the table was synced. */
let synced = '';
const hour = 3_600_000;

beforeAll(async () => {
  relay = await openEngineRelay();
  test = await openMaterializedApp(
    { planMaterialization: plansByText },
    { clickhouseUrl: relay.clickhouseUrl },
  );
});
afterAll(async () => {
  await test.close();
  await relay.close();
});

beforeEach(async () => {
  await sync(test);
  name = `f${++count}`;
  synced = test.clock.now().toISOString();
  await materialized(test, name, { query: ofCountry, sync_frequency: '1hour' });
});

const runDe = (more: object = {}) => run(test, name, { variables: { country: 'de' }, ...more });
const refreshed = () => eventually('it is refreshed', () => test.app.core.background.size() === 0);

describe('how old the rows are', () => {
  it('is counted from the sync, whether the rows are read now or cached', async () => {
    test.clock.advance(600_000);
    const body = { variables: { country: 'de' } };
    const read = await test.rest('POST', `/endpoints/${name}/run`, { body });
    expect(read.body).toMatchObject({ served_from: 'materialized', last_refresh: synced });
    expect(read.headers.get('age')).toBe('600');
    test.clock.advance(10_000);
    const kept = await test.rest('POST', `/endpoints/${name}/run`, { body });
    expect(kept.body).toMatchObject({ served_from: 'cache', last_refresh: synced });
    expect(kept.headers.get('age')).toBe('610');
    const direct = await runDe({ refresh: 'direct' });
    expect(direct).toMatchObject({ last_refresh: test.clock.now().toISOString() });
  });
});

describe('a maximum age', () => {
  it('reads a table that is younger, and the source data when it is not', async () => {
    test.clock.advance(59_999);
    const asked = { refresh: 'force', max_age_seconds: 60 };
    expect(await runDe(asked)).toMatchObject({ served_from: 'materialized', is_stale: false });
    test.clock.advance(1);
    expect(await runDe(asked)).toMatchObject({
      served_from: 'inline',
      inline_reason: 'max_age',
      is_stale: false,
      last_refresh: test.clock.now().toISOString(),
    });
    expect(await runDe({ refresh: 'force' })).toMatchObject({ served_from: 'materialized' });
  });

  it('never returns a cached read of an older table', async () => {
    test.clock.advance(120_000);
    await runDe();
    expect(await runDe({ max_age_seconds: 60 })).toMatchObject({
      is_cached: false,
      inline_reason: 'max_age',
    });
    expect(await runDe({ max_age_seconds: 60 })).toMatchObject({
      is_cached: true,
      served_from: 'cache',
      endpoint_materialized: false,
    });
  });
});

describe('stale while revalidating', () => {
  it('is the table that is too old for the caller, while the source data is read once', async () => {
    test.clock.advance(120_000);
    const asked = { max_age_seconds: 60, stale_while_revalidate_seconds: 600 };
    expect(await runDe(asked)).toMatchObject({
      served_from: 'materialized',
      inline_reason: null,
      is_stale: true,
      stale_reason: 'revalidating',
      last_refresh: synced,
    });
    await refreshed();
    expect(await runDe(asked)).toMatchObject({
      is_cached: true,
      is_stale: false,
      endpoint_materialized: false,
      last_refresh: test.clock.now().toISOString(),
    });
  });

  it('is the table that is past its cadence, until the time is over', async () => {
    test.clock.advance(hour + 59_999);
    const asked = { stale_while_revalidate_seconds: 60 };
    expect(await runDe(asked)).toMatchObject({ served_from: 'materialized', is_stale: true });
    await refreshed();
    test.clock.advance(hour);
    expect(await runDe(asked)).toMatchObject({ is_stale: false, inline_reason: 'stale' });
  });

  it('never reads the table that a sync has replaced', async () => {
    await runDe();
    await test.sql("INSERT INTO sales VALUES ('de', 100, '2026-03-01')");
    test.clock.advance(1000);
    await ask(test, 'sync', { name });
    expect(await sync(test)).toEqual(['completed']);
    const asked = { stale_while_revalidate_seconds: 86_400, stale_if_error_seconds: 86_400 };
    expect(await runDe(asked)).toMatchObject({
      is_cached: false,
      is_stale: false,
      results: [expect.anything(), expect.anything(), ['2026-03-01', 100]],
    });
    await test.sql('ALTER TABLE sales DELETE WHERE amount = 100 SETTINGS mutations_sync = 2');
  });

  it('never reads a table once materialization is off', async () => {
    await runDe();
    await patch(test, name, { is_materialized: false });
    expect(await runDe({ stale_while_revalidate_seconds: 86_400 })).toMatchObject({
      is_cached: false,
      endpoint_materialized: false,
    });
  });

  it('never serves an endpoint that was deleted', async () => {
    await runDe();
    await test.rest('DELETE', `/endpoints/${name}`);
    const { status } = await test.rest('POST', `/endpoints/${name}/run`, {
      body: {
        variables: { country: 'de' },
        stale_while_revalidate_seconds: 86_400,
        stale_if_error_seconds: 86_400,
      },
    });
    expect(status).toBe(404);
  });
});

describe('stale if error', () => {
  it('is the cached read of a table, also past its sync frequency', async () => {
    await runDe();
    const asked = { stale_if_error_seconds: 7200 };
    await relay.outage(async () => {
      test.clock.advance(301_000);
      expect(await runDe(asked)).toMatchObject({
        stale_reason: 'engine_unavailable',
        endpoint_materialized: true,
        last_refresh: synced,
      });
      test.clock.advance(hour);
      expect(await runDe(asked)).toMatchObject({
        stale_reason: 'engine_unavailable',
        endpoint_materialized: true,
        last_refresh: synced,
      });
      test.clock.advance(2 * hour);
      const { status } = await test.rest('POST', `/endpoints/${name}/run`, {
        body: { variables: { country: 'de' }, ...asked },
      });
      expect(status).toBe(503);
    });
  });
});
