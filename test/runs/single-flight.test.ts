/** Runs that arrive together, runs that nobody waits for any more, and looking running ones up. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { executions, openSalesApp, run, save } from '../rest/support/sales.ts';
import { eventually } from '../support/eventually.ts';
import { type HeldEngine, openHeldEngine } from '../support/held-engine.ts';
import type { TestApp } from '../support/test-app.ts';

const query = 'SELECT sum(number) AS n FROM numbers(1000)';
/** More work than it finishes within the time limit. */
const endless =
  'SELECT sum(cityHash64(number, number + 1, number + 2)) AS n FROM numbers(1000000000000)';

let test: TestApp;
let engine: HeldEngine;
let name: string;
let number = 0;

beforeAll(async () => {
  engine = await openHeldEngine();
  test = await openSalesApp({ clickhouseUrl: engine.clickhouseUrl });
});
afterAll(async () => {
  await test?.close();
  await engine?.close();
});

beforeEach(async () => {
  number += 1;
  name = `run_${number}`;
  await save(test, name, { query });
  await save(test, `endless_${number}`, { query: endless });
});

const post = (body: object = {}, path = name) =>
  test.rest('POST', `/endpoints/${path}/run`, { body });

interface Status {
  readonly id: string;
  readonly complete: boolean;
  readonly error: boolean;
  readonly errorCode: string | null;
  readonly endpointName: string;
}

async function statusOf(id: string, projectId = test.project.id, key = test.project.readKey) {
  const document = `query Status($projectId: ID!, $id: ID!) {
    queryStatus(projectId: $projectId, id: $id) {
      id complete error errorCode endpointName endpointVersion clientQueryId teamId startTime endTime
      resultRows queryAsync taskId queryProgress { rowsRead }
    }
  }`;
  const { body } = await test.graphql(document, { projectId, id }, { key });
  return body;
}

async function foundStatus(id: string): Promise<Status | undefined> {
  const data = (await statusOf(id)).data as { readonly queryStatus?: Status } | null | undefined;
  return data?.queryStatus ?? undefined;
}

function cancel(id: string, key = test.project.readKey) {
  const document = `mutation Cancel($projectId: ID!, $id: ID!) {
    cancelQuery(projectId: $projectId, id: $id) { id }
  }`;
  return test.graphql(document, { projectId: test.project.id, id }, { key });
}

async function runningAtEngine(): Promise<number> {
  const count = `SELECT count() FROM system.processes WHERE user LIKE 'project_${test.project.id}_%'`;
  return Number(await test.sql(count));
}

/** Keeps the query at the engine until a run under each of these client query ids waits for its result. */
async function together<T>(ids: readonly string[], runs: () => Promise<T>): Promise<T> {
  engine.hold('numbers(1000)');
  try {
    const results = runs();
    for (const id of ids) {
      await eventually(`${id} waits`, async () => (await foundStatus(id))?.complete === false);
    }
    engine.release();
    return await results;
  } finally {
    engine.release();
  }
}

describe('identical runs that arrive together', () => {
  it('are one engine query, whatever the interface, the method and the key', async () => {
    const document =
      'query Run($id: ID!, $name: String!, $as: String) { runEndpoint(projectId: $id, name: $name, input: { clientQueryId: $as }) { executionId isCached results } }';
    const ids = ['a', 'b', 'c', 'd'].map((letter) => `${letter}_${name}`);
    const [a, b, c, d] = ids;
    const [first, second, third, fourth] = await together(ids, () =>
      Promise.all([
        post({ client_query_id: a }),
        post({ client_query_id: b, debug: true }),
        test.rest('GET', `/endpoints/${name}/run?client_query_id=${c}`, {
          key: test.project.readKey,
        }),
        test.graphql(document, { id: test.project.id, name, as: d }),
      ]),
    );
    expect(first.body).toMatchObject({ is_cached: false });
    const shared = {
      is_cached: false,
      execution_id: first.body.execution_id,
      results: first.body.results,
    };
    expect(second.body).toMatchObject(shared);
    expect(third.body).toMatchObject(shared);
    expect(fourth.body.data).toMatchObject({
      runEndpoint: { executionId: first.body.execution_id, isCached: false },
    });
    expect(await executions(test, name)).toBe(1);
  });

  it('are one engine query when both are forced', async () => {
    const ids = [`a_${name}`, `b_${name}`];
    await together(ids, () =>
      Promise.all(ids.map((id) => post({ refresh: 'force', client_query_id: id }))),
    );
    expect(await executions(test, name)).toBe(1);
  });

  it('share a failure and cache none', async () => {
    await save(test, `failing_${name}`, {
      query: "SELECT throwIf(sum(number) > 0, 'no') AS n FROM numbers(1000)",
    });
    const ids = [`a_${name}`, `b_${name}`];
    const both = await together(ids, () =>
      Promise.all(ids.map((id) => post({ client_query_id: id }, `failing_${name}`))),
    );
    expect(both.map(({ body }) => body.code)).toEqual(['query_failed', 'query_failed']);
    expect(await executions(test, `failing_${name}`)).toBe(1);
  });

  it('are two when they differ', async () => {
    const [first, second] = await Promise.all([post({ limit: 1 }), post({ limit: 2 })]);
    expect(first.body.execution_id).not.toBe(second.body.execution_id);
    expect(await executions(test, name)).toBe(2);
  });
});

