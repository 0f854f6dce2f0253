/** The catalogue of a project's tables. */
import type { EngineTable } from '../../engine-table.ts';
import type { ProjectPlace } from '../../project-place.ts';
import { isGranted } from '../bound/check-grant.ts';
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

/**
 * Sorted by name; empty when the project has no database. Includes tables that only some nodes have, since queries go
 * to a node that has theirs.
 */
export async function projectTables(
  session: Session,
  projectId: number,
): Promise<readonly EngineTable[]> {
  const send: Send = (statement) => asAdmin(session, statement);
  const reading = { session, place: session.place(projectId), send };
  return toTables(reading, await readCatalogue(reading, everyNode(session)));
}

/** The engine shows a user only tables and columns that it has a grant for. */
export async function readableTables(
  session: Session,
  projectId: number,
): Promise<readonly EngineTable[]> {
  const place = session.place(projectId);
  const send: Send = (statement) => asReader(session, projectId, statement);
  const reading = { session, place, send };
  // A reader cannot query all nodes in one statement. A reader with rights on everything sees the full catalogue.
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

/** The project's table names as queries write them; empty when it has no database. */
export async function tableNames(session: Session, projectId: number): Promise<readonly string[]> {
  const send: Send = (statement) => asAdmin(session, statement);
  const place = session.place(projectId);
  const listed = await readCatalogue({ session, place, send }, everyNode(session));
  return listed.flatMap(({ database, table }) => toName(place, database, table) ?? []);
}

/** One statement for a single-address engine; otherwise each node is queried separately. */
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
      const right = `SELECT ON ${qualified(database, '*').replace(/`\*`$/, '*')}`;
      if (!(await isGranted(async (sql) => readRows(await send({ sql })), right))) return false;
    } catch (error) {
      if (error instanceof EngineError) return false;
      throw error;
    }
  }
  return true;
}

/**
 * A table of the first database by its bare name, any other with its database, so that a name always means the same
 * table. Null for a table that queries cannot name.
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
    const isCounted = listed.engine === 'Distributed';
    const total = shared === null ? undefined : shares.get(keyOf(shared.database, shared.table));
    found.push({
      name,
      ...(name === table ? {} : { database }),
      comment,
      rows: isCounted ? await countRows(reading, { listed, deadline }) : rows,
      bytes: total?.bytes ?? bytes,
      columns,
    });
  }
  return found;
}

/** Timeout for counting rows of all such tables together, in milliseconds. */
const COUNT_MS = 5000;
const COUNT_SECONDS = 2;

/**
 * For a table that stores its rows in other tables, for which the catalogue says nothing or 0. Null when counting takes
 * too long.
 */
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
