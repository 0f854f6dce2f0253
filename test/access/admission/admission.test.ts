/** Who gets a place at the engine, who waits and who is refused. Held by blocking queries, not by time. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Config } from '../../../src/config/config.ts';
import { eventually } from '../../support/eventually.ts';
import { type BusyApp, openBusyApp, type QuickOptions } from '../support/busy.ts';

let test: BusyApp;

/** The service of one group of tests. The clock stands still, so no queue is ever an overload by itself. */
function withService(settings: Partial<Config>): void {
  beforeAll(async () => {
    test = await openBusyApp({ engineCores: 2, ...settings });
  });
  afterEach(() => test.freeAll());
  afterAll(() => test.close());
}

/** Starts the runs one after the other, each once the one before waits; answers the order in which they end. */
async function queueUp(runs: Readonly<Record<string, QuickOptions>>) {
  const order: string[] = [];
  const responses: Promise<unknown>[] = [];
  const before = test.app.core.admission.waiting();
  for (const [name, options] of Object.entries(runs)) {
    responses.push(test.quick(options).then(() => order.push(name)));
    await test.untilWaiting(before + responses.length);
  }
  return { order, all: () => Promise.all(responses) };
}

const quickRuns = async () => {
  await test.app.core.recorder.flush();
  const where = { projectId: test.project.id, endpointName: 'quick' };
  return test.backends.metadata.prisma.queryStatus.count({ where });
};

const tooMany = {
  status: 429,
  body: { type: 'throttled_error', code: 'too_many_concurrent_queries' },
};
const capacity = {
  status: 503,
  body: { type: 'server_error', code: 'query_capacity', attr: null },
};

describe('runs that wait for the only slot', () => {
  // No deadline that could take the place of what is tested.
  withService({ maxEngineQueries: 1, queueSeconds: 600 });

  it('are served project by project, and within a project in the order in which they came', async () => {
    const { other: project } = test;
    const blocker = await test.block();
    const { order, all } = await queueUp({
      a1: {},
      a2: {},
      a3: {},
      b1: { project },
      b2: { project },
    });
    await blocker.free();
    await all();
    expect(order).toEqual(['b1', 'a1', 'b2', 'a2', 'a3']);
  });

  it('leave the queue when their caller goes away, and are never sent to the engine', async () => {
    const before = await quickRuns();
    const blocker = await test.block();
    const away = new AbortController();
    const gone = test.quick({ signal: away.signal });
    await test.untilWaiting(1);
    const { order, all } = await queueUp({ stays: {} });
    away.abort();
    expect((await gone).body).toMatchObject({ code: 'query_cancelled' });
    await test.untilWaiting(1);
    await blocker.free();
    await all();
    expect(order).toEqual(['stays']);
    expect(await quickRuns()).toBe(before + 1);
  });

  it('share one slot when they are the same run, also when the first caller goes away', async () => {
    const blocker = await test.block();
    const away = new AbortController();
    const first = test.quick({ n: 7, signal: away.signal });
    await test.untilWaiting(1);
    const second = test.quick({ n: 7 });
    // A bystander that waits shows that the second, sent before it, has been read.
    const bystander = test.quick({ n: 8 });
    await test.untilWaiting(2);
    away.abort();
    expect((await first).body).toMatchObject({ code: 'query_cancelled' });
    await blocker.free();
    expect((await second).body).toMatchObject({ results: [[7]] });
    expect((await bystander).body).toMatchObject({ results: [[8]] });
  });

  it('are found by the id of their caller once they have run', async () => {
    const blocker = await test.block();
    const ask = (id: string) =>
      test.rest('POST', '/endpoints/quick/run', {
        body: { variables: { n: 5 }, refresh: 'force', client_query_id: id },
      });
    const first = ask('first');
    await test.untilWaiting(1);
    const second = ask('second');
    const { pendingCallers: waiters } = test.app.core;
    await eventually('both wait', () => waiters.find(test.project.id, 'second') !== null);
    await blocker.free();
    const { execution_id: executionId } = (await first).body;
    expect((await second).body).toMatchObject({ execution_id: executionId });
    for (const id of ['first', 'second']) {
      const status = await test.graphql(
        'query ($id: ID!) { queryStatus(projectId: "@current", id: $id) { id complete } }',
        { id },
      );
      expect(status.body.data).toEqual({ queryStatus: { id: executionId, complete: true } });
    }
  });

  it('do not delay reads of a stored table', async () => {
    const body = { name: 'stored', query: 'SELECT 1 AS n', is_materialized: true };
    await test.rest('POST', '/endpoints', { body });
    await test.app.materialization.runOnce();
    const blocker = await test.block();
    const waits = test.quick();
    await test.untilWaiting(1);
    const read = await test.rest('POST', '/endpoints/stored/run', { body: { refresh: 'force' } });
    expect(read.body).toMatchObject({ results: [[1]], endpoint_materialized: true });
    expect(test.app.core.admission.waiting()).toBe(1);
    await blocker.free();
    expect((await waits).status).toBe(200);
  });

  it('are refused once the queue stands and they would not be served soon', async () => {
    const slow = await test.block();
    test.clock.advance(100_000);
    await slow.free();
    const blocker = await test.block();
    const waits = test.quick();
    await test.untilWaiting(1);
    test.clock.advance(1000);
    const refused = await test.quick();
    expect(refused).toMatchObject(tooMany);
    const waitSeconds = Number(refused.headers.get('retry-after'));
    expect(waitSeconds).toBeGreaterThan(5);
    expect(waitSeconds).toBeLessThanOrEqual(60);
    // The other project has no queue of its own.
    const others = test.quick({ project: test.other });
    await test.untilWaiting(2);
    await blocker.free();
    expect((await waits).status).toBe(200);
    expect((await others).status).toBe(200);
    expect((await test.quick()).status).toBe(200);
  });
});

