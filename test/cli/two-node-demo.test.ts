/** The demo on two local nodes: a shard of the flights on each, and the rows of the demo on one. */
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readServerFile } from '../../src/cli/server-file.ts';
import {
  type Caller,
  callRest,
  type EndpointBody,
  type ListBody,
  type RunBody,
} from './support/calls.ts';
import {
  areGone,
  descendantsOf,
  querydock,
  querydockJson,
  readDemo,
  root,
  type Server,
  saysUntilEnd,
  start,
  startServer,
  type TempFolder,
  tempFolder,
} from './support/processes.ts';

const main = path.join(root, 'src', 'main.ts');
let folder: TempFolder;
beforeAll(async () => {
  folder = await tempFolder();
});
afterAll(() => folder.remove());

interface Demo {
  readonly server: Server;
  readonly caller: Caller;
  sql(statement: string): Promise<string>;
}

async function startDemo(env: Readonly<Record<string, string>> & { readonly DATA_DIR: string }) {
  const server = await startServer('demo', env);
  const demo = await readDemo(env.DATA_DIR);
  const engine = readServerFile(env.DATA_DIR)?.engine;
  if (engine === undefined) throw new Error('no server file');
  return {
    server,
    caller: { url: demo.url, projectId: demo.project_id, key: demo.api_key },
    async sql(statement) {
      const headers = { 'x-clickhouse-user': engine.user, 'x-clickhouse-key': engine.password };
      const response = await fetch(`${engine.url}/?database=project_1`, {
        method: 'POST',
        body: statement,
        headers,
      });
      const text = await response.text();
      if (!response.ok) throw new Error(text);
      return text.trim();
    },
  } satisfies Demo;
}

/** Queries that look another table up on each shard. */
const more = [
  {
    name: 'arrivals_by_state',
    query:
      "SELECT destination, count() AS flights FROM flights WHERE destination IN (SELECT iata FROM airports WHERE state = 'CA') GROUP BY destination ORDER BY flights DESC, destination",
  },
  {
    name: 'departures_by_state',
    query:
      'SELECT airports.state AS state, count() AS flights, sum(flights.delay) AS delay FROM flights INNER JOIN airports ON airports.iata = flights.origin GROUP BY state ORDER BY state',
  },
];

const needed: Readonly<Record<string, string>> = { airport: '&variables[code]=sfo' };

async function rowsOf({ caller }: Demo, refresh: string) {
  const { body } = await callRest<ListBody<EndpointBody>>(caller, { path: '' });
  const rows = new Map<string, unknown>();
  for (const { name } of body.results) {
    const run = await callRest<RunBody>(caller, {
      path: `/${name}/run?refresh=${refresh}${needed[name] ?? ''}`,
    });
    rows.set(name, [run.status, run.body.results]);
  }
  return rows;
}

const shards =
  "SELECT count() FROM clusterAllReplicas(querydock, system.tables) WHERE database = 'project_1'";

describe('the demo with --nodes 2', () => {
  it('answers on two nodes as it did on one, after a start that was killed', async () => {
    const env = { DATA_DIR: path.join(folder.dir, 'data') };
    const one = await startDemo(env);
    expect(one.server.stdout()).not.toContain('nodes');
    await one.sql("INSERT INTO flights VALUES ('2001-02-03 04:05:00', 5, 100, 'SFO', 'ANC')");
    for (const body of more) {
      expect((await callRest(one.caller, { method: 'POST', path: '', body })).status).toBe(201);
    }
    const expected = await rowsOf(one, 'force');
    expect(expected.size).toBe(7 + more.length);
    await one.server.end('SIGINT');

    const killed = start([process.execPath, main, 'demo', '--nodes', '2'], { ...env, PORT: '0' });
    await saysUntilEnd(killed, 'Spreading flights');
    const children = descendantsOf(killed.pid);
    await killed.end('SIGKILL');
    await areGone(children);

    const two = await startDemo({ ...env, LOCAL_NODES: '2' });
    expect(two.server.stdout()).toContain(
      'ClickHouse 2 nodes on this machine; the table flights has a shard on each',
    );
    expect(await rowsOf(two, 'force')).toEqual(expected);
    const shares = `SELECT count() FROM clusterAllReplicas(querydock, project_1, flights_local) GROUP BY tcpPort() ORDER BY 1`;
    const [least = 0, most = 0] = (await two.sql(shares)).split('\n').map(Number);
    expect(least + most).toBe(3_000_001);
    expect(least).toBeGreaterThan(1_450_000);
    const { tables } = await querydockJson<{ tables: readonly Record<string, unknown>[] }>(
      ['data', 'tables', '--project', 'flights'],
      env,
    );
    expect(tables).toMatchObject([
      { name: 'airports', rows: 3376 },
      { name: 'flights', rows: 3_000_001 },
      { name: 'flights_local' },
    ]);
    expect(await two.sql(`${shards} AND startsWith(name, '_load_')`)).toBe('0');
    await two.server.end('SIGINT');

    // Without a number it has as many as before, and nothing is spread again.
    const again = await startDemo(env);
    expect(again.server.stdout()).toContain('2 nodes on this machine');
    expect(again.server.stdout()).not.toContain('Spreading');
    expect(await rowsOf(again, 'cache')).toEqual(expected);
    await again.server.end('SIGINT');

    const fewer = await querydock(['demo', '--nodes', '1'], { ...env, PORT: '0' });
    expect(fewer.code).toBe(1);
    expect(fewer.stderr).toContain('has 2 local ClickHouse nodes, not 1');
    expect(fewer.stderr).toContain('Start with --nodes 2');
    expect(readdirSync(env.DATA_DIR)).toContain('clickhouse-2');
  });

  it('refuses a number that is none, and one for a ClickHouse elsewhere', async () => {
    const env = { DATA_DIR: path.join(folder.dir, 'unused'), PORT: '0' };
    const wrong = await querydock(['demo', '--nodes', 'two'], env);
    expect(wrong.code).toBe(1);
    expect(wrong.stderr).toContain('LOCAL_NODES=two is not an integer');
    const url = { ...env, CLICKHOUSE_URL: 'http://admin:secret@127.0.0.1:8123' };
    const elsewhere = await querydock(['start', '--nodes', '2'], url);
    expect(elsewhere.code).toBe(1);
    expect(elsewhere.stderr).toContain('LOCAL_NODES is for the local ClickHouse');
  });
});
