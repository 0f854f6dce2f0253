/** Two local engines that form a cluster: how they reach each other, with whose rights, and what they reach beyond that. */
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { readConfig } from '../../../src/config/config.ts';
import { openClickHouseEngine } from '../../../src/engine/clickhouse/clickhouse-engine.ts';
import { openEmbeddedNodes } from '../../../src/engine/embedded/embedded-nodes.ts';
import { prepareNodeFolders } from '../../../src/engine/embedded/node-folders.ts';
import { eventually } from '../../support/eventually.ts';
import { hasLandlock } from '../../support/landlock.ts';
import { isThere } from '../../support/needs.ts';
import { openTwoNodes, type TwoNodes } from '../../support/two-nodes.ts';
import { adminRunner } from '../support/admin.ts';
import { log, secret } from '../support/local-engine.ts';

describe('two nodes', () => {
  let two: TwoNodes;
  const each = async (statement: string) => {
    for (const node of [0, 1] as const) await two.sql(node, statement);
  };

  beforeAll(async () => {
    two = await openTwoNodes();
  });
  afterAll(() => two?.stop());
  beforeEach(async () => {
    await each('CREATE DATABASE project_1');
    await each('CREATE TABLE project_1.part (n UInt64) ENGINE = MergeTree ORDER BY n');
  });
  afterEach(() => each('DROP DATABASE project_1 SYNC'));

  const reader = () => two.connection.credentials(1, 'reader');
  const distributed = (cluster: string) =>
    two.sql(
      0,
      `CREATE TABLE project_1.whole AS project_1.part ENGINE = Distributed(${cluster}, project_1, part, n)`,
    );

  it('are the shards of one cluster, and the replicas of the only shard of another', async () => {
    const rows = (cluster: string) =>
      two.sql(
        1,
        `SELECT shard_num, replica_num, is_local FROM system.clusters WHERE cluster = '${cluster}' ORDER BY ALL`,
      );
    expect(await rows(two.clusters.shards)).toBe('1\t1\t0\n2\t1\t1\n');
    expect(await rows(two.clusters.every)).toBe('1\t1\t0\n1\t2\t1\n');
    const ports = `SELECT uniqExact(tcpPort()) FROM clusterAllReplicas(${two.cluster}, system.one)`;
    expect(await two.sql(0, ports)).toBe('2\n');
  });

  it('hold the rows of a Distributed table between them', async () => {
    await distributed(two.clusters.shards);
    const insert = 'INSERT INTO project_1.whole SELECT number FROM numbers(1000)';
    await two.sql(0, `${insert} SETTINGS distributed_foreground_insert = 1`);
    const counts = await Promise.all(
      ([0, 1] as const).map((node) => two.sql(node, 'SELECT count() FROM project_1.part')),
    );
    expect(counts).toEqual(['500\n', '500\n']);
    expect(await two.sql(0, 'SELECT count(), sum(n) FROM project_1.whole', reader())).toBe(
      '1000\t499500\n',
    );
  });

  it('each get what is written to the cluster of all nodes', async () => {
    const insert = `INSERT INTO FUNCTION cluster(${two.cluster}, project_1, part) SELECT number FROM numbers(10)`;
    await two.sql(0, `${insert} SETTINGS distributed_foreground_insert = 1`);
    for (const node of [0, 1] as const) {
      expect(await two.sql(node, 'SELECT sum(n) FROM project_1.part', reader())).toBe('45\n');
    }
  });

  it('read another node with the rights that the user has there', async () => {
    await each('CREATE DATABASE others');
    await each('CREATE TABLE others.t ENGINE = MergeTree ORDER BY n AS SELECT toUInt64(7) AS n');
    const whole = `CREATE TABLE project_1.whole (n UInt64) ENGINE = Distributed(${two.clusters.shards}, others, t)`;
    await two.sql(0, whole);
    expect(await two.sql(0, 'SELECT sum(n) FROM project_1.whole')).toBe('14\n');
    const asReader = two.sql(0, 'SELECT sum(n) FROM project_1.whole', reader());
    await expect(asReader).rejects.toThrow(/ACCESS_DENIED/);
    await each('DROP DATABASE others');
  });

  it('refuse the readers any other way to a node', async () => {
    for (const source of [
      `clusterAllReplicas(${two.cluster}, system.one)`,
      `cluster(${two.cluster}, project_1, part)`,
      `remote('127.0.0.1:9000', project_1, part)`,
    ]) {
      const read = two.sql(0, `SELECT * FROM ${source}`, reader());
      await expect(read, source).rejects.toThrow(/ACCESS_DENIED/);
    }
  });

  it('find each other again after one was killed', async () => {
    const pid = two.pid(1) ?? 0;
    process.kill(pid, 'SIGKILL');
    const both = `SELECT count() FROM clusterAllReplicas(${two.cluster}, system.one)`;
    await eventually('both answer', async () => {
      const rows = await two.sql(0, both).catch(() => '');
      return two.pid(1) !== pid && rows === '2\n';
    });
  });

  it('of which one stays away until it is started again keep their rows', async () => {
    await two.sql(1, 'INSERT INTO project_1.part SELECT 5');
    await two.kill(1);
    await expect(two.sql(1, 'SELECT 1')).rejects.toThrow();
    expect(await two.sql(0, 'SELECT 1')).toBe('1\n');
    await two.start(1);
    expect(await two.sql(1, 'SELECT sum(n) FROM project_1.part')).toBe('5\n');
  });

  it.runIf(isThere('Landlock', hasLandlock))(
    'connect to each other and to nothing else',
    async () => {
      let calls = 0;
      const server = createServer((_request, response) => {
        calls += 1;
        response.end('1\n');
      });
      await once(server.listen(0, '127.0.0.1'), 'listening');
      const { port } = server.address() as AddressInfo;
      const sql = `SELECT * FROM url('http://127.0.0.1:${port}/', CSV, 'a String') SETTINGS http_max_tries = 1`;
      await expect(two.sql(0, sql)).rejects.toThrow();
      await expect(two.sql(0, `SELECT file('/etc/passwd')`)).rejects.toThrow(/denied|No such file/);
      expect(calls).toBe(0);
      server.close();
    },
  );
});

