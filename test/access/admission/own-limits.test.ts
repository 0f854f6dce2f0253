/** What a project, and a key within it, may take less than the server allows: set, seen and enforced. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { eventually } from '../../support/eventually.ts';
import { type BusyApp, openBusyApp } from '../support/busy.ts';

let test: BusyApp;

const server = {
  executionSeconds: 20,
  memoryBytes: 1_000_000_000,
  resultRows: 1000,
  resultBytes: 10_000_000,
  concurrentQueries: 4,
  queuedQueries: 4,
};
const none = {
  executionSeconds: null,
  memoryBytes: null,
  resultRows: null,
  resultBytes: null,
  concurrentQueries: null,
  queuedQueries: null,
};
const names = Object.keys(server).join(' ');

beforeAll(async () => {
  test = await openBusyApp({
    engineCores: 2,
    maxEngineQueries: 16,
    queryTimeoutSeconds: server.executionSeconds,
    queryMemoryBytes: server.memoryBytes,
    maxRows: server.resultRows,
    maxResultBytes: server.resultBytes,
    maxConcurrentQueries: server.concurrentQueries,
    maxQueuedQueries: server.queuedQueries,
  });
  for (const [name, query] of Object.entries({
    memory: 'SELECT length(groupArray(number)) AS n FROM numbers(20000000)',
    rows: 'SELECT number AS n FROM numbers(500)',
    bytes: "SELECT repeat('x', 1000) AS text FROM numbers(400)",
  })) {
    for (const project of [test.project, test.other]) {
      await test.rest('POST', '/endpoints', { project, body: { name, query } });
    }
  }
});
beforeEach(async () => {
  await test.freeAll();
  expect((await setLimits(none)).errors).toBeUndefined();
});
afterAll(() => test.close());

async function setLimits(limits: object, key = test.adminKey) {
  const document = `mutation ($id: ID!, $limits: LimitsInput!) {
    setProjectLimits(projectId: $id, limits: $limits) { limits { ${names} } ownLimits { ${names} } }
  }`;
  return (await test.graphql(document, { id: test.project.id, limits }, { key })).body;
}

async function issue(limits: object, projectIds = [test.project.id]) {
  const input = { label: 'small', scopes: ['endpoint:read'], projectIds, limits };
  const document =
    'mutation ($input: CreateApiKeyInput!) { createApiKey(input: $input) { id key } }';
  const { body } = await test.graphql(document, { input }, { key: test.adminKey });
  return { errors: body.errors, ...(body.data?.createApiKey as { id: string; key: string }) };
}

const run = (name: string, body: object = {}, key = test.project.readKey, project = test.project) =>
  test.rest('POST', `/endpoints/${name}/run`, { body, key, project });

describe('limits of a project', () => {
  it('are those of the server until it has its own, and again when they are taken back', async () => {
    const own = { executionSeconds: 5, resultRows: 10 };
    expect((await setLimits(own)).data).toEqual({
      setProjectLimits: { limits: { ...server, ...own }, ownLimits: { ...none, ...own } },
    });
    expect((await setLimits({ executionSeconds: null })).data).toEqual({
      setProjectLimits: {
        limits: { ...server, resultRows: 10 },
        ownLimits: { ...none, resultRows: 10 },
      },
    });
    const { body } = await test.graphql(
      `query ($id: ID!) { project(id: $id) { limits { ${names} } } }`,
      { id: test.other.id },
      { key: test.other.readKey },
    );
    expect(body.data).toEqual({ project: { limits: server } });
  });

  it.each([
    [{ executionSeconds: 21 }, 'execution_seconds', 'from 1 to 20'],
    [{ executionSeconds: 0 }, 'execution_seconds', 'from 1 to 20'],
    [{ resultRows: 1.5 }, 'result_rows', 'an integer'],
    [{ memoryBytes: 1000 }, 'memory_bytes', 'from 67108864 to 1000000000'],
    [{ resultBytes: 10_000_001 }, 'result_bytes', 'from 65536 to 10000000'],
    [{ concurrentQueries: 0 }, 'concurrent_queries', 'from 1 to 4'],
    [{ queuedQueries: -1 }, 'queued_queries', 'from 0 to 4'],
  ])('are refused when they are %j', async (limits, name, words) => {
    const { errors } = await setLimits({ resultRows: 7, ...limits });
    expect(errors).toMatchObject([
      {
        message: expect.stringContaining(words),
        extensions: { code: 'invalid_input', attr: `limits.${name}` },
      },
    ]);
    expect((await setLimits({ queuedQueries: null })).data).toMatchObject({
      setProjectLimits: { ownLimits: none },
    });
  });

  it('are refused when none is named, and to everybody but administrators', async () => {
    expect((await setLimits({})).errors).toMatchObject([{ extensions: { attr: 'limits' } }]);
    expect((await setLimits({ resultRows: 5 }, test.project.writeKey)).errors).toMatchObject([
      { extensions: { code: 'permission_denied' } },
    ]);
    expect((await run('rows')).body).toMatchObject({ limit: 1000 });
  });

  it('hold for rows, in the result and as the most that may be requested', async () => {
    await setLimits({ resultRows: 10 });
    expect((await run('rows')).body).toMatchObject({ limit: 10, hasMore: true });
    expect((await run('rows', { limit: 400 })).body).toMatchObject({ limit: 10, hasMore: true });
    expect((await run('rows', { limit: 3 })).body).toMatchObject({ limit: 3, hasMore: true });
    const other = await run('rows', {}, test.other.readKey, test.other);
    expect(other.body).toMatchObject({ limit: 1000, hasMore: false });
  });

  it('hold for bytes, also for a cached result that is larger', async () => {
    expect((await run('bytes')).status).toBe(200);
    await setLimits({ resultBytes: 100_000 });
    for (const refresh of ['cache', 'force']) {
      const refused = await run('bytes', { refresh });
      expect(refused).toMatchObject({ status: 400, body: { code: 'query_too_large' } });
    }
    expect((await run('bytes', { limit: 50 })).status).toBe(200);
    expect((await run('bytes', {}, test.other.readKey, test.other)).status).toBe(200);
  });

  it('hold for memory and time, at the engine', async () => {
    expect((await run('memory', { refresh: 'force' })).status).toBe(200);
    await setLimits({ memoryBytes: 67_108_864 });
    expect((await run('memory', { refresh: 'force' })).body).toMatchObject({
      code: 'query_memory_limit',
    });
    await setLimits({ executionSeconds: 1 });
    expect((await run('endless', { variables: { n: 9_000_001 } })).body).toMatchObject({
      code: 'query_timeout',
    });
    const other = await run('memory', { refresh: 'force' }, test.other.readKey, test.other);
    expect(other.status).toBe(200);
  });

  it('hold for what runs at once and what waits', async () => {
    await setLimits({ concurrentQueries: 1, queuedQueries: 1 });
    const blocker = await test.block();
    const waits = test.quick();
    await test.untilWaiting(1);
    expect((await test.quick()).body).toMatchObject({ code: 'too_many_concurrent_queries' });
    expect((await test.quick({ project: test.other })).status).toBe(200);
    await blocker.free();
    expect((await waits).status).toBe(200);
  });
});

describe('two changes at the same time', () => {
  it('both hold', async () => {
    const { pool } = test.backends.metadata;
    const holder = await pool.connect();
    await holder.query('BEGIN');
    await holder.query('SELECT 1 FROM project WHERE id = $1 FOR UPDATE', [test.project.id]);
    const both = [setLimits({ executionSeconds: 5 }), setLimits({ resultRows: 10 })];
    await eventually('both wait for the row', async () => {
      // What is recorded of runs refers to the project too, and may wait as well.
      const { rows } = await pool.query(
        "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE 'SELECT 1 FROM project %FOR UPDATE'",
      );
      return rows.length === 2;
    });
    await holder.query('COMMIT');
    holder.release();
    for (const { errors } of await Promise.all(both)) expect(errors).toBeUndefined();
    expect((await setLimits({ queuedQueries: 1 })).data).toMatchObject({
      setProjectLimits: {
        ownLimits: { ...none, executionSeconds: 5, resultRows: 10, queuedQueries: 1 },
      },
    });
  });
});

describe('limits of a key', () => {
  it('are what it may take less than each of its projects', async () => {
    await setLimits({ executionSeconds: 5 });
    expect((await issue({ executionSeconds: 6 })).errors).toMatchObject([
      {
        message: expect.stringContaining('from 1 to 5'),
        extensions: { code: 'invalid_input', attr: 'limits.execution_seconds' },
      },
    ]);
    expect((await issue({ executionSeconds: 6 }, [test.other.id])).errors).toBeUndefined();
    const both = [test.other.id, test.project.id];
    expect((await issue({ executionSeconds: 6 }, both)).errors).toHaveLength(1);
    test.clock.advance(1);
    const { id, errors } = await issue({ executionSeconds: 3 });
    expect(errors).toBeUndefined();
    const { body } = await test.graphql(
      `{ apiKeys(first: 1) { edges { node { id limits { ${names} } } } } }`,
      {},
      { key: test.adminKey },
    );
    expect(body.data).toEqual({
      apiKeys: { edges: [{ node: { id, limits: { ...none, executionSeconds: 3 } } }] },
    });
  });

  it('hold for it alone', async () => {
    const { key } = await issue({ resultRows: 4 });
    expect((await run('rows', {}, key)).body).toMatchObject({ limit: 4, hasMore: true });
    expect((await run('rows')).body).toMatchObject({ limit: 1000 });
    // But for its memory the same run, so that the two would be one execution.
    const lean = await issue({ memoryBytes: 67_108_864 });
    const [small, large] = await Promise.all([
      run('memory', { refresh: 'force' }, lean.key),
      run('memory', { refresh: 'force' }),
    ]);
    expect(small.body).toMatchObject({ code: 'query_memory_limit' });
    expect(large.status).toBe(200);
  });

  it('hold for its bytes and its time alone', async () => {
    const brief = await issue({ resultBytes: 100_000, executionSeconds: 1 });
    for (const refresh of ['cache', 'force']) {
      const refused = await run('bytes', { refresh }, brief.key);
      expect(refused).toMatchObject({ status: 400, body: { code: 'query_too_large' } });
      expect((await run('bytes', { refresh })).status).toBe(200);
    }
    expect((await run('bytes', { limit: 50 }, brief.key)).status).toBe(200);
    const blocker = await test.block();
    const stopped = await run('endless', { variables: { n: 9_000_002 } }, brief.key);
    expect(stopped).toMatchObject({ status: 400, body: { code: 'query_timeout' } });
    // A query of another key, which began before, goes on.
    expect(test.app.core.admission.running()).toBe(1);
    await blocker.free();
  });

  it('never give it more than its project has by now', async () => {
    const { key } = await issue({ resultRows: 100 });
    expect((await run('rows', {}, key)).body).toMatchObject({ limit: 100 });
    await setLimits({ resultRows: 5 });
    expect((await run('rows', {}, key)).body).toMatchObject({ limit: 5 });
  });

  it('hold for what it runs at once and what waits, while others of the project go on', async () => {
    const { key } = await issue({ concurrentQueries: 1, queuedQueries: 1 });
    const blocker = await test.block(test.project, key);
    const waits = test.quick({ key });
    await test.untilWaiting(1);
    expect((await test.quick({ key })).body).toMatchObject({ code: 'too_many_concurrent_queries' });
    expect((await test.quick()).status).toBe(200);
    await blocker.free();
    expect((await waits).status).toBe(200);
  });
});

describe('a run that waits for the slot of a limited key', () => {
  const filtered = {
    variables: {},
    filters_override: { properties: [{ key: 'n', value: 1 }] },
  };

  it('is shared by the callers of that key alone', async () => {
    const body = { name: 'picked', query: 'SELECT number AS n FROM numbers(3) WHERE {filters}' };
    await test.rest('POST', '/endpoints', { body });
    const { key } = await issue({ concurrentQueries: 1, queuedQueries: 2 });
    const blocker = await test.block(test.project, key);
    const mine = [test.quick({ key, n: 77 }), run('picked', filtered, key)];
    await test.untilWaiting(2);
    const joined = [test.quick({ key, n: 77 }), run('picked', filtered, key)];
    expect((await test.quick({ n: 77 })).body).toMatchObject({ results: [[77]] });
    expect((await run('picked', filtered)).body).toMatchObject({ results: [[1]] });
    expect(test.app.core.admission.waiting()).toBe(2);
    await blocker.free();
    for (const { status } of await Promise.all([...mine, ...joined])) expect(status).toBe(200);
  });
});

it('a change reaches other processes by the change feed', async () => {
  const { projects } = test.app.core;
  expect((await run('rows')).body).toMatchObject({ limit: 1000 });
  // As the command line does it: past this process.
  await projects.setLimits({ id: test.project.id, change: () => ({ resultRows: 6 }) });
  await eventually('it is known', async () => (await run('rows')).body.limit === 6);
});
