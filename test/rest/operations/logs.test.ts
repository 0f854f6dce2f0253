import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { statementsOf } from '../../support/statements.ts';
import type { TestApp } from '../../support/test-app.ts';
import { describeAccess } from '../support/access.ts';
import { change, openSalesApp, save, saveInBoth } from '../support/sales.ts';

let test: TestApp;
const start = '2026-03-01T12:00:00.000Z';
const failing = "SELECT throwIf(country = 'at') AS n FROM sales";

/** Three executions of `sales`, a minute apart: version 1, version 2 with an error, version 3 by GraphQL. */
beforeAll(async () => {
  test = await openSalesApp();
  test.clock.set(start);
  await saveInBoth(test, 'sales');
  await save(test, 'never');
  await test.rest('GET', '/endpoints/sales/run?client_query_id=Mine');
  await test.rest('GET', '/endpoints/sales/run', { project: test.other });
  await change(test, 'sales', { query: failing });
  test.clock.advance(60_000);
  await test.rest('GET', '/endpoints/sales/run');
  await change(test, 'sales', { query: 'SELECT 1 AS n' });
  test.clock.advance(60_000);
  await test.graphql('{ runEndpoint(projectId: "@current", name: "sales") { results } }');
});
afterAll(() => test.close());

const ask = (query = '', name = 'sales') => test.rest('GET', `/endpoints/${name}/logs?${query}`);
const versionsOf = async (query: string) => {
  const { body } = await ask(query);
  return (body.results as readonly { readonly version: number }[]).map(({ version }) => version);
};

describe('200', () => {
  it('tells each execution of the endpoint, newest first', async () => {
    const { status, body } = await ask();
    expect(status).toBe(200);
    expect(body).toMatchObject({ count: 3, next: null, previous: null });
    const results = body.results as readonly Readonly<Record<string, unknown>>[];
    expect(results.map(({ version, status: how, level }) => [version, how, level])).toEqual([
      [3, 'completed', 'INFO'],
      [2, 'failed', 'ERROR'],
      [1, 'completed', 'INFO'],
    ]);
    expect(results[2]).toEqual({
      endpoint: 'sales',
      log_source_id: (await test.rest('GET', '/endpoints/sales')).body.id,
      instance_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      timestamp: start,
      level: 'INFO',
      message:
        'path=inline cache=miss duration_ms=0 rows=2 version=1 interface=rest format=json client_query_id=Mine',
      status: 'completed',
      version: 1,
      interface: 'rest',
      ended_at: start,
      duration_seconds: 0,
      processor_seconds: null,
      served_from: 'inline',
      format: 'json',
      rows: 2,
      bytes: expect.any(Number),
      rows_read: 3,
      bytes_read: expect.any(Number),
      variables: {},
      inline_reason: 'not_materialized',
      cache_reason: 'absent',
      plan: null,
      client_query_id: 'Mine',
      error_code: null,
      error_message: null,
    });
    expect(results[1]).toMatchObject({
      error_code: 'query_failed',
      error_message: expect.any(String),
      message: expect.stringContaining('error=query_failed'),
    });
  });

  it.each([
    ['version=2', [2]],
    ['version=9', []],
    ['status=completed', [3, 1]],
    ['status=running', []],
    ['level=ERROR', [2]],
    ['level=warn,error', [2]],
    ['level=INFO&status=failed', []],
    ['interface=graphql', [3]],
    [`after=${start}`, [3, 2]],
    ['before=2026-03-01T12:01:00Z', [1]],
    ['before=2026-03-01T12:01', [1]],
    ['before=2026-03-01T12:00:00.000999Z', []],
    ['after=2026-03-01&before=2026-03-01T14:01:30%2B02:00', [2, 1]],
    ['search=CLIENT_QUERY_ID=mine', [1]],
    ['search=cache=miss', [3, 2, 1]],
    ['search=%25', []],
    ['limit=1&offset=1', [2]],
    ['instance_id=unknown', []],
  ])('filters by %s', async (query, versions) => {
    expect(await versionsOf(query)).toEqual(versions);
  });

  it('finds one execution by its id, and says where the next page is', async () => {
    const { body } = await ask('limit=1');
    expect(body).toMatchObject({ count: 3, next: expect.stringContaining('limit=1&offset=1') });
    const [newest] = body.results as readonly { readonly instance_id: string }[];
    expect(await versionsOf(`instance_id=${newest?.instance_id}`)).toEqual([3]);
    expect((await ask('', 'never')).body).toMatchObject({ count: 0, results: [] });
  });

  it('is asked by GraphQL for times that exist', async () => {
    const ask = (after: string) =>
      test.graphql(
        `{ executions(projectId: "@current", name: "sales", filter: { after: "${after}" }) { totalCount } }`,
      );
    const { body } = await ask('2026-03-01T13:00:30+01:00');
    expect(body).toMatchObject({ data: { executions: { totalCount: 2 } } });
    for (const none of ['2026-02-30', '10', 'Nov 5', '05/06/2026'])
      expect((await ask(none)).text).toContain('must be a string in ISO 8601');
  });

  it('tells those of one millisecond in the order of their starts, newest first', async () => {
    await save(test, 'same_time', { query: 'SELECT {n:UInt8} AS n' });
    const order = [3, 1, 4, 0, 5, 9, 2, 6];
    for (const n of order) {
      const run = `variables[n]=${n}&client_query_id=${n}`;
      await test.rest('GET', `/endpoints/same_time/run?${run}`);
    }
    const { body } = await ask('', 'same_time');
    const results = body.results as readonly { readonly client_query_id: string }[];
    expect(results.map(({ client_query_id: id }) => Number(id))).toEqual(order.toReversed());
  });

  it('is told alike by GraphQL', async () => {
    const document = `query ($id: ID!) { executions(projectId: $id, name: "sales", first: 1, filter: { status: "failed" }) {
      totalCount entries { version level errorCode interface startedAt } } }`;
    const { body } = await test.graphql(document, { id: test.project.id });
    const startedAt = '2026-03-01T12:01:00.000Z';
    expect(body.data).toEqual({
      executions: {
        totalCount: 1,
        entries: [
          { version: 2, level: 'ERROR', errorCode: 'query_failed', interface: 'rest', startedAt },
        ],
      },
    });
  });

  it('costs the same statements whatever the number of entries', async () => {
    const counts: number[] = [];
    for (const limit of [1, 3]) {
      const statements = await statementsOf(test, () => ask(`limit=${limit}`));
      counts.push(statements.length);
    }
    expect(counts[1]).toBe(counts[0]);
  });
});

