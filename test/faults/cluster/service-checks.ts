/** What callers of the service get with these servers as its engine. */
import { projectLogin } from '../../../src/engine/clickhouse/http/connection.ts';
import {
  type Check,
  failed,
  notApplicable,
  passed,
  requireService,
  until,
  type World,
} from './check.ts';
import { SqlError } from './servers.ts';
import { clusterSettings, openAcceptanceService } from './service.ts';

interface RunBody {
  readonly results: readonly (readonly unknown[])[];
  readonly endpoint_materialized: boolean;
}

interface StatusBody {
  readonly status?: string;
  readonly ready?: boolean;
  readonly error?: string | null;
  readonly last_materialized_at?: string | null;
}

/** With the DDL queue, the same rows on all nodes, of whatever shard. */
const create = (table: string, on: string) =>
  `CREATE TABLE ${table}${on} (kind String, n UInt64) ENGINE = ${on === '' ? 'MergeTree' : "ReplicatedMergeTree('/querydock_acceptance/{uuid}', '{shard}-{replica}')"} ORDER BY kind`;
const rows = "SELECT ['a', 'b', 'c'][number % 3 + 1], number FROM numbers(30000)";
const byKind =
  'SELECT kind, count() AS rows, sum(n) AS total FROM events GROUP BY kind ORDER BY kind';
const expected = [
  ['a', 10_000, 149_985_000],
  ['b', 10_000, 149_995_000],
  ['c', 10_000, 150_005_000],
];
/** Runs for as long as it is let. */
const endless = 'SELECT sum(cityHash64(number)) AS n FROM numbers(1000000000000)';

const save = async (world: World, name: string, query: string, more: object = {}) => {
  const body = { name, query, cache_age_seconds: 0, ...more };
  const saved = await requireService(world).rest('POST', '', body);
  if (saved.status !== 201) throw new Error(`not saved: ${JSON.stringify(saved.body)}`);
};

async function runRows(world: World, tail: string): Promise<RunBody> {
  const { status, body } = await requireService(world).rest<RunBody>('GET', tail);
  if (status !== 200) throw new Error(`the run got ${status}: ${JSON.stringify(body)}`);
  return body;
}

const areEqual = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b);

/** With the rows of the project on every server, as replicas have them. */
async function tryProject(world: World) {
  world.service = await openAcceptanceService(world.options, world);
  const { servers, projectDatabase, options } = world;
  const isOnAll = options.nodes.length === 0 || 'CLICKHOUSE_NODES' in clusterSettings(options);
  const table = `${projectDatabase}.events`;
  if (isOnAll) {
    const on = await servers.everywhere((by) => create(table, by));
    await servers.each(`INSERT INTO ${table} ${rows}`);
    if (on !== '') await servers.sql(`SYSTEM SYNC REPLICA${on} ${table}`);
  } else {
    for (const sql of [create(table, ''), `INSERT INTO ${table} ${rows}`]) await servers.sql(sql);
  }
  const given = Object.keys(clusterSettings(options));
  return passed(`${projectDatabase}${given.length === 0 ? '' : `, with ${given.join(' and ')}`}`);
}

async function tryRights({ servers, projectId, projectDatabase, secret }: World) {
  const login = projectLogin(secret, projectId, 'reader');
  const refused = async (sql: string) => {
    try {
      await servers.sql(sql, { login });
    } catch (error) {
      return error instanceof SqlError && error.code > 0;
    }
    return false;
  };
  const own = await servers.sql(`SELECT count() FROM ${projectDatabase}.events`, { login });
  if (own !== '30000') return failed(`the reader counts ${own} rows of 30000`);
  for (const sql of [
    'SELECT * FROM system.users',
    `INSERT INTO ${projectDatabase}.events VALUES ('d', 1)`,
    `DROP TABLE ${projectDatabase}.events`,
    `CREATE TABLE ${projectDatabase}.other (n UInt8) ENGINE = Memory`,
    "SELECT * FROM url('http://127.0.0.1:1/', CSV, 'a String')",
    'SELECT 1 SETTINGS max_execution_time = 0',
  ]) {
    if (!(await refused(sql))) return failed(`the reader may ${sql}`);
  }
  return passed();
}

async function running({ servers, projectId }: World): Promise<number> {
  const sql = `SELECT count() FROM ${servers.ofAllNodes('system.processes')} WHERE user = 'project_${projectId}_reader'`;
  return (await servers.each(sql)).reduce((sum, count) => sum + Number(count), 0);
}

const cancelDocument = (id: string) =>
  `mutation { cancelQuery(projectId: "@current", id: "${id}") { __typename } }`;

