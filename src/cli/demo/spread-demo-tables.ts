/**
 * Spreads the demo's tables over several local nodes: each has all airports and its shard of the flights, and `flights`
 * is a Distributed table over the shards. Rows loaded into one node, or added to it since, are spread too, so that
 * nothing is lost.
 */
import type { LocalNodes } from '../../backends.ts';
import { type EngineClient, openEngineClient } from '../../engine/clickhouse/http/http-client.ts';
import { type Rows, readRows, rowSettings } from '../../engine/clickhouse/http/session.ts';
import { projectDatabase } from '../../engine/clickhouse/provision/project-users.ts';
import { UNFINISHED_PREFIX } from '../../engine/clickhouse/tables/catalogue.ts';
import type { StartProgress } from '../../lib/progress.ts';
import { quoteText } from '../../sql/quote-name.ts';
import { UsageError } from '../usage-error.ts';

export interface SpreadDemoTables extends LocalNodes {
  readonly projectId: number;
  readonly startProgress: StartProgress;
  readonly signal: AbortSignal;
}

const flights = 'flights';
const share = 'flights_local';
const airports = 'airports';
/** Hidden from lists of tables. */
const hidden = {
  airports: `${UNFINISHED_PREFIX}${airports}`,
  share: `${UNFINISHED_PREFIX}${share}`,
  flights: `${UNFINISHED_PREFIX}${flights}`,
} as const;
/** Identifies a shard table: another table of that name is not touched. */
const shareComment = 'A share of flights, by the demo on several nodes';
/** Balanced, and deterministic per flight. */
const shardColumns = ['date', 'origin', 'destination'];
const shardBy = `sipHash64(${shardColumns.join(', ')})`;
/** A minute is usually enough, but not on every machine. */
const timeoutMs = 600_000;

/** Runs a statement as the administrator of one node. */
type Run = (sql: string) => Promise<Rows>;

interface Spreading {
  readonly first: Run;
  readonly others: readonly Run[];
  readonly clusters: LocalNodes['clusters'];
  readonly database: string;
}

/**
 * Idempotent: a spread table stays unchanged, and an interrupted spreading is repeated.
 *
 * @returns whether `flights` is spread; false when somebody has replaced it with a table of another kind.
 */
export async function spreadDemoTables(demo: SpreadDemoTables): Promise<boolean> {
  const clients = demo.connections.map(({ url }) => openEngineClient({ url }));
  const [first, ...others] = demo.connections.map(({ admin }, at) =>
    openRun(clients[at] as EngineClient, admin, demo.signal),
  );
  if (first === undefined) return false;
  const { clusters } = demo;
  const database = projectDatabase(demo.projectId);
  const spreading: Spreading = { first, others, clusters, database };
  try {
    for (const run of others) await run(`CREATE DATABASE IF NOT EXISTS ${database}`);
    // Left by an interrupted spreading: none of them has the only copy of a row.
    for (const table of Object.values(hidden)) await dropEverywhere(spreading, table);
    await copyToOthers(spreading);
    if (await canBeShared(spreading)) {
      const progress = demo.startProgress(...(await sizeOf(spreading)));
      await shard(spreading).finally(progress.end);
    }
    return (await engineOf(spreading, first, flights)) === 'Distributed';
  } finally {
    for (const client of clients) client.close();
  }
}

function openRun(
  client: EngineClient,
  login: LocalNodes['connections'][number]['admin'],
  signal: AbortSignal,
): Run {
  return async (sql) => {
    signal.throwIfAborted();
    return readRows(await client.send({ login, sql, settings: rowSettings, timeoutMs, signal }));
  };
}

/** Empty when there is no such table. */
async function engineOf({ database }: Spreading, run: Run, table: string): Promise<string> {
  const [row] = await run(
    `SELECT engine FROM system.tables WHERE database = ${quoteText(database)} AND name = ${quoteText(table)}`,
  );
  return row === undefined ? '' : String(row[0]);
}

async function canBeShared(spreading: Spreading): Promise<boolean> {
  const { first, database } = spreading;
  if ((await engineOf(spreading, first, flights)) !== 'MergeTree') return false;
  const [[columns] = []] = await first(
    `SELECT count() FROM system.columns WHERE database = ${quoteText(database)} AND table = ${quoteText(flights)} AND name IN (${shardColumns.map(quoteText).join(', ')})`,
  );
  return Number(columns) === shardColumns.length;
}

