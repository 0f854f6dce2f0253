/** The processor time of executions beside what the engine's log says of each. */
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { remoteConnection } from '../../src/engine/clickhouse/http/connection.ts';
import { byCountry, save } from '../rest/support/sales.ts';
import { eventually } from '../support/eventually.ts';
import { openTestApp, type TestApp } from '../support/test-app.ts';

let test: TestApp;
const settledMs = 10_000;

beforeAll(async () => {
  test = await openTestApp();
  await test.sql(
    'CREATE TABLE sales (country String, amount UInt32, day Date, note Nullable(String)) ENGINE = MergeTree ORDER BY day',
  );
  await test.sql(
    "INSERT INTO sales SELECT toString(number % 7), number, '2026-01-01', NULL FROM numbers(100000)",
  );
  await save(test, 'sales');
  await save(test, 'rows', { query: 'SELECT * FROM sales' });
  await save(test, 'endless', { query: 'SELECT sum(sipHash64(number)) FROM numbers(1e12)' });
  await save(test, 'failing', { query: 'SELECT sum(throwIf(amount = 99999)) AS n FROM sales' });
});
afterAll(() => test.close());

/** Usage of a day is that of the test alone. */
beforeEach(() => test.clock.advance(3 * 86_400_000));

async function executions() {
  const after = new Date(test.clock.now().getTime() - 3_600_000).toISOString();
  const { body } = await test.rest('GET', `/logs?limit=100&after=${after}`);
  return body.results as readonly {
    readonly instance_id: string;
    readonly processor_seconds: number | null;
  }[];
}

/**
 * Microseconds of each execution, as the administrator reads them in the log. The engine answers before it writes the
 * entry, so that a flush right after an answer may come too early.
 */
async function logged(): Promise<ReadonlyMap<string, number>> {
  const ids = (await executions()).map(({ instance_id: id }) => id);
  let micros: ReadonlyMap<string, number> = new Map();
  await eventually('the engine has logged all executions', async () => {
    micros = await loggedNow(ids);
    return micros.size === ids.length;
  });
  return micros;
}

async function loggedNow(ids: readonly string[]): Promise<ReadonlyMap<string, number>> {
  await test.sql('SYSTEM FLUSH LOGS');
  const text = await test.sql(
    `SELECT substring(query_id, 1, 36), sum(ProfileEvents['UserTimeMicroseconds']) + sum(ProfileEvents['SystemTimeMicroseconds']) FROM system.query_log WHERE type IN ('QueryFinish', 'ExceptionWhileProcessing', 'ExceptionBeforeStart') AND arrayExists(id -> startsWith(query_id, id), ['${ids.join("', '")}']) GROUP BY 1`,
  );
  const lines = text.split('\n').filter((line) => line !== '');
  return new Map(
    lines.map((line) => line.split('\t')).map(([id = '', micros]) => [id, Number(micros)]),
  );
}

async function total(query = 'step=all') {
  const { body } = await test.rest('GET', `/usage?${query}`);
  return body.total as Readonly<Record<string, number | null>>;
}

async function run(path: string) {
  return test.rest('GET', `/endpoints/${path}`);
}

