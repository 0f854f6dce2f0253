/** What the databases of a project hold. */
import type { EngineTable } from '../../engine-table.ts';
import type { ProjectPlace } from '../../project-place.ts';
import { EngineError } from '../errors/engine-error.ts';
import { onEachNode } from '../http/each-node.ts';
import { asAdmin, asReader, readRows, type Session } from '../http/session.ts';
import { qualified } from '../load/load-sql.ts';
import { clusterOf, ofAllNodes } from '../topology/on-cluster.ts';
import {
  keyOf,
  type ListedTable,
  oneNode,
  readListing,
  type Send,
  type Source,
  toCatalogue,
  toCount,
} from './catalogue.ts';
import { findShares, type Size, sharedBy } from './shares.ts';

interface Reading {
  readonly session: Session;
  readonly place: ProjectPlace;
  readonly send: Send;
}

/** By name; empty when the project has no database. Those that some node has: queries go to one that has theirs. */
export async function projectTables(
  session: Session,
  projectId: number,
): Promise<readonly EngineTable[]> {
  const send: Send = (statement) => asAdmin(session, statement);
  const reading = { session, place: session.place(projectId), send };
  return toTables(reading, await readCatalogue(reading, everyNode(session)));
}

/** The engine shows a user no table and no column that the user has no grant for. */
export async function readableTables(
  session: Session,
  projectId: number,
): Promise<readonly EngineTable[]> {
  const place = session.place(projectId);
  const send: Send = (statement) => asReader(session, projectId, statement);
  const reading = { session, place, send };
  // A reader may not read all nodes by one statement. One who may read all that is there is shown it.
  const isSeenByAll = clusterOf(session.connection) !== null && (await readsAll(reading));
  const catalogue = isSeenByAll
    ? await readCatalogue(
        { session, place, send: (statement) => asAdmin(session, statement) },
        everyNode(session),
      )
    : await readCatalogue(reading, oneNode);
  const tables = await toTables(reading, catalogue);
  return tables.filter(({ columns }) => columns.length > 0);
}

/** Names of the project's tables as queries write them; empty when it has no database. */
export async function tableNames(session: Session, projectId: number): Promise<readonly string[]> {
  const send: Send = (statement) => asAdmin(session, statement);
  const place = session.place(projectId);
  const listed = await readCatalogue({ session, place, send }, everyNode(session));
  return listed.flatMap(({ database, table }) => toName(place, database, table) ?? []);
}

/** Of an engine of one address by one statement; each node of any other is asked by itself. */
function everyNode({ connection }: Session): Source {
  return clusterOf(connection) === null
    ? oneNode
    : { of: (table) => ofAllNodes(connection, table), node: '_shard_num' };
}

async function readCatalogue(
  { session, place, send }: Reading,
  source: Source,
): Promise<readonly ListedTable[]> {
  return toCatalogue(await onEachNode(session, () => readListing(send, place, source)), place);
}

async function readsAll({ place, send }: Reading): Promise<boolean> {
  for (const database of place.databases) {
    try {
      const sql = `CHECK GRANT SELECT ON ${qualified(database, '*').replace(/`\*`$/, '*')}`;
      if (Number(readRows(await send({ sql }))[0]?.[0]) !== 1) return false;
    } catch (error) {
      if (error instanceof EngineError) return false;
      throw error;
    }
  }
  return true;
}

/**
 * A table of the first database by its own name, any other with its database, so that a name always means the same table.
 * Null for one that queries cannot name.
 */
function toName(
  { databases, isBound }: ProjectPlace,
  database: string,
  table: string,
): string | null {
  if (isBound && table.includes('.')) return null;
  return database === databases[0] ? table : `${database}.${table}`;
}

async function toTables(
  reading: Reading,
  catalogue: readonly ListedTable[],
): Promise<readonly EngineTable[]> {
  const { session, place } = reading;
  const hasNodes = session.client.nodes !== undefined || clusterOf(session.connection) !== null;
  const shares = hasNodes ? await findShares(session, catalogue) : new Map<string, Size>();
  const deadline = performance.now() + COUNT_MS;
  const found: EngineTable[] = [];
  for (const listed of catalogue) {
    const { database, table, comment, columns } = listed;
    const name = toName(place, database, table);
    if (name === null) continue;
    const shared = sharedBy(listed);
    const share = shares.get(keyOf(database, table));
    const { rows, bytes } = share ?? listed;
    const isAsked = listed.engine === 'Distributed';
    const total = shared === null ? undefined : shares.get(keyOf(shared.database, shared.table));
    found.push({
      name,
      ...(name === table ? {} : { database }),
      comment,
      rows: isAsked ? await countRows(reading, { listed, deadline }) : rows,
      bytes: total?.bytes ?? bytes,
      columns,
    });
  }
  return found;
}

/** For all tables together that have to be asked for their rows. */
const COUNT_MS = 5000;
const COUNT_SECONDS = 2;

/** Of a table whose rows are in others, of which the engine’s catalogue says nothing or 0. Null where they cannot be counted soon. */
async function countRows(
  { send }: Reading,
  {
    listed: { database, table },
    deadline,
  }: { readonly listed: ListedTable; readonly deadline: number },
): Promise<number | null> {
  if (performance.now() > deadline) return null;
  const source = qualified(database, table);
  const sql = `SELECT toString(count()) FROM ${source} SETTINGS max_execution_time = ${COUNT_SECONDS}`;
  try {
    return toCount(readRows(await send({ sql }))[0]?.[0]);
  } catch (error) {
    if (error instanceof EngineError) return null;
    throw error;
  }
}