async function sizeOf({ first, database }: Spreading): Promise<readonly [string, number]> {
  const [[bytes] = []] = await first(
    `SELECT total_bytes FROM system.tables WHERE database = ${quoteText(database)} AND name = ${quoteText(flights)}`,
  );
  return ['Spreading flights', Number(bytes ?? 0)];
}

/** Copies the whole table to nodes without it, through the cluster in which each node is a replica. */
async function copyToOthers(spreading: Spreading): Promise<void> {
  const { first, others, clusters, database } = spreading;
  const found = await Promise.all(others.map((run) => engineOf(spreading, run, airports)));
  if (!found.includes('')) return;
  await createLike(spreading, airports, hidden.airports);
  await first(
    `INSERT INTO FUNCTION cluster(${clusters.every}, ${database}, ${hidden.airports}) SELECT * FROM ${database}.${airports} SETTINGS distributed_foreground_insert = 1`,
  );
  for (const [at, run] of others.entries()) {
    if (found[at] !== '') continue;
    await run(`RENAME TABLE ${database}.${hidden.airports} TO ${database}.${airports}`);
  }
  await dropEverywhere(spreading, hidden.airports);
}

async function shard(spreading: Spreading): Promise<void> {
  const { first, others, clusters, database } = spreading;
  const all = [first, ...others];
  await dropFormerShares(spreading);
  const { share: filled, flights: way } = hidden;
  await createLike(spreading, flights, filled);
  const distributed = (name: string, over: string) =>
    `CREATE TABLE ${database}.${name} AS ${database}.${over} ENGINE = Distributed(${clusters.shards}, ${database}, ${over}, ${shardBy})`;
  await first(distributed(way, filled));
  await first(
    `INSERT INTO ${database}.${way} SELECT * FROM ${database}.${flights} SETTINGS distributed_foreground_insert = 1`,
  );
  const [[isWhole] = []] = await first(
    `SELECT (SELECT count() FROM ${database}.${way}) = (SELECT count() FROM ${database}.${flights})`,
  );
  if (Number(isWhole) !== 1) throw new Error('the flights were not distributed completely');
  await first(`DROP TABLE ${database}.${way} SYNC`);
  for (const run of all) {
    await run(`ALTER TABLE ${database}.${filled} MODIFY COMMENT ${quoteText(shareComment)}`);
    await run(`RENAME TABLE ${database}.${filled} TO ${database}.${share}`);
  }
  for (const run of others) {
    const engine = await engineOf(spreading, run, flights);
    if (engine !== '' && engine !== 'Distributed') throw foreignTable(database, flights);
    await run(`DROP TABLE IF EXISTS ${database}.${flights} SYNC`);
    await run(distributed(flights, share));
  }
  // Last: while it is missing here, the next start spreads the tables again.
  await first(distributed(way, share));
  await first(`EXCHANGE TABLES ${database}.${way} AND ${database}.${flights}`);
  await first(`DROP TABLE ${database}.${way} SYNC`);
}

/** Left by an interrupted spreading, when the table itself still has all rows. */
async function dropFormerShares({ first, others, database }: Spreading): Promise<void> {
  for (const run of [first, ...others]) {
    const [row] = await run(
      `SELECT comment FROM system.tables WHERE database = ${quoteText(database)} AND name = ${quoteText(share)}`,
    );
    if (row === undefined) continue;
    if (row[0] !== shareComment) throw foreignTable(database, share);
    await run(`DROP TABLE ${database}.${share} SYNC`);
  }
}

function foreignTable(database: string, table: string): UsageError {
  return new UsageError(
    `The demo cannot distribute its flights over the nodes: a node has a table ${database}.${table} that the demo did not create. Rename that table, or use another DATA_DIR.`,
  );
}

/** Creates an empty table on each node with the columns, order and settings of the first node's. */
async function createLike(spreading: Spreading, table: string, name: string): Promise<void> {
  const { first, others, database } = spreading;
  await first(`CREATE TABLE ${database}.${name} AS ${database}.${table}`);
  const [[text] = []] = await first(
    `SELECT create_table_query FROM system.tables WHERE database = ${quoteText(database)} AND name = ${quoteText(name)}`,
  );
  for (const run of others) await run(String(text));
}

async function dropEverywhere({ first, others, database }: Spreading, table: string) {
  for (const run of [first, ...others]) await run(`DROP TABLE IF EXISTS ${database}.${table} SYNC`);
}
