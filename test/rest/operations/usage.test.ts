/** The counts of usage beside a count that the test makes itself, call by call. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { toCamelCase } from '../../../src/lib/camel-case.ts';
import { readEvents } from '../../support/events.ts';
import { eventually } from '../../support/eventually.ts';
import { type HeldEngine, openHeldEngine } from '../../support/held-engine.ts';
import { statementsOf } from '../../support/statements.ts';
import { openTestApp, type TestApp } from '../../support/test-app.ts';
import { describeAccess } from '../support/access.ts';
import { addSale, byCountry, change, ofCountry, save } from '../support/sales.ts';

let test: TestApp;
let held: HeldEngine;
let ids: Readonly<Record<'read' | 'write', string>>;
const start = '2026-03-01T12:00:30.000Z';

/** Runs by `interface endpoint version key path outcome`, as the test makes them. */
const made = new Map<string, number>();
const note = (line: string, by = 1) => made.set(line, (made.get(line) ?? 0) + by);

interface Line {
  readonly at: string | null;
  readonly endpoint: string | null;
  readonly version: number | null;
  readonly key: { readonly id: string; readonly prefix: string; readonly label: string } | null;
  readonly interface: string;
  readonly path: string;
  readonly outcome: string;
  readonly [figure: string]: unknown;
}

interface Report {
  readonly from: string;
  readonly to: string;
  readonly counted_by: string;
  readonly total: Readonly<Record<string, number>> & {
    readonly errors_by_code: readonly { readonly code: string; readonly runs: number }[];
  };
  readonly results: readonly Line[];
}

async function usage(query: string, path = '/usage'): Promise<Report> {
  const { status, body } = await test.rest('GET', `${path}?${query}`);
  expect(body).not.toHaveProperty('code');
  expect(status).toBe(200);
  return body as unknown as Report;
}

const everyGroup = 'group_by=endpoint,version,key,interface,path,outcome';

beforeAll(async () => {
  held = await openHeldEngine();
  test = await openTestApp({ clickhouseUrl: held.clickhouseUrl });
  test.clock.set(start);
  await test.sql(
    'CREATE TABLE sales (country String, amount UInt32, day Date, note Nullable(String)) ENGINE = MergeTree ORDER BY day',
  );
  await test.sql(
    "INSERT INTO sales VALUES ('at', 1, '2026-01-01', NULL), ('de', 2, '2026-01-02', NULL)",
  );
  await save(test, 'sales');
  await save(test, 'of_country', { query: ofCountry });
  await save(test, 'failing', { query: 'SELECT throwIf(amount > 0) AS n FROM sales' });
  await save(test, 'old', { query: 'SELECT 1 AS n' });
  await save(test, 'never');
  await change(test, 'old', { query: 'SELECT 2 AS n' });
  const keys = await test.app.core.keys.listKeys();
  const idOf = (key: string) => keys.find(({ prefix }) => key.startsWith(prefix))?.id ?? '';
  ids = { read: idOf(test.project.readKey), write: idOf(test.project.writeKey) };
  await byRest();
  await byGraphQL();
  await byDataGraph();
  await byFollowing();
});
afterAll(async () => {
  await test.close();
  await held.close();
});

async function repeat(times: number, ask: () => Promise<unknown>): Promise<void> {
  for (let at = 0; at < times; at += 1) await ask();
}

async function byRest(): Promise<void> {
  const run = (path: string, key = test.project.writeKey) =>
    test.rest('GET', `/endpoints/${path}`, { key });
  const { headers } = await run('sales/run');
  note('rest sales 1 write inline ok');
  await repeat(6, () => run('sales/run'));
  note('rest sales 1 write cache ok', 6);
  await repeat(3, () => run('sales/run', test.project.readKey));
  note('rest sales 1 read cache ok', 3);
  const tag = { 'if-none-match': headers.get('etag') ?? '' };
  await repeat(2, () => test.rest('GET', '/endpoints/sales/run', { headers: tag }));
  await repeat(2, () => test.rest('POST', '/endpoints/sales/run', { body: {} }));
  note('rest sales 1 write cache ok', 4);
  await run('sales/run?refresh=force');
  await repeat(2, () => run('sales/run?debug=true'));
  note('rest sales 1 write inline ok');
  note('rest sales 1 write cache ok', 2);
  await run('sales/run?format=csv');
  await run('sales/run?format=csv');
  note('rest sales 1 write inline ok');
  note('rest sales 1 write cache ok');
  await repeat(2, () => run('of_country/run'));
  note('rest of_country 1 write none missing_variable', 2);
  await run('of_country/run?variables[county]=at');
  note('rest of_country 1 write none unknown_variable');
  await run('of_country/run?variables[country]=at');
  note('rest of_country 1 write inline ok');
  await repeat(2, () => run('failing/run'));
  note('rest failing 1 write inline query_failed', 2);
  await run('old/run?version=1');
  note('rest old 1 write inline ok');
  await test.rest('PATCH', '/endpoints/old?version=1', { body: { is_active: false } });
  await run('old/run?version=1');
  note('rest old 1 write none inactive_version');
  await run('old/run');
  note('rest old 2 write inline ok');
  await test.rest('POST', '/query', { body: { query: byCountry } });
  note('rest  0 write inline ok');
  // Not runs of any version.
  await run('missing/run');
  await run('sales/run?version=7');
  await run('sales/run', 'no key');
}