describe('a client that goes away', () => {
  it('cancels its query when nobody else waits for it', async () => {
    const away = new AbortController();
    const gone = test
      .rest('POST', `/endpoints/endless_${number}/run`, {
        body: { client_query_id: `gone_${number}` },
        signal: away.signal,
      })
      .catch(() => 'gone');
    await eventually('the engine runs the query', async () => (await runningAtEngine()) > 0);
    away.abort();
    await gone;
    await eventually('the engine stops', async () => (await runningAtEngine()) === 0);
    await eventually('its status has ended', async () => {
      return (await foundStatus(`gone_${number}`))?.complete === true;
    });
    expect(await foundStatus(`gone_${number}`)).toMatchObject({
      error: true,
      errorCode: 'query_cancelled',
    });
  });

  it('leaves the query to those who still wait', async () => {
    const away = new AbortController();
    const path = `endless_${number}`;
    const gone = test
      .rest('POST', `/endpoints/${path}/run`, { body: {}, signal: away.signal })
      .catch(() => 'gone');
    const waiting = post({ client_query_id: `stays_${number}` }, path);
    await eventually('the engine runs the query', async () => (await runningAtEngine()) > 0);
    await eventually(
      'the second waits',
      async () => (await foundStatus(`stays_${number}`)) !== undefined,
    );
    away.abort();
    await gone;
    expect(await foundStatus(`stays_${number}`)).toMatchObject({ complete: false });
    expect(await runningAtEngine()).toBe(1);
    await cancel(`stays_${number}`, test.project.writeKey);
    expect((await waiting).body).toMatchObject({ code: 'query_cancelled' });
    expect(await executions(test, path)).toBe(1);
  });
});

describe('client_query_id', () => {
  it('finds the status of a run, as its execution id does', async () => {
    const id = `mine_${number}`;
    const { execution_id } = await run(test, name, { client_query_id: id });
    const { data } = await statusOf(id);
    expect(data).toEqual({
      queryStatus: {
        id: execution_id,
        complete: true,
        error: false,
        errorCode: null,
        endpointName: name,
        endpointVersion: 1,
        clientQueryId: id,
        teamId: test.project.id,
        startTime: '2026-03-01T12:00:00.000Z',
        endTime: '2026-03-01T12:00:00.000Z',
        resultRows: 1,
        queryAsync: false,
        taskId: execution_id,
        queryProgress: { rowsRead: 1000 },
      },
    });
    expect((await statusOf(String(execution_id))).data).toEqual(data);
  });

  it('finds nothing in another project', async () => {
    const id = `private_${number}`;
    await run(test, name, { client_query_id: id });
    const { errors } = await statusOf(id, test.other.id, test.other.readKey);
    expect(errors).toMatchObject([{ extensions: { code: 'not_found', attr: 'id' } }]);
  });

  it('cancels a run by its own read key, and no other read key may', async () => {
    const id = `long_${number}`;
    const other = await test.issueKey({ scopes: ['endpoint:read'], projects: [test.project] });
    const running = test.rest('POST', `/endpoints/endless_${number}/run`, {
      body: { client_query_id: id },
      key: test.project.readKey,
    });
    await eventually('the engine runs the query', async () => (await runningAtEngine()) > 0);
    expect(await foundStatus(id)).toMatchObject({ complete: false, error: false });
    const refused = await cancel(id, other.key);
    expect(refused.body.errors).toMatchObject([
      {
        message: expect.stringContaining("'endpoint:write'"),
        extensions: { code: 'permission_denied' },
      },
    ]);
    expect((await cancel(id)).body.errors).toBeUndefined();
    const { status, body } = await running;
    expect(status).toBe(400);
    expect(body).toMatchObject({ code: 'query_cancelled', attr: null });
    await eventually('the engine stops', async () => (await runningAtEngine()) === 0);
  });
});