async function tryCancel(world: World) {
  const service = requireService(world);
  await save(world, 'endless', endless);
  const id = `acceptance-${world.projectId}`;
  const run = service.rest<{ readonly code?: string }>('POST', '/endless/run', {
    client_query_id: id,
  });
  let rowsRead = 0;
  await until(world, 'the query makes progress', async () => {
    const document = `{ queryStatus(projectId: "@current", id: "${id}") { queryProgress { rowsRead } } }`;
    const data = await service.graphql(document).catch(() => null);
    const status = data?.queryStatus as { queryProgress?: { rowsRead?: number } } | undefined;
    rowsRead = Number(status?.queryProgress?.rowsRead ?? 0);
    return rowsRead > 0;
  });
  await service.graphql(cancelDocument(id));
  const { status, body } = await run;
  await until(world, 'no server runs it', async () => (await running(world)) === 0);
  if (status === 200) return failed('it ended by itself');
  return passed(`${rowsRead} rows read when it was cancelled; the caller got ${body.code}`);
}

const statusOf = async (world: World) =>
  (await requireService(world).rest<StatusBody>('GET', '/stored/materialization_status')).body;

async function trySync(world: World) {
  await save(world, 'stored', byKind, { is_materialized: true });
  let last: StatusBody = {};
  await until(world, 'the first sync is done', async () => {
    last = await statusOf(world);
    return last.ready === true || last.status === 'Failed';
  });
  if (last.ready !== true) return failed(`the sync failed: ${last.error}`);
  const { results, endpoint_materialized } = await runRows(world, '/stored/run?refresh=force');
  if (!areEqual(results, expected)) return failed(`other rows: ${JSON.stringify(results)}`);
  if (!endpoint_materialized) return failed('the run did not read the stored table');
  const tables = await storedTables(world);
  return passed(`stored tables on the servers: ${tables.join(', ')}`);
}

function storedTables({ servers, projectDatabase }: World): Promise<readonly string[]> {
  return servers.each(
    `SELECT count() FROM ${servers.ofAllNodes('system.tables')} WHERE database = '${projectDatabase}' AND startsWith(name, '_materialized_')`,
  );
}

/** The next sync replaces the table while it is read. */
async function tryPublish(world: World) {
  const before = (await statusOf(world)).last_materialized_at;
  if (before === null || before === undefined) return notApplicable('nothing is stored');
  const document =
    'mutation { syncMaterialization(projectId: "@current", name: "stored") { __typename } }';
  await requireService(world).graphql(document);
  let runs = 0;
  const wrong: unknown[] = [];
  await until(world, 'another table is published', async () => {
    const { results } = await runRows(world, '/stored/run?refresh=force');
    runs += 1;
    if (!areEqual(results, expected)) wrong.push(results);
    const { last_materialized_at: now } = await statusOf(world);
    return now !== before;
  });
  if (wrong.length > 0) return failed(`${wrong.length} of ${runs} runs had other rows`);
  return passed(`${runs} runs meanwhile, each with the right rows`);
}

export const serviceChecks: readonly Check[] = [
  { name: 'The service starts and makes a project', try: tryProject },
  { name: 'The reader of the project reads its rows and may do nothing else', try: tryRights },
  {
    name: 'An endpoint returns the rows, also by a variable',
    async try(world) {
      await save(world, 'by_kind', byKind);
      const { results } = await runRows(world, '/by_kind/run');
      if (!areEqual(results, expected)) return failed(`other rows: ${JSON.stringify(results)}`);
      await save(world, 'of', 'SELECT sum(n) AS total FROM events WHERE kind = {kind:String}');
      const one = await runRows(world, '/of/run?variables[kind]=b');
      return areEqual(one.results, [[149_995_000]])
        ? passed()
        : failed(`other rows: ${JSON.stringify(one.results)}`);
    },
  },
  {
    name: 'A query of another database is refused',
    async try(world) {
      const body = { name: 'others', query: 'SELECT name FROM system.users' };
      const { status } = await requireService(world).rest('POST', '', body);
      return status === 400 ? passed() : failed(`saving it got ${status}`);
    },
  },
  {
    name: 'A running query tells its progress, and ends everywhere when it is cancelled',
    try: tryCancel,
  },
  { name: 'A materialization is stored and read', try: trySync },
  { name: 'The next sync replaces it under readers', try: tryPublish },
  {
    name: 'Deleting the endpoint drops what was stored',
    async try(world) {
      await requireService(world).rest('DELETE', '/stored');
      await until(world, 'no stored table is left', async () =>
        (await storedTables(world)).every((count) => count === '0'),
      );
      return passed();
    },
  },
];