async function byGraphQL(): Promise<void> {
  const once = '{ runEndpoint(projectId: "@current", name: "sales") { results } }';
  await repeat(4, () => test.graphql(once));
  await test.graphql(
    '{ a: runEndpoint(projectId: "@current", name: "sales") { results } endpoint(projectId: "@current", name: "sales") { run { columns } } }',
  );
  note('graphql sales 1 write cache ok', 6);
  await test.graphql('{ runEndpoint(projectId: "@current", name: "failing") { results } }');
  note('graphql failing 1 write inline query_failed');
}

async function byDataGraph(): Promise<void> {
  const ask = (query: string) => test.rest('POST', '/graphql', { body: { query } });
  await repeat(4, () => ask('{ sales { rows { country } } }'));
  await ask('{ one: sales { rows { total } } two: sales { hasMore } failing { rows { n } } }');
  note('graphql sales 1 write cache ok', 6);
  note('graphql failing 1 write inline query_failed');
}

async function byFollowing(): Promise<void> {
  const follow = (key: string) =>
    readEvents((signal) =>
      test.app.fetch(
        new Request(
          `http://querydock.test/api/projects/${test.project.id}/endpoints/sales/run?limit=50`,
          { headers: { authorization: `Bearer ${key}`, accept: 'text/event-stream' }, signal },
        ),
      ),
    );
  const first = await follow(test.project.readKey);
  await first.until(1);
  note('live sales 1 read inline ok');
  const second = await follow(test.project.writeKey);
  await second.until(1);
  note('live sales 1 write cache ok');
  await addSale(test);
  await first.until(2);
  await second.until(2);
  note('live sales 1 read inline ok');
  first.close();
  second.close();
}

const keyOf = ({ key }: Line) => (key?.id === ids.read ? 'read' : 'write');

