/** Fills a stored table of an engine whose nodes replicate rows themselves. */
import type { StoredTableSize } from '../../../query-engine.ts';
import { unavailable } from '../../errors/failures.ts';
import type { Settings } from '../../http/request-message.ts';
import { asAdmin, asWriter, readRows } from '../../http/session.ts';
import { qualified } from '../../load/load-sql.ts';
import { ofAllNodes, onCluster } from '../../topology/on-cluster.ts';
import { findTableEngine } from '../../topology/table-engine.ts';
import { comparableColumn, makeTable, type NewTable } from './make-table.ts';
import { asMaker, fillName, requireStored } from './stored-names.ts';

export interface Filling {
  /** The part after the table's name: `SELECT …`. */
  readonly select: string;
  readonly params: Readonly<Record<string, string>>;
  readonly searchesNull: boolean;
  readonly queryId: string;
}

/**
 * Renames the table to its final name once all responding nodes have the same rows. A node that was away replays the
 * same statements in order when it is back, and waits for the rows before the rename.
 *
 * @throws ServiceError `engine_unavailable` while the nodes have different rows.
 */
export async function fillOnCluster(
  making: NewTable,
  { select, params, searchesNull, queryId }: Filling,
  settings: Settings,
): Promise<StoredTableSize> {
  const { session, projectId, table, signal } = making;
  const { connection } = session;
  const database = requireStored(session, projectId);
  const [from, to] = [fillName(table), table].map((name) => qualified(database, name));
  await makeTable(making, fillName(table));
  const { stats } = await asWriter(session, projectId, {
    sql: `INSERT INTO ${from} ${select}`,
    params,
    searchesNull,
    queryId,
    signal,
    // Keeps the engine from discarding a block with the same rows as a duplicate.
    settings: { ...settings, insert_deduplicate: '0' },
  });
  await asAdmin(session, { sql: `SYSTEM SYNC REPLICA${onCluster(connection)} ${from}` });
  const size = await requireSameRows(making, fillName(table));
  const renamed = await findTableEngine(session, database);
  await asMaker(session, projectId, { sql: `RENAME TABLE ${from} TO ${to}${renamed.onCluster}` });
  return { ...size, rowsRead: stats.rowsRead };
}

/** The list only contains nodes that have rows. */
async function requireSameRows(
  { session, projectId, columns }: NewTable,
  name: string,
): Promise<Omit<StoredTableSize, 'rowsRead'>> {
  const { connection } = session;
  const database = requireStored(session, projectId);
  const table = ofAllNodes(connection, qualified(database, name));
  const nodes = `SELECT count() FROM ${ofAllNodes(connection, 'system.one')}`;
  const bytes = `SELECT max(total_bytes) FROM ${ofAllNodes(connection, 'system.tables')} WHERE database = {database:String} AND name = {name:String}`;
  const hashes = `SELECT _shard_num AS node, sipHash64(tuple(${columns.map(comparableColumn).join(', ')})) AS h FROM ${table}`;
  const perNode = `SELECT node, count() AS rows, (sum(h), groupBitXor(h)) AS hash FROM (${hashes}) GROUP BY node`;
  const response = await asAdmin(session, {
    sql: `SELECT (${nodes}), (${bytes}), count(), uniqExact((rows, hash)), max(rows) FROM (${perNode})`,
    params: { database, name },
  });
  const [all = 0, size = 0, withRows = 0, different = 0, rows = 0] = (
    readRows(response)[0] ?? []
  ).map(Number);
  if (withRows > 0 && (withRows !== all || different > 1))
    throw unavailable(`${withRows} of ${all} nodes have rows of ${name}, ${different} different`);
  return { rows, bytes: size };
}