it('is added to the minute of each execution, as the engine has logged it', async () => {
  await run('sales/run?refresh=force');
  await run('sales/run');
  await run('rows/run?format=csv&limit=1000');
  await run('failing/run?refresh=force');
  await test.rest('POST', '/query', { body: { query: byCountry } });
  await test.graphql('{ runEndpoint(projectId: "@current", name: "rows") { results } }');
  const ranAt = test.clock.now();
  expect(await total()).toMatchObject({ executions: 5, measured_executions: 0 });
  expect(await total()).toMatchObject({ processor_seconds: null });
  const micros = await logged();
  expect(micros.size).toBe(5);
  const sum = [...micros.values()].reduce((a, b) => a + b, 0);
  expect(sum).toBeGreaterThan(0);

  await test.app.core.loggedWork.collect();
  expect(await total(), 'the log may lack entries of other nodes').toMatchObject({
    measured_executions: 0,
  });
  test.clock.advance(2 * 60_000);
  await test.app.core.loggedWork.collect();
  await test.app.core.loggedWork.collect();
  const measured = { executions: 5, measured_executions: 5, processor_seconds: sum / 1e6 };
  expect(await total()).toMatchObject(measured);
  for (const step of ['minute', 'hour', 'day']) {
    const { body } = await test.rest('GET', `/usage?step=${step}&from=${ranAt.toISOString()}`);
    expect(body.total, step).toMatchObject(measured);
    expect(body.results, step).toHaveLength(1);
  }
  for (const entry of await executions()) {
    const own = micros.get(entry.instance_id);
    expect(entry.processor_seconds).toBe((own ?? Number.NaN) / 1e6);
  }
});

it('is told alike by GraphQL, the endpoint _usage, the status and the log of an execution', async () => {
  await run('sales/run?refresh=force');
  const [[id, micros] = ['', 0]] = [...(await logged())];
  test.clock.advance(settledMs);
  await test.app.core.loggedWork.collect();
  const seconds = micros / 1e6;
  expect(await executions()).toMatchObject([{ processor_seconds: seconds }]);
  const { body } = await test.graphql(
    `{ usage(projectId: "@current", step: "all") { total { processorSeconds measuredExecutions } }
      endpointUsage(projectId: "@current", name: "sales", step: "all") { total { processorSeconds } }
      executions(projectId: "@current", first: 1) { entries { id processorSeconds } }
      queryStatus(projectId: "@current", id: "${id}") { queryProgress { activeCpuTime } } }`,
  );
  expect(body).toEqual({
    data: {
      usage: { total: { processorSeconds: seconds, measuredExecutions: 1 } },
      endpointUsage: { total: { processorSeconds: seconds } },
      executions: { entries: [{ id, processorSeconds: seconds }] },
      queryStatus: { queryProgress: { activeCpuTime: seconds } },
    },
  });
  const rows = await run(
    '_usage/run?variables[step]=all&rows=objects&columns=processor_seconds,measured_executions&refresh=force',
  );
  expect(rows.body.results).toEqual([{ processor_seconds: seconds, measured_executions: 1 }]);
});

it('comes with what failed and cancelled executions have read, as the engine has logged it', async () => {
  const { core } = test.app;
  const metric = async () => {
    const text = (await test.rest('GET', '/api/../metrics', { key: null })).text;
    const line = new RegExp(
      `^querydock_engine_rows_read_total.*"${test.project.id}".* (\\d+)$`,
      'm',
    );
    return Number(line.exec(text)?.[1] ?? 0);
  };
  const before = await metric();
  await run('failing/run?refresh=force');
  const endless = test.rest('GET', '/endpoints/endless/run?client_query_id=stopped');
  await eventually('it has read rows', async () => {
    const { body } = await test.graphql(
      '{ queryStatus(projectId: "@current", id: "stopped") { queryProgress { rowsRead } } }',
    );
    const status = body.data?.queryStatus as {
      readonly queryProgress: { readonly rowsRead: number };
    } | null;
    return Number(status?.queryProgress.rowsRead) > 0;
  });
  test.clock.advance(3000);
  await test.graphql('mutation { cancelQuery(projectId: "@current", id: "stopped") { id } }');
  expect((await endless).body).toMatchObject({ code: 'query_cancelled' });
  expect(await total()).toMatchObject({ executions: 2, rows_read: 0, bytes_read: 0 });
  const ids = (await executions()).map(({ instance_id: id }) => id);
  const read = new Map<string, readonly [number, number]>();
  await eventually('the engine has logged both', async () => {
    await test.sql('SYSTEM FLUSH LOGS');
    const text = await test.sql(
      `SELECT query_id, ProfileEvents['SelectedRows'], ProfileEvents['SelectedBytes'] FROM system.query_log WHERE type = 'ExceptionWhileProcessing' AND query_id IN ('${ids.join("', '")}')`,
    );
    for (const line of text.trim().split('\n')) {
      const [id = '', rows, bytes] = line.split('\t');
      if (id !== '') read.set(id, [Number(rows), Number(bytes)]);
    }
    return read.size === 2;
  });
  test.clock.advance(settledMs);
  await core.loggedWork.collect();
  await core.loggedWork.collect();
  const sum = (at: 0 | 1) => [...read.values()].reduce((all, sums) => all + sums[at], 0);
  expect(sum(0)).toBeGreaterThan(100_000);
  expect(await total()).toMatchObject({
    executions: 2,
    rows_read: sum(0),
    bytes_read: sum(1),
    engine_seconds: 3,
  });
  expect((await metric()) - before).toBe(sum(0));
  for (const entry of await executions()) {
    const [rows, bytes] = read.get(entry.instance_id) ?? [];
    expect(entry).toMatchObject({ rows_read: rows, bytes_read: bytes });
  }
});

