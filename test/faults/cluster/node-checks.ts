/** What the servers can do together. Each of these needs something that a server may not have; then it does not apply. */
import { type Check, failed, notApplicable, type Outcome, passed, type World } from './check.ts';
import { isMissing } from './servers.ts';

async function unlessMissing(work: () => Promise<Outcome>): Promise<Outcome> {
  try {
    return await work();
  } catch (error) {
    if (!isMissing(error)) throw error;
    return notApplicable(error.message);
  }
}

/** Runs the work in databases of its own on every server, and drops them. */
async function inDatabase(
  { servers, database }: World,
  work: () => Promise<Outcome>,
): Promise<Outcome> {
  await servers.each(`CREATE DATABASE IF NOT EXISTS ${database}`);
  try {
    return await work();
  } finally {
    await servers.each(`DROP DATABASE IF EXISTS ${database} SYNC`);
  }
}

interface ClusterRow {
  readonly shard: number;
  readonly replica: number;
  /** Whether the tables, and not whoever writes, copy rows to the replicas. */
  readonly isInternal: boolean;
}

async function clusterRows({ servers, options }: World): Promise<readonly ClusterRow[]> {
  const text = await servers.sql(
    `SELECT shard_num, replica_num, internal_replication FROM system.clusters WHERE cluster = '${options.cluster}' ORDER BY ALL`,
  );
  return text.split('\n').flatMap((line) => {
    const [shard, replica, internal] = line.split('\t').map(Number);
    return shard && replica ? [{ shard, replica, isInternal: internal === 1 }] : [];
  });
}

/** For checks that need a cluster's name. */
function withCluster(work: (world: World, cluster: string) => Promise<Outcome>): Check['try'] {
  return (world) => {
    const { cluster } = world.options;
    return cluster === null
      ? Promise.resolve(notApplicable('no --cluster was given'))
      : work(world, cluster);
  };
}

const replicatedEngines = [
  ['ReplicatedMergeTree', (name: string) => `ReplicatedMergeTree('/${name}/t', 'one')`],
  ['SharedMergeTree', () => 'SharedMergeTree'],
] as const;

async function tryEngine(world: World, name: string, engine: string): Promise<Outcome> {
  const { servers, database } = world;
  const found = await servers.sql(
    `SELECT count() FROM system.table_engines WHERE name = '${name}'`,
  );
  if (found === '0') return notApplicable('the server has no such engine');
  return inDatabase(world, () =>
    unlessMissing(async () => {
      const table = `${database}.t`;
      await servers.sql(`CREATE TABLE ${table} (n UInt64) ENGINE = ${engine} ORDER BY n`);
      await servers.sql(`INSERT INTO ${table} SELECT number FROM numbers(10)`);
      const sum = await servers.sql(`SELECT sum(n) FROM ${table}`);
      return sum === '45' ? passed() : failed(`the sum is ${sum}`);
    }),
  );
}

const writeToAll = withCluster(async (world, cluster) => {
  const { servers, database } = world;
  const rows = await clusterRows(world);
  if (rows.some(({ isInternal }) => isInternal)) {
    return notApplicable('internal_replication is on: tables copy their rows themselves');
  }
  if (rows.some(({ shard }) => shard > 1)) return notApplicable('the cluster has several shards');
  if (servers.addresses.length < rows.length) return notApplicable('needs --node for each');
  return inDatabase(world, async () => {
    await servers.each(`CREATE TABLE ${database}.t (n UInt64) ENGINE = MergeTree ORDER BY n`);
    await servers.sql(
      `INSERT INTO FUNCTION cluster(${cluster}, ${database}, t) SELECT number FROM numbers(10) SETTINGS distributed_foreground_insert = 1`,
    );
    const sums = await servers.each(`SELECT sum(n) FROM ${database}.t`);
    return sums.every((sum) => sum === '45')
      ? passed(`${sums.length} nodes have the rows`)
      : failed(`the sums on the nodes are ${sums.join(', ')}`);
  });
});

