import pg from 'pg';
import { projectLogin } from '../src/engine/clickhouse/http/connection.ts';
import { openCachedRows } from './cached-rows.ts';
import { has } from './checks.ts';
import type { ChildScript, Environment } from './child-server.ts';
import type { DemoServer } from './demo-server.ts';
import type { Target } from './figure.ts';
import type { LoadCase } from './socket-load.ts';

export interface Peer {
  readonly name: string;
  readonly target: Target;
  readonly server: ChildScript;
  /** The request to Querydock that it is compared with. */
  readonly own: LoadCase;
  /** The request to the peer's own server. */
  readonly request: Omit<LoadCase, 'url'> & { readonly path: string };
  readonly note: string;
}

export async function openPeers(demo: DemoServer): Promise<readonly Peer[]> {
  const { rest, graphql, rows } = await openCachedRows(demo, 'delays_by_hour');
  const run = await demo.rest('GET', '/delays_by_hour/run');
  const env = { PEER_RUN: JSON.stringify(toField(run)) };
  const compact = JSON.stringify(JSON.parse(rows));
  const inField = has(compact, '"isCached":true');
  const anonymous = { method: 'GET', headers: {} } as const;
  const table = JSON.parse(rows) as readonly HourRow[];
  await storeRows(demo, table);
  return [
    {
      name: '@hypequery/serve',
      target: { atLeast: 5 },
      own: rest,
      server: { script: 'peers/hypequery.ts', env: engineEnv(demo) },
      request: { ...anonymous, path: '/rows', check: hasObjects(table) },
      note: 'GET, its cache on; Querydock by REST GET, cached',
    },
    {
      name: 'sofa-api',
      target: { atLeast: 1 },
      own: rest,
      server: { script: 'peers/sofa.ts', env },
      request: {
        ...anonymous,
        path: '/api/run-endpoint?projectId=1&name=delays_by_hour',
        check: inField,
      },
      note: 'GET of a field whose rows are in memory; Querydock by REST GET, cached',
    },
    {
      name: 'mercurius',
      target: { atLeast: 1.2 },
      own: graphql,
      server: { script: 'peers/mercurius.ts', env },
      request: { ...graphql, path: '/graphql', check: inField },
      note: 'the same POST, JIT on, rows in memory; Querydock by GraphQL POST, cached',
    },
    {
      name: 'postgraphile',
      target: { atLeast: 1 },
      own: graphql,
      server: { script: 'peers/postgraphile.ts', env: { DATABASE_URL: demo.server.database_url } },
      request: {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        path: '/graphql',
        bodies: [JSON.stringify({ query: tableQuery })],
        check: hasObjects(table),
      },
      note: 'POST for the rows of a table, which it cannot cache; Querydock by GraphQL POST, cached',
    },
  ];
}

const tableQuery =
  '{ allHourDelays(orderBy: HOUR_ASC) { nodes { hour flights avgDelay latePercent } } }';

type HourRow = readonly [hour: number, flights: number, avgDelay: number, latePercent: number];

/** The REST response under the field's names. */
function toField(run: Readonly<Record<string, unknown>>): object {
  const { results, columns, types } = run;
  return { results, columns, types, isCached: true, lastRefresh: run.last_refresh };
}

function engineEnv({ server, projectId }: DemoServer): Environment {
  const { user, password, database } = projectLogin(server.engine.secret, projectId, 'reader');
  return {
    ENGINE_URL: server.engine.url,
    ENGINE_USER: user,
    ENGINE_PASSWORD: password,
    ENGINE_DATABASE: database,
  };
}

/** As a table in both stores, for the peers that read one. */
async function storeRows(demo: DemoServer, rows: readonly HourRow[]): Promise<void> {
  const values = rows.map((row) => `(${row.join(', ')})`).join(', ');
  await demo.sql(
    'CREATE TABLE hour_delays (hour UInt8, flights UInt64, avg_delay Float64, late_percent Float64) ENGINE = MergeTree ORDER BY hour',
  );
  await demo.sql(`INSERT INTO hour_delays VALUES ${values}`);
  const client = new pg.Client({ connectionString: demo.server.database_url });
  await client.connect();
  try {
    await client.query(`CREATE SCHEMA bench;
      CREATE TABLE bench.hour_delays (hour int PRIMARY KEY, flights int, avg_delay float8, late_percent float8);
      INSERT INTO bench.hour_delays VALUES ${values}`);
  } finally {
    await client.end();
  }
}

/** All rows in their order, as objects whatever their members are called. */
function hasObjects(rows: readonly HourRow[]): LoadCase['check'] {
  return ({ status, body }) => {
    const found = objectsIn(JSON.parse(body.toString()));
    const isSame = JSON.stringify(found.map((row) => Object.values(row).map(Number)));
    if (status !== 200 || isSame !== JSON.stringify(rows))
      throw new Error(`returned ${status}: ${body.toString('utf8', 0, 500)}`);
  };
}

/** The first array in a response. */
function objectsIn(value: unknown): readonly object[] {
  if (Array.isArray(value)) return value as readonly object[];
  if (typeof value !== 'object' || value === null) return [];
  return (
    Object.values(value)
      .map(objectsIn)
      .find((found) => found.length > 0) ?? []
  );
}
