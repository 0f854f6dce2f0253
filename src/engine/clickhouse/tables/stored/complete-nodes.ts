/** Copies missing stored tables to nodes that were away. */
import { randomBytes } from 'node:crypto';
import type { Log } from '../../../../lib/log.ts';
import { storedTablePrefix } from '../../../../model/materialization-state.ts';
import {
  type NodeCompletion,
  nothingToComplete,
  type StoredTableName,
} from '../../../node-completion.ts';
import { EngineError } from '../../errors/engine-error.ts';
import { isLost } from '../../http/each-node.ts';
import type { EngineNode, EngineNodes } from '../../http/engine-nodes.ts';
import { asAdmin, asWriter, readRows, rowSettings, type Session } from '../../http/session.ts';
import { clusterOf } from '../../topology/on-cluster.ts';
import { type CopiedTable, copyTable, digestOf } from './copy-to-nodes.ts';
import { findMissingTables } from './missing-tables.ts';
import { dropOne, fillName, requireStored } from './stored-names.ts';
import { structureOf } from './structure.ts';

export interface Completing {
  readonly session: Session;
  readonly log: Log;
  /**
   * Creates a project's database and users where they are missing: on the current node or, for a single-address engine,
   * on every node.
   */
  readonly provision: (projectId: number) => Promise<void>;
}

/** The nodes of a single-address engine replicate rows themselves, so missing tables are only reported. */
export async function completeNodes(
  completing: Completing,
  find: () => Promise<readonly StoredTableName[]>,
  signal: AbortSignal | undefined,
): Promise<NodeCompletion> {
  const { session } = completing;
  const { nodes } = session.client;
  if (nodes !== undefined) return copyMissing(completing, nodes, { tables: await find(), signal });
  if (clusterOf(session.connection) === null) return nothingToComplete;
  return { copied: 0, lacking: await findMissingTables(completing, await find()) };
}

interface Wanted {
  readonly tables: readonly StoredTableName[];
  readonly signal: AbortSignal | undefined;
}

async function copyMissing(
  completing: Completing,
  nodes: EngineNodes,
  { tables, signal }: Wanted,
): Promise<NodeCompletion> {
  if (tables.length === 0) return nothingToComplete;
  const { session } = completing;
  const found = new Map<EngineNode, ReadonlySet<string>>();
  for (const node of await nodes.check()) {
    const names = await namesOn(session, { nodes, node, tables });
    if (names !== null) found.set(node, names);
  }
  const lacking: StoredTableName[] = [];
  let copied = 0;
  for (const table of tables) {
    const key = keyOf(requireStored(session, table.projectId), table.table);
    const source = [...found].find(([, names]) => names.has(key))?.[0];
    if (source === undefined) lacking.push(table);
    else
      for (const [node, names] of found) {
        signal?.throwIfAborted();
        if (names.has(key) || isBeingCopied(names, key)) continue;
        if (await copyOne(completing, { nodes, source, node, table, signal })) copied += 1;
      }
  }
  return { copied, lacking: found.size === 0 ? [] : lacking };
}

function keyOf(database: string, table: string): string {
  return `${database}.${table}`;
}

/** How long other processes wait for one that has begun to copy a table. */
const COPYING_SECONDS = 600;

interface Listed {
  readonly nodes: EngineNodes;
  readonly node: EngineNode;
  readonly tables: readonly StoredTableName[];
}

/** The node's stored tables, including recent unfinished copies. Null when the node is lost meanwhile. */
async function namesOn(
  session: Session,
  { nodes, node, tables }: Listed,
): Promise<ReadonlySet<string> | null> {
  const sql = `SELECT database, name FROM system.tables WHERE startsWith(name, '${storedTablePrefix}')
    AND (position(name, '_fill_') = 0 OR metadata_modification_time > now() - ${COPYING_SECONDS})`;
  // In a bound project only the writer sees them; all of its tables have the same writer.
  const [{ projectId } = { projectId: 0 }] = tables;
  const list = () =>
    session.owner === undefined
      ? asAdmin(session, { sql })
      : asWriter(session, projectId, { sql, settings: rowSettings });
  try {
    const rows = readRows(await nodes.on(node, list));
    return new Set(rows.map(([database, name]) => keyOf(String(database), String(name))));
  } catch (error) {
    if (isLost(error)) return null;
    throw error;
  }
}

function isBeingCopied(names: ReadonlySet<string>, key: string): boolean {
  return [...names].some((name) => name.startsWith(`${fillName(key)}_`));
}

interface OneCopy {
  readonly nodes: EngineNodes;
  readonly source: EngineNode;
  readonly node: EngineNode;
  readonly table: StoredTableName;
  readonly signal: AbortSignal | undefined;
}

/** Another process may copy the same table: each uses its own temporary name, and the first complete copy wins. */
async function copyOne(
  { session, log, provision }: Completing,
  { nodes, source, node, table: { projectId, table }, signal }: OneCopy,
): Promise<boolean> {
  const name = `${fillName(table)}_${randomBytes(6).toString('hex')}`;
  const fields = { projectId, table, node: node.url };
  try {
    await nodes.on(node, () => provision(projectId));
    const { columns, create } = await nodes.on(source, () =>
      structureOf(session, { projectId, table }),
    );
    const copied: CopiedTable = { session, projectId, table, columns, signal };
    const digest = await nodes.on(source, () => digestOf(copied, table));
    const make = () => create(name);
    await copyTable(copied, { nodes, source, node, digest, name, make });
    log.info(fields, 'a stored table was copied to a node that lacked it');
    return true;
  } catch (error) {
    await nodes.on(node, () => dropOne(session, projectId, name)).catch(() => undefined);
    if (!isThereAlready(error))
      log.warn({ ...fields, err: error }, 'a stored table could not be copied to a node');
    return false;
  }
}

const TABLE_EXISTS = 57;

function isThereAlready(error: unknown): boolean {
  return error instanceof EngineError && error.code === TABLE_EXISTS;
}