const readAll = withCluster(async (world, cluster) => {
  const { servers, database } = world;
  const rows = await clusterRows(world);
  if (servers.addresses.length < rows.length) return notApplicable('needs --node for each');
  return inDatabase(world, async () => {
    await servers.each(`CREATE TABLE ${database}.t (n UInt64) ENGINE = MergeTree ORDER BY n`);
    await servers.each(`INSERT INTO ${database}.t SELECT number FROM numbers(10)`);
    const create = `CREATE TABLE ${database}.whole AS ${database}.t ENGINE = Distributed(${cluster}, ${database}, t)`;
    await servers.sql(create);
    const shards = Math.max(...rows.map(({ shard }) => shard));
    const sum = await servers.sql(`SELECT sum(n) FROM ${database}.whole`);
    return Number(sum) === 45 * shards
      ? passed(counted(shards, 'shard'))
      : failed(`the sum over ${shards} shards of 45 each is ${sum}`);
  });
});

/** Each is asked for its own time: within a query over several nodes the first one's would stand for all. */
async function tryClocks({ servers }: World): Promise<Outcome> {
  if (servers.addresses.length < 2) return notApplicable('needs --node for each');
  const offsets: number[] = [];
  for (const address of servers.addresses) {
    const before = Date.now();
    const at = Number(await servers.sql('SELECT toUnixTimestamp64Milli(now64(3))', { address }));
    offsets.push(at - (before + Date.now()) / 2);
  }
  const apart = Math.round(Math.max(...offsets) - Math.min(...offsets));
  return apart <= 1000 ? passed(`${apart} ms apart`) : failed(`${apart} ms apart`);
}

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}

export const nodeChecks: readonly Check[] = [
  {
    name: 'The cluster is the same on every node',
    try: withCluster(async (world) => {
      const { servers, options } = world;
      const layouts = await servers.each(
        `SELECT groupArray((shard_num, replica_num, port)) FROM (SELECT * FROM system.clusters WHERE cluster = '${options.cluster}' ORDER BY ALL)`,
      );
      if (layouts.includes('[]')) return failed(`a node does not know ${options.cluster}`);
      if (new Set(layouts).size > 1) return failed('the nodes have different lists');
      const rows = await clusterRows(world);
      const shards = new Set(rows.map(({ shard }) => shard)).size;
      return passed(`${counted(shards, 'shard')}, ${counted(rows.length, 'node')}`);
    }),
  },
  {
    name: 'A node reads all others',
    try: withCluster(async (world, cluster) => {
      const expected = (await clusterRows(world)).length;
      const found = await world.servers.each(
        `SELECT count() FROM clusterAllReplicas(${cluster}, system.one)`,
      );
      const wrong = found.filter((count) => Number(count) !== expected);
      return wrong.length === 0 ? passed() : failed(`${wrong.join()} of ${expected} answered`);
    }),
  },
  { name: 'The clocks of the nodes agree to a second', try: tryClocks },
  { name: 'Rows written to the cluster reach every node', try: writeToAll },
  { name: 'A Distributed table reads every shard', try: readAll },
  {
    name: 'DDL ON CLUSTER',
    try: withCluster(({ servers, database }, cluster) =>
      unlessMissing(async () => {
        await servers.sql(`CREATE DATABASE ${database}_ddl ON CLUSTER ${cluster}`);
        await servers.sql(`DROP DATABASE ${database}_ddl ON CLUSTER ${cluster} SYNC`);
        return passed();
      }),
    ),
  },
  {
    name: 'A Replicated database',
    try: ({ servers, database }) =>
      unlessMissing(async () => {
        const engine = `Replicated('/querydock_acceptance/${database}', '{shard}', '{replica}')`;
        await servers.sql(`CREATE DATABASE ${database}_replicated ENGINE = ${engine}`);
        await servers.sql(`DROP DATABASE ${database}_replicated SYNC`);
        return passed();
      }),
  },
  ...replicatedEngines.map(([name, engine]) => ({
    name: `A table of the engine ${name}`,
    try: (world: World) => tryEngine(world, name, engine(world.database)),
  })),
];