it.each([
  ['limit=501', 'limit'],
  ['limit=0', 'limit'],
  ['status=done', 'status'],
  ['level=FATAL', 'level'],
  ['interface=soap', 'interface'],
  ['after=yesterday', 'after'],
  ['after=2026-02-30', 'after'],
  ['before=05/06/2026', 'before'],
  ['before=10', 'before'],
  ['versions=1', 'versions'],
])('refuses ?%s', async (query, attr) => {
  const { status, body } = await ask(query);
  expect(status).toBe(400);
  expect(body).toMatchObject({ code: 'invalid_input', attr });
});

describe('times are in the years 1 to 9999 in UTC', () => {
  const executions =
    'query ($filter: ExecutionFilter) { executions(projectId: "@current", name: "sales", filter: $filter) { totalCount } }';
  const audit =
    'query ($filter: AuditFilter) { auditLog(projectId: "@current", filter: $filter) { totalCount } }';

  it.each([
    '0000-01-01',
    '0000-12-31T23:59:59Z',
    '0001-01-01T00:00:00+14:00',
    '9999-12-31T23:59:59-14:00',
  ])('so %s is refused by both interfaces', async (time) => {
    for (const name of ['after', 'before']) {
      const { status, body } = await ask(`${name}=${encodeURIComponent(time)}`);
      expect([status, body.code, body.attr]).toEqual([400, 'invalid_input', name]);
      const twin = await test.graphql(executions, { filter: { [name]: time } });
      expect(twin.body.errors?.[0]?.extensions.code).toBe('invalid_input');
    }
    for (const name of ['since', 'until']) {
      const { body } = await test.graphql(audit, { filter: { [name]: time } });
      expect(body.errors?.[0]?.extensions.code).toBe('invalid_input');
    }
    for (const path of ['/usage?to=', '/endpoints/_usage/run?variables[to]=']) {
      const { status, body } = await test.rest('GET', path + encodeURIComponent(time));
      expect([status, body.code]).toEqual([400, 'invalid_input']);
    }
  });

  it.each([
    ['0001-01-01', [3, 2, 1], []],
    ['0001-01-01T14:00:00+14:00', [3, 2, 1], []],
    ['9999-12-31T23:59:59.999Z', [], [3, 2, 1]],
  ])('and %s is the first or the last of them', async (time, after, before) => {
    const text = encodeURIComponent(time);
    expect(await versionsOf(`after=${text}`)).toEqual(after);
    expect(await versionsOf(`before=${text}`)).toEqual(before);
    const twin = await test.graphql(executions, { filter: { after: time } });
    expect(twin.body.data).toEqual({ executions: { totalCount: after.length } });
    const { body } = await test.graphql(audit, { filter: { since: time } });
    expect(body.errors).toBeUndefined();
    expect((await test.rest('GET', `/usage?step=all&to=${text}`)).status).toBeLessThan(500);
  });
});

it.each([0, 501])(
  'a page of %s executions is refused by the name of its argument',
  async (first) => {
    const document =
      'query ($first: Int!) { executions(projectId: "@current", first: $first) { totalCount } }';
    const { body } = await test.graphql(document, { first });
    expect(body.errors).toMatchObject([{ extensions: { code: 'invalid_input', attr: 'first' } }]);
  },
);

it('of a missing endpoint is 404', async () => {
  expect((await ask('', 'missing')).status).toBe(404);
});

describeAccess(() => test, {
  method: 'GET',
  scope: 'endpoint:read',
  status: 200,
  call: async () => ({ path: '/endpoints/sales/logs' }),
});