describe('the nodes of a data folder', () => {
  let dataDir: string;
  beforeEach(() => {
    dataDir = join(mkdtempSync(join(tmpdir(), 'querydock-nodes-')), 'data');
  });
  afterEach(() => rmSync(dataDir, { recursive: true, force: true }));
  const folders = (localNodes: number) => prepareNodeFolders({ dataDir, localNodes });
  const paths = (...names: readonly string[]) => names.map((name) => join(dataDir, name));

  it('are one in a new folder, which is left for the engine to make', () => {
    expect(folders(0)).toEqual(paths('clickhouse'));
    expect(existsSync(dataDir)).toBe(false);
  });

  it('stay as many as they are', () => {
    expect(folders(2)).toEqual(paths('clickhouse', 'clickhouse-2'));
    expect(folders(0)).toEqual(paths('clickhouse', 'clickhouse-2'));
  });

  it('may become several of one', () => {
    folders(1);
    expect(folders(3)).toEqual(paths('clickhouse', 'clickhouse-2', 'clickhouse-3'));
  });

  it.each([1, 3])('do not become %i of two', (count) => {
    folders(2);
    expect(() => folders(count)).toThrow(
      `has 2 local ClickHouse nodes, not ${count}, and each node has rows that no other has`,
    );
  });
});

it('gives a project its users on every node, lets nobody in without a password, and stops all of them', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'querydock-nodes-'));
  const { engine, nodes } = await openEmbeddedNodes({
    dirs: [join(dir, 'one'), join(dir, 'two')],
    config: readConfig({}),
    log,
    secret,
    highestProjectId: 0,
  });
  const { connection } = engine;
  const driver = openClickHouseEngine({ connection, config: readConfig({}), log, local: engine });
  await driver.provision(200);
  const users = `SELECT count() FROM system.users WHERE name = 'project_200_reader'`;
  for (const node of nodes) expect(await adminRunner(node.connection)(users)).toBe('1\n');
  expect(engine.state()).toBe('ready');
  expect(engine.cpuSeconds()).toBeGreaterThan(0);
  await driver.close();
  const [, second] = nodes;
  if (second === undefined) throw new Error('two nodes were opened');
  const port = (await adminRunner(second.connection)('SELECT tcpPort()')).trim();
  // Last: a failed login by this protocol may end the process of the library.
  const asDefault = `SELECT * FROM remote('127.0.0.1:${port}', system.one, 'default', '')`;
  await expect(adminRunner(connection)(asDefault)).rejects.toThrow();
  await engine.stop();
  expect(nodes.map((node) => [node.state(), node.pid()])).toEqual([
    ['stopped', null],
    ['stopped', null],
  ]);
  rmSync(dir, { recursive: true, force: true });
});