describe('200', () => {
  it('tells exactly the runs that were made: by interface, endpoint, version, key, path and outcome', async () => {
    const { results, total } = await usage(everyGroup);
    const told = results.map((line): [string, number] => [
      `${line.interface} ${line.endpoint} ${line.version} ${keyOf(line)} ${line.path} ${line.outcome}`,
      Number(line.runs),
    ]);
    expect(Object.fromEntries(told)).toEqual(Object.fromEntries(made));
    expect(told.length).toBe(made.size);
    const runs = [...made.values()].reduce((sum, count) => sum + count, 0);
    expect(total).toMatchObject({ runs, errors: 8 });
    expect(total.errors_by_code).toEqual([
      { code: 'query_failed', runs: 4 },
      { code: 'missing_variable', runs: 2 },
      { code: 'inactive_version', runs: 1 },
      { code: 'unknown_variable', runs: 1 },
    ]);
    const keyed = results.find(({ key }) => key?.id === ids.read);
    expect(keyed?.key).toEqual({
      id: ids.read,
      label: 'test',
      prefix: test.project.readKey.slice(0, keyed?.key?.prefix.length),
    });
  });

  it('sums rows and bytes of results, and what the engine read for them', async () => {
    const { results } = await usage('step=all&group_by=path,outcome', '/endpoints/sales/usage');
    const { body } = await test.rest('GET', '/endpoints/sales/logs?limit=500');
    const logged = body.results as readonly Readonly<Record<string, number>>[];
    const sum = (name: string) => logged.reduce((all, line) => all + Number(line[name]), 0);
    const inline = results.find(({ path }) => path === 'inline');
    expect(inline).toMatchObject({
      executions: logged.length,
      rows_read: sum('rows_read'),
      bytes_read: sum('bytes_read'),
      rows: sum('rows'),
      bytes: sum('bytes'),
    });
    const cached = results.find(({ path }) => path === 'cache');
    expect(cached).toMatchObject({ executions: 0, rows: 2 * Number(cached?.runs) });
  });

  it('gives the same sums by minute, hour and day, and each step its own', async () => {
    test.clock.advance(60_000);
    await test.rest('GET', '/endpoints/sales/run?limit=7');
    const times = 'from=2026-03-01T12:00:00Z&to=2026-03-01T13:00:00Z';
    const [minutes, hours, days, all] = await Promise.all(
      ['minute', 'hour', 'day', 'all'].map((step) => usage(`${times}&step=${step}`)),
    );
    expect(minutes?.results.map(({ at }) => at)).toEqual([
      '2026-03-01T12:00:00.000Z',
      '2026-03-01T12:01:00.000Z',
    ]);
    expect(hours?.results.map(({ at }) => at)).toEqual(['2026-03-01T12:00:00.000Z']);
    expect(days).toMatchObject({
      from: '2026-03-01T00:00:00.000Z',
      to: '2026-03-02T00:00:00.000Z',
      results: [{ at: '2026-03-01T00:00:00.000Z' }],
    });
    expect(all).toMatchObject({ counted_by: 'minute', results: [{ at: null }] });
    expect(hours?.total).toEqual(minutes?.total);
    expect(days?.total).toEqual(minutes?.total);
    expect(all?.total).toEqual(minutes?.total);
  });

  it('tells latencies within 5 %', async () => {
    await save(test, 'slow', { query: 'SELECT 5 AS slow' });
    const latencies = [40, 250, 3100];
    for (const [at, ms] of latencies.entries()) {
      held.hold('AS slow');
      const running = test.rest('GET', `/endpoints/slow/run?limit=${at + 1}`);
      await eventually('the run waits', () => held.held() === 1);
      test.clock.advance(ms);
      held.release();
      await running;
    }
    const { total } = await usage('step=all', '/endpoints/slow/usage');
    expect(total.runs).toBe(3);
    expect(Math.abs(Number(total.p50_ms) / 250 - 1)).toBeLessThan(0.05);
    expect(Math.abs(Number(total.p99_ms) / 3100 - 1)).toBeLessThan(0.05);
    expect(total.mean_ms).toBe((40 + 250 + 3100) / 3);
  });

  it('is told alike by GraphQL', async () => {
    const figures =
      'runs errors errorsByCode { code runs } rows bytes executions rowsRead bytesRead engineSeconds processorSeconds measuredExecutions meanMs p50Ms p95Ms p99Ms recomputed unchanged';
    const document = `query ($id: ID!, $groups: [String!]) {
      usage(projectId: $id, step: "day", groupBy: $groups, filter: { endpoint: "sales", key: "${ids.read}" }) {
        from to step countedBy groupBy total { ${figures} }
        results { at endpoint endpointId version key { id label prefix } interface path outcome ${figures} }
      }
      endpointUsage(projectId: $id, name: "sales", step: "day", groupBy: $groups, filter: { key: "${ids.read}" }) { total { runs } }
    }`;
    const groups = ['endpoint', 'key'];
    const { body } = await test.graphql(document, { id: test.project.id, groups });
    const { usage: told, endpointUsage } = body.data as Readonly<Record<string, object>>;
    const query = `step=day&group_by=${groups.join(',')}&key=${ids.read}&endpoint=sales`;
    const report = await usage(query);
    expect(told).toEqual(toCamel(report));
    expect(endpointUsage).toEqual({ total: { runs: report.total.runs } });
    expect(report.results.length).toBe(1);
  });

  it.each([
    ['endpoint=failing', 4],
    ['endpoint=never', 0],
    ['outcome=missing_variable', 2],
    ['interface=live', 3],
    ['path=none&interface=rest', 4],
    ['endpoint=old&version=2', 1],
  ])('filters by %s', async (query, runs) => {
    expect((await usage(`step=all&${query}`)).total.runs).toBe(runs);
  });

  it('is told of up to 100 endpoints by their ids', async () => {
    const { results } = await usage('step=all&group_by=endpoint');
    const [one, other] = results.filter(({ endpoint }) => endpoint !== '');
    const ids = [one?.endpoint_id, other?.endpoint_id].join();
    const ofBoth = `step=all&group_by=endpoint&endpoint_ids=${ids}`;
    expect((await usage(ofBoth)).results).toEqual([one, other]);
    const document = `query ($ids: [ID!]) { usage(projectId: "@current", step: "all", groupBy: ["endpoint"], filter: { endpointIds: $ids }) {
      total { runs } results { endpoint } } }`;
    const { body } = await test.graphql(document, { ids: [other?.endpoint_id] });
    expect(body.data).toEqual({
      usage: { total: { runs: other?.runs }, results: [{ endpoint: other?.endpoint }] },
    });
  });

  it('tells nothing of another project, and keeps what an endpoint took that is gone', async () => {
    const { body } = await test.rest('GET', '/usage?step=all', { project: test.other });
    expect(body).toMatchObject({ total: { runs: 0, p50_ms: null }, results: [] });
    await save(test, 'going', { query: 'SELECT 7 AS n' });
    await test.rest('GET', '/endpoints/going/run');
    await test.rest('DELETE', '/endpoints/going');
    await save(test, 'going', { query: 'SELECT 8 AS n' });
    expect((await usage('step=all&endpoint=going')).total.runs).toBe(1);
    expect((await usage('step=all', '/endpoints/going/usage')).total.runs).toBe(0);
  });

  it('tells how often an expired result came again with the same rows', async () => {
    await save(test, 'aging', {
      query: 'SELECT sum(amount) AS n FROM sales',
      cache_age_seconds: 10,
    });
    const runAfter = async (ms: number) => {
      test.clock.advance(ms);
      await test.rest('GET', '/endpoints/aging/run');
    };
    await runAfter(0);
    await runAfter(11_000);
    await runAfter(5000);
    await test.sql("INSERT INTO sales VALUES ('it', 4, '2026-01-03', NULL)");
    await runAfter(11_000);
    await test.rest('GET', '/endpoints/aging/run?refresh=force');
    const { total } = await usage('step=all', '/endpoints/aging/usage');
    expect(total).toMatchObject({ runs: 5, executions: 4, recomputed: 2, unchanged: 1 });
  });

  it('costs the same statements whatever the number of lines', async () => {
    const few = await statementsOf(test, () => usage('step=all'));
    const many = await statementsOf(test, () => usage(`step=minute&${everyGroup}`));
    expect(many.length).toBe(few.length);
  });
});