describe('a line that stands while ever more come', () => {
  withService({ maxEngineQueries: 1 });

  it('sends away who has waited for too long once more were refused than wait', async () => {
    const slow = await test.block();
    test.clock.advance(10_000);
    await slow.free();
    const blocker = await test.block();
    const late = test.quick();
    await test.untilWaiting(1);
    test.clock.advance(2000);
    expect(await test.quick()).toMatchObject(tooMany);
    expect(test.app.core.admission.waiting()).toBe(1);
    expect(await test.quick()).toMatchObject(tooMany);
    expect(await late).toMatchObject(tooMany);
    expect(test.app.core.admission.waiting()).toBe(0);
    await blocker.free();
    expect((await test.quick()).status).toBe(200);
  });
});

describe('runs that have waited until the deadline', () => {
  withService({ maxEngineQueries: 1, queueSeconds: 1 });

  it('get an error that names whose limit it was, and the next run goes on', async () => {
    const blocker = await test.block();
    const [own, others] = await Promise.all([test.quick(), test.quick({ project: test.other })]);
    expect(own).toMatchObject(tooMany);
    expect(others).toMatchObject(capacity);
    expect(test.app.core.admission.waiting()).toBe(0);
    await blocker.free();
    expect((await test.quick()).status).toBe(200);
  });
});

describe('a project', () => {
  withService({ maxEngineQueries: 4 });

  it('never takes the last slot, so that another project gets one at once', async () => {
    const blockers = [await test.block(), await test.block(), await test.block()];
    const own = test.quick();
    await test.untilWaiting(1);
    expect((await test.quick({ project: test.other })).status).toBe(200);
    expect(test.app.core.admission.running()).toBe(3);
    expect(test.app.core.admission.waiting()).toBe(1);
    await blockers[0]?.free();
    expect((await own).status).toBe(200);
  });
});

describe('a project at its own limits', () => {
  withService({ maxEngineQueries: 8, maxConcurrentQueries: 2, maxQueuedQueries: 1 });

  it('is refused by both interfaces alike, and another is not', async () => {
    const blockers = [await test.block(), await test.block()];
    const waits = test.quick();
    await test.untilWaiting(1);
    const refused = await test.quick();
    expect(refused).toMatchObject(tooMany);
    expect(refused.headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
    const asGraphql = await test.graphql(
      '{ runEndpoint(projectId: "@current", name: "quick", input: { variables: { n: 99 } }) { isCached } }',
    );
    expect(asGraphql.body.errors?.[0]?.extensions).toMatchObject({
      code: 'too_many_concurrent_queries',
      type: 'throttled_error',
      retryAfter: Number(refused.headers.get('retry-after')),
    });
    expect((await test.quick({ project: test.other })).status).toBe(200);
    await blockers[0]?.free();
    expect((await waits).status).toBe(200);
  });

  it('returns a cached result without waiting', async () => {
    const blockers = [await test.block(), await test.block()];
    const waits = test.quick();
    await test.untilWaiting(1);
    const kept = await test.rest('POST', '/endpoints/quick/run', { body: { variables: { n: 0 } } });
    expect(kept.body).toMatchObject({ is_cached: true });
    await blockers[0]?.free();
    expect((await waits).status).toBe(200);
  });

  it('shares the processors among its queries, and goes first while it has less than its share', async () => {
    const settings = async (project = test.project) => {
      const rows = await test.sql(
        `SELECT Settings['priority'], coalesce(nullIf(Settings['max_threads'], ''), toString(getSetting('max_threads'))) FROM system.processes WHERE user = 'project_${project.id}_reader' ORDER BY elapsed DESC`,
      );
      return rows.trim().split('\n').join();
    };
    await test.block();
    await eventually('it runs', async () => (await settings()) === '2\t2');
    await test.block();
    await eventually('both run', async () => (await settings()) === '2\t2,2\t1');
    await test.block(test.other);
    await eventually('it runs', async () => (await settings(test.other)) === '1\t1');
    await test.block(test.other);
    await eventually('both run', async () => (await settings(test.other)) === '1\t1,2\t1');
  });
});

describe('the engine as a whole', () => {
  withService({ maxEngineQueries: 1, maxQueuedInAll: 1 });

  it('has a line of bounded length; past it also a project that has nothing there is refused', async () => {
    const blocker = await test.block();
    const waits = test.quick();
    await test.untilWaiting(1);
    const refused = await test.quick({ project: test.other });
    expect(refused).toMatchObject(capacity);
    expect(refused.headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
    await blocker.free();
    expect((await waits).status).toBe(200);
  });

  it('reports in its metrics what runs, what waits and what was refused', async () => {
    const metrics = async () => (await test.rest('GET', '/api/../metrics', { key: null })).text;
    const blocker = await test.block();
    const waits = test.quick();
    await test.untilWaiting(1);
    await test.quick();
    const text = await metrics();
    expect(text).toContain('querydock_engine_queries 1\n');
    expect(text).toContain('querydock_runs_waiting 1\n');
    expect(text).toContain(
      `querydock_shed_runs_total{project="${test.project.id}",path="inline",reason="queue_full"} 1\n`,
    );
    await blocker.free();
    await waits;
    expect(await metrics()).toMatch(/querydock_queue_seconds_count\{path="inline"\} [1-9]/);
  });
});