it('is nothing for runs from the cache, and unknown for executions that the log does not name', async () => {
  await run('sales/run?refresh=force');
  await logged();
  test.clock.advance(settledMs);
  await test.app.core.loggedWork.collect();
  await run('sales/run');
  expect(await total('step=all&path=cache')).toMatchObject({ processor_seconds: 0, runs: 1 });

  test.app.core.loggedWork.note({
    id: '01a1fd83-644e-7c12-965f-1a6175311c2a',
    of: {
      projectId: test.project.id,
      endpointId: '01a1fd83-644e-7c12-965f-1a6175311c2b',
      endpointName: 'gone',
      version: 1,
      keyId: '01a1fd83-644e-7c12-965f-1a6175311c2c',
      interface: 'rest',
      path: 'inline',
      outcome: 'ok',
    },
    atMs: test.clock.now().getTime(),
    uncountedMs: null,
  });
  expect(test.app.core.loggedWork.problem()).toBeNull();
  test.clock.advance(400_000);
  await test.app.core.loggedWork.collect();
  expect(test.app.core.loggedWork.problem()).toMatch(/no entries for executions/);
  await run('sales/run?refresh=force');
  await logged();
  test.clock.advance(settledMs);
  await test.app.core.loggedWork.collect();
  expect(test.app.core.loggedWork.problem()).toBeNull();
});

it('comes from a log that no query of a project reads, neither by the service nor as its user', async () => {
  await run('sales/run?refresh=force');
  await logged();
  const texts = [
    'SELECT query FROM system.query_log',
    'SELECT ProfileEvents FROM `system`.`query_log`',
    "SELECT * FROM merge('system', 'query_log')",
    "SELECT * FROM merge('system', '^query')",
    "SELECT * FROM clusterAllReplicas('default', system.query_log)",
  ];
  for (const query of texts) {
    const { body } = await test.rest('POST', '/query', { body: { query } });
    expect(body, query).toMatchObject({ code: 'invalid_query' });
  }
  const { config } = test.app.core;
  const { url, credentials } = remoteConnection(
    config.clickhouseUrl,
    config.clickhouseUserSecret,
    config,
  );
  for (const role of ['reader', 'writer'] as const) {
    const { user, password } = credentials(test.project.id, role);
    const headers = { 'X-ClickHouse-User': user, 'X-ClickHouse-Key': password };
    for (const query of texts) {
      const answer = await fetch(url, { method: 'POST', headers, body: query });
      expect(answer.ok, `${role}: ${query}`).toBe(false);
    }
  }
  const kept = await test.sql(
    `SELECT count() > 0, groupUniqArrayIf(5)(query, NOT match(query, '^.removed [0-9]+ characters.$')) FROM system.query_log WHERE user LIKE 'project_${test.project.id}_%'`,
  );
  expect(kept.trim(), 'entries, and texts in them').toBe('1	[]');
});
