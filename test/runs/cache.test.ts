/** When a kept result answers, when the engine does, and what both say of it. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { change, executions, openSalesApp, run, save } from '../rest/support/sales.ts';
import type { TestApp } from '../support/test-app.ts';

const noon = '2026-03-01T12:00:00.000Z';
let test: TestApp;
let name: string;
let number = 0;

beforeAll(async () => {
  test = await openSalesApp();
});
afterAll(() => test.close());

beforeEach(async () => {
  test.clock.set(noon);
  number += 1;
  name = `cached_${number}`;
  await save(test, name, { query: 'SELECT count() AS n FROM sales', cache_age_seconds: 60 });
});

const sell = () => test.sql("INSERT INTO sales VALUES ('at', 1, '2026-01-01', NULL)");

async function answer(body: Readonly<Record<string, unknown>> = {}) {
  const { results, is_cached } = await run(test, name, body);
  const [[n]] = results as [[number]];
  return { n, is_cached };
}

describe('refresh cache', () => {
  it('returns the cached result within the cache age and computes after it', async () => {
    const { n } = await answer();
    await sell();
    test.clock.advance(59_999);
    expect(await answer()).toEqual({ n, is_cached: true });
    test.clock.advance(1);
    expect(await answer()).toEqual({ n: n + 1, is_cached: false });
    expect(await answer()).toEqual({ n: n + 1, is_cached: true });
    expect(await executions(test, name)).toBe(2);
  });

  it('is what a run without refresh means', async () => {
    await answer({ refresh: 'cache' });
    expect(await answer()).toMatchObject({ is_cached: true });
  });

  it('shows when the rows were computed, and until when they are fresh', async () => {
    await answer();
    test.clock.advance(30_000);
    expect(await run(test, name)).toMatchObject({
      is_cached: true,
      last_refresh: noon,
      cache_target_age: '2026-03-01T12:01:00.000Z',
      next_allowed_client_refresh: '2026-03-01T12:01:00.000Z',
    });
  });

  it('never caches a version of cache age 0', async () => {
    await change(test, name, { cache_age_seconds: 0 });
    expect(await answer()).toMatchObject({ is_cached: false });
    expect(await answer()).toMatchObject({ is_cached: false });
    expect(await executions(test, name)).toBe(2);
    expect(await run(test, name)).toMatchObject({ last_refresh: noon, cache_target_age: noon });
  });

  it('applies the server’s default to a version without a cache age', async () => {
    await change(test, name, { cache_age_seconds: null });
    await answer();
    test.clock.advance(299_999);
    expect(await answer()).toMatchObject({ is_cached: true });
    test.clock.advance(1);
    expect(await answer()).toMatchObject({ is_cached: false });
  });

  it('applies a new cache age at once, to results that are cached already', async () => {
    await answer();
    test.clock.advance(10_000);
    await change(test, name, { cache_age_seconds: 10 });
    expect(await answer()).toMatchObject({ is_cached: false });
    test.clock.advance(10_000);
    await change(test, name, { cache_age_seconds: 86_400 });
    expect(await answer()).toMatchObject({ is_cached: true });
  });

  it('caches versions apart', async () => {
    await answer();
    await change(test, name, { query: 'SELECT 7 AS n' });
    expect(await answer()).toEqual({ n: 7, is_cached: false });
    expect(await answer({ version: 1 })).toMatchObject({ is_cached: true });
  });

  it('uses the cache age of the version that runs', async () => {
    await change(test, name, { query: 'SELECT 7 AS n', cache_age_seconds: 0 });
    await answer({ version: 1 });
    await answer();
    test.clock.advance(30_000);
    expect(await answer({ version: 1 })).toMatchObject({ is_cached: true });
    expect(await answer()).toMatchObject({ is_cached: false });
  });

  it('does not serve the other project', async () => {
    await answer();
    await save(test, name, { query: 'SELECT count() AS n FROM sales' }, test.other);
    const other = await test.rest('POST', `/endpoints/${name}/run`, { project: test.other });
    expect(other.body).toMatchObject({ results: [[1]], is_cached: false });
  });

  it('shares results between both interfaces, both methods and all keys', async () => {
    await answer();
    const get = await test.rest('GET', `/endpoints/${name}/run`, { key: test.project.readKey });
    expect(get.body).toMatchObject({ is_cached: true });
    const document =
      'query Run($id: ID!, $name: String!) { runEndpoint(projectId: $id, name: $name) { isCached } }';
    const { body } = await test.graphql(document, { id: test.project.id, name });
    expect(body).toEqual({ data: { runEndpoint: { isCached: true } } });
  });

  it('caches no failure', async () => {
    await save(test, `failing_${name}`, {
      query: "SELECT throwIf(count() = 0, 'none yet') AS x FROM sales WHERE country = 'zz'",
    });
    const path = `/endpoints/failing_${name}/run`;
    expect((await test.rest('POST', path)).body).toMatchObject({ code: 'query_failed' });
    await test.sql("INSERT INTO sales VALUES ('zz', 1, '2026-01-01', NULL)");
    expect((await test.rest('POST', path)).body).toMatchObject({ is_cached: false });
    await test.sql("ALTER TABLE sales DELETE WHERE country = 'zz' SETTINGS mutations_sync = 1");
  });
});

describe('refresh force', () => {
  it('computes although a fresh result is cached, and refills the cache', async () => {
    const { n } = await answer();
    await sell();
    expect(await answer({ refresh: 'force' })).toEqual({ n: n + 1, is_cached: false });
    expect(await answer()).toEqual({ n: n + 1, is_cached: true });
  });
});

describe('refresh direct', () => {
  it('is refused while the version is not materialized', async () => {
    await answer();
    const { status, body } = await test.rest('POST', `/endpoints/${name}/run`, {
      body: { refresh: 'direct' },
    });
    expect(status).toBe(400);
    expect(body).toMatchObject({ code: 'invalid_input', attr: 'refresh' });
    expect(await executions(test, name)).toBe(1);
  });
});

describe('debug', () => {
  const debugged = {
    cache_key: expect.any(String),
    query: 'SELECT count() AS n FROM sales',
    timings: [
      { name: 'engine', seconds: expect.any(Number) },
      { name: 'total', seconds: expect.any(Number) },
    ],
    query_progress: {
      active_cpu_time: expect.any(Number),
      bytes_read: expect.any(Number),
      estimated_rows_total: expect.any(Number),
      rows_read: expect.any(Number),
      time_elapsed: expect.any(Number),
    },
    inline_reason: null,
  };

  it('adds exactly the debug members, for a computed and for a cached result', async () => {
    const plain = await run(test, name);
    expect(await run(test, name, { debug: true })).toEqual({
      ...plain,
      is_cached: true,
      ...debugged,
      served_from: 'cache',
    });
    const forced = await run(test, name, { debug: true, refresh: 'force' });
    expect(forced).toEqual({
      ...plain,
      execution_id: forced.execution_id,
      ...debugged,
      served_from: 'inline',
    });
  });

  it('shows how many rows were read', async () => {
    await save(test, `reads_${name}`, { query: 'SELECT sum(amount) AS n FROM sales' });
    const { body } = await test.rest('POST', `/endpoints/reads_${name}/run`, {
      body: { debug: true },
    });
    const { rows_read, bytes_read } = body.query_progress as Record<string, number>;
    const [[count]] = (await run(test, name)).results as [[number]];
    expect(rows_read).toBe(count);
    expect(bytes_read).toBeGreaterThan(0);
  });

  it('shows the query with its parameters and never with their values', async () => {
    await save(test, `secret_${name}`, { query: 'SELECT {token:String} AS t' });
    const { body } = await test.rest('POST', `/endpoints/secret_${name}/run`, {
      body: { debug: true, variables: { token: 'hunter2' } },
    });
    expect(body.query).toBe('SELECT {token:String} AS t');
  });

  it('has one cache key for equal runs and others for others', async () => {
    const keyOf = async (body: object) =>
      (await run(test, name, { ...body, debug: true })).cache_key;
    const key = await keyOf({});
    expect(await keyOf({ refresh: 'force', client_query_id: 'x' })).toBe(key);
    expect(await keyOf({ limit: 1 })).not.toBe(key);
    expect(await keyOf({ offset: 1 })).not.toBe(key);
    expect(await keyOf({ integers: 'string' })).not.toBe(key);
  });

  it('is left out when it is not requested', async () => {
    expect(await run(test, name, { debug: false })).not.toHaveProperty('cache_key');
  });
});
