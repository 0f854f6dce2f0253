import { readFileSync } from 'node:fs';
import os from 'node:os';
import { childrenOf, pin, unpin } from './cores.ts';
import { type DemoServer, startDemo, withFolder } from './demo-server.ts';
import type { Effort } from './effort.ts';
import { type Figure, figure, notMeasured } from './figure.ts';
import { timeRun } from './materialization-demo.ts';
import { cpuSeconds } from './processor-time.ts';

/** A scan takes some hundred milliseconds of one core, so that the way between the nodes is a small part of it. */
const rows = 30_000_000;
const neededCores = 3;
const columns = '(id UInt64, kind UInt8, amount UInt32)';
const fill = `SELECT number, number % 50, cityHash64(number) % 1000 FROM numbers(${rows})`;

const scan = (table: string) =>
  `SELECT kind, count() AS n, sum(amount) AS total, max(amount) AS most, avg(amount * (id % 7)) AS mean FROM ${table} GROUP BY kind ORDER BY kind`;

/** The same rows on one node and on two, each of which has one core, scanned by an endpoint that nothing is cached of. */
export function measureCluster(effort: Effort): Promise<readonly Figure[]> {
  return withFolder(async (dir) => {
    const demo = await startDemo(dir, { LOCAL_NODES: '2', ENGINE_CORES: '1' });
    const nodes = nodesOf(demo.server.pid);
    try {
      await prepare(demo);
      for (const [core, pid] of nodes.entries()) pin(pid, core);
      return await compare(demo, nodes, effort);
    } finally {
      for (const pid of nodes) unpin(pid);
      await demo.stop();
    }
  });
}

/** The processes of the local engine, that of the first node first. */
function nodesOf(service: number): readonly [number, number] {
  const found = childrenOf(service).flatMap((pid) => {
    const node = /--path=.*\/clickhouse(?:-(\d+))?\/data/.exec(commandOf(pid));
    return node === null ? [] : [{ pid, number: Number(node[1] ?? 1) }];
  });
  const [first, second] = found.sort((a, b) => a.number - b.number);
  if (first === undefined || second === undefined) throw new Error('two nodes were not found');
  return [first.pid, second.pid];
}

function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return '';
  }
}

async function prepare(demo: DemoServer): Promise<void> {
  const database = `project_${demo.projectId}`;
  const engine = 'ENGINE = MergeTree ORDER BY id';
  for (const statement of [
    `CREATE TABLE on_one ${columns} ${engine}`,
    `INSERT INTO on_one ${fill}`,
    `CREATE TABLE on_two_local ${columns} ${engine}`,
    `CREATE TABLE on_two AS on_two_local ENGINE = Distributed(querydock_sharded, ${database}, on_two_local, id)`,
  ])
    await demo.sql(statement);
  const second = demo.server.engine.nodes?.[1];
  const local = `CREATE TABLE on_two_local ${columns} ${engine}`;
  await demo.sql(local, demo.projectId, second);
  await demo.sql(`INSERT INTO on_two ${fill} SETTINGS distributed_foreground_insert = 1`);
  for (const name of ['on_one', 'on_two'])
    await demo.rest('POST', '', { name, query: scan(name), cache_age_seconds: 0 });
}

interface Side {
  readonly ms: number;
  /** Processor time of each node. */
  readonly seconds: readonly [number, number];
}

async function compare(
  demo: DemoServer,
  nodes: readonly [number, number],
  effort: Effort,
): Promise<readonly Figure[]> {
  const { rounds } = effort.of({ rounds: 21, seconds: 1 });
  const turns: { readonly one: Side; readonly two: Side }[] = [];
  for (let round = 0; round <= rounds; round += 1) {
    const one = await measure(demo, nodes, 'on_one');
    const two = await measure(demo, nodes, 'on_two');
    // The first ones fill caches of the engine.
    if (round > 0) turns.push({ one, two });
  }
  const name = 'scan of 30 million rows, two shards';
  const target = { atLeast: 1.7 };
  const cores = os.cpus().length;
  const why = `needs ${neededCores} cores, one for each node and one for the service; there are ${cores}`;
  const isEnough = cores >= neededCores;
  return [
    ...(isEnough ? [] : [notMeasured(`${name}: time`, target, why)]),
    figure(name, 'times as fast as one', {
      samples: turns.map(({ one, two }) => one.ms / two.ms),
      ...(isEnough ? { target } : {}),
      note: 'each node has one core',
    }),
    figure(`${name}, busier node`, "of one node's processor time", {
      samples: turns.map(({ one, two }) => Math.max(...two.seconds) / one.seconds[0]),
      target: { atMost: 0.6 },
    }),
    figure(name, 'ms', { samples: turns.map(({ two }) => two.ms) }),
    figure('scan of 30 million rows, one node', 'ms', { samples: turns.map(({ one }) => one.ms) }),
  ];
}

async function measure(
  demo: DemoServer,
  [first, second]: readonly [number, number],
  endpoint: string,
): Promise<Side> {
  const used = () => Promise.all([cpuSeconds([first]), cpuSeconds([second])]);
  const before = await used();
  const { ms, run } = await timeRun(demo, endpoint, { refresh: 'force' });
  const after = await used();
  const found = (run.results as readonly (readonly number[])[]).reduce(
    (n, row) => n + (row[1] ?? 0),
    0,
  );
  if (found !== rows) throw new Error(`${endpoint} has ${found} rows instead of ${rows}`);
  return { ms, seconds: [after[0] - before[0], after[1] - before[1]] };
}