describe('GET /logs', () => {
  type Entry = Readonly<Record<string, unknown>>;
  const entries = async (query: string, path = '/logs') => {
    const { status, body } = await test.rest('GET', `${path}?${query}`);
    expect(status).toBe(200);
    return body.results as readonly Entry[];
  };

  it('lists the slowest executions of the project first, and only those as slow as asked', async () => {
    const slowest = await entries('order=slowest&limit=3&status=completed');
    expect(slowest.map((entry) => [entry.endpoint, entry.duration_seconds])).toEqual([
      ['slow', 3.1],
      ['slow', 0.25],
      ['slow', 0.04],
    ]);
    expect(slowest[0]).toMatchObject({ rows_read: 1, served_from: 'inline', version: 1 });
    expect((await entries('min_ms=250')).length).toBe(2);
    expect((await entries('min_ms=251', '/endpoints/slow/logs')).length).toBe(1);
    const asked = `{ executions(projectId: "@current", order: "slowest", first: 1, filter: { minMs: 251 }) {
      totalCount entries { endpoint durationSeconds } } }`;
    expect((await test.graphql(asked)).body.data).toEqual({
      executions: { totalCount: 1, entries: [{ endpoint: 'slow', durationSeconds: 3.1 }] },
    });
  });

  it('lists those that failed, and of each what was given, without the values', async () => {
    const failed = await entries('status=failed');
    expect(new Set(failed.map(({ endpoint }) => endpoint))).toEqual(new Set(['failing']));
    expect(failed.length).toBe(4);
    await save(test, 'given', {
      query:
        'SELECT {secret:String} = {other:String} AS n, length({ids:Array(UInt8)}) AS m, {on:Bool} AS o',
    });
    const values = { secret: 'hunter2', other: '', ids: [1, 2, 3], on: true };
    const body = { variables: values, client_query_id: 'given' };
    await test.rest('POST', '/endpoints/given/run', { body });
    const { text } = await test.rest('GET', '/endpoints/given/logs');
    expect(text).not.toContain('hunter2');
    const [entry] = await entries('', '/endpoints/given/logs');
    expect(entry).toMatchObject({
      variables: {
        secret: { type: 'string', length: 7 },
        other: { type: 'string', length: 0 },
        ids: { type: 'list', length: 3 },
        on: { type: 'boolean' },
      },
    });
  });

  it('says why each was not served faster', async () => {
    await save(test, 'reasons', {
      query: 'SELECT country, count() AS n FROM sales GROUP BY country',
      is_materialized: true,
      cache_age_seconds: 10,
    });
    const ask = async (query = '') => {
      await test.rest('GET', `/endpoints/reasons/run?${query}`);
      test.clock.advance(1);
    };
    await ask();
    await test.app.materialization.runOnce();
    await ask();
    test.clock.advance(11_000);
    await ask();
    await ask('refresh=force');
    await ask('refresh=direct');
    const told = (await entries('', '/endpoints/reasons/logs')).toReversed();
    expect(told.map((entry) => [entry.inline_reason, entry.cache_reason])).toEqual([
      ['not_ready', 'absent'],
      [null, 'absent'],
      [null, 'expired'],
      [null, 'bypassed'],
      ['direct', 'bypassed'],
    ]);
    const [unsaved] = await entries('search=interface=rest&limit=500').then((all) =>
      all.filter(({ endpoint }) => endpoint === ''),
    );
    expect(unsaved).toMatchObject({
      log_source_id: null,
      cache_reason: 'unsaved',
      inline_reason: 'not_materialized',
    });
  });

  it.each([
    ['order=fastest', 'order'],
    ['min_ms=-1', 'min_ms'],
    ['status=done', 'status'],
  ])('refuses ?%s', async (query, attr) => {
    const { status, body } = await test.rest('GET', `/logs?${query}`);
    expect(status).toBe(400);
    expect(body).toMatchObject({ code: 'invalid_input', attr });
  });
});

/** As GraphQL names it. */
function toCamel(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(toCamel);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [toCamelCase(name), toCamel(inner)]),
  );
}

const someId = '01a1fd40-6dff-7ed9-af21-681b79938be7';

it.each([
  ['step=week', 'step'],
  ['group_by=user', 'group_by'],
  ['group_by=version', 'group_by'],
  ['key=mine', 'key'],
  ['path=disk', 'path'],
  ['endpoint_ids=sales', 'endpoint_ids'],
  [`endpoint_ids=${Array.from({ length: 101 }, () => someId).join(',')}`, 'endpoint_ids'],
  ['interface=soap', 'interface'],
  ['outcome=bad', 'outcome'],
  ['from=yesterday', 'from'],
  ['from=2026-02-30', 'from'],
  ['from=2026-03-01T13:00:00Z&to=2026-03-01T13:00:00Z', 'from'],
  ['from=2026-01-01T00:00:00Z&step=minute', 'from'],
  ['from=2026-02-10T00:00:00Z&step=minute', 'step'],
  ['days=3', 'days'],
])('refuses ?%s', async (query, attr) => {
  const { status, body } = await test.rest('GET', `/usage?${query}`);
  expect(status).toBe(400);
  expect(body).toMatchObject({ code: 'invalid_input', attr });
});

it('tells who else runs endpoints only to keys that may write them', async () => {
  const key = test.project.readKey;
  const ask = async (query: string) => (await test.rest('GET', `/usage?${query}`, { key })).status;
  expect(await ask('group_by=key')).toBe(403);
  expect(await ask(`key=${ids.write}`)).toBe(403);
  expect(await ask(`key=${ids.read}&group_by=key`)).toBe(200);
  expect(await ask('group_by=endpoint')).toBe(200);
});

it('of a missing endpoint is 404', async () => {
  expect((await test.rest('GET', '/endpoints/missing/usage')).status).toBe(404);
});

describeAccess(() => test, {
  method: 'GET',
  scope: 'endpoint:read',
  status: 200,
  call: async () => ({ path: '/endpoints/sales/usage' }),
});
describeAccess(() => test, {
  method: 'GET',
  scope: 'endpoint:read',
  status: 200,
  call: async () => ({ path: '/usage' }),
});
describeAccess(() => test, {
  method: 'GET',
  scope: 'endpoint:read',
  status: 200,
  call: async () => ({ path: '/logs' }),
});
