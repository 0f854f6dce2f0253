/** Copies a stored table to the engine's other nodes. */
import type { Column } from '../../../query-engine.ts';
import { digestSql } from '../../compare/difference-sql.ts';
import { unavailable } from '../../errors/failures.ts';
import { isLost } from '../../http/each-node.ts';
import type { EngineNode, EngineNodes } from '../../http/engine-nodes.ts';
import { asWriter, readRows, rowSettings, type Session } from '../../http/session.ts';
import { qualified } from '../../load/load-sql.ts';
import { lacksProject } from '../changes/node-faults.ts';
import { comparableColumn, makeTable, type NewTable } from './make-table.ts';
import { dropOne, fillName, requireStored } from './stored-names.ts';

export interface CopiedTable {
  readonly session: Session;
  readonly projectId: number;
  readonly table: string;
  readonly columns: readonly Column[];
  readonly signal: AbortSignal | undefined;
}

/**
 * Afterwards each responding node has the table with the same rows. A node that is lost, away, or without the project's
 * database or users has no table of that name, because a copy is renamed only when complete. Runs then read another
 * node.
 *
 * @throws ServiceError when a responding node cannot get the same rows.
 */
export async function copyToNodes(made: NewTable): Promise<void> {
  const { nodes } = made.session.client;
  const source = nodes?.chosen() ?? null;
  if (nodes === undefined || source === null) return;
  const digest = await digestOf(made, made.table);
  const name = fillName(made.table);
  const make = () => makeTable(made, name);
  for (const node of await nodes.check()) {
    made.signal?.throwIfAborted();
    if (node === source) continue;
    try {
      await copyTable(made, { nodes, source, node, digest, name, make });
    } catch (error) {
      const isGone = isLost(error) && !(await nodes.check()).includes(node);
      if (!isGone && !lacksProject(error)) throw error;
    }
  }
}

export interface Copying {
  readonly nodes: EngineNodes;
  readonly source: EngineNode;
  readonly node: EngineNode;
  /** Digest of the source's rows. */
  readonly digest: string;
  /** Temporary, unique name of the copy until it is complete. */
  readonly name: string;
  /** Creates an empty table under that name. */
  readonly make: () => Promise<unknown>;
}

/** Renames the copy to the table's name only if it has the same rows. */
export async function copyTable(
  copied: CopiedTable,
  { nodes, source, node, digest, name, make }: Copying,
): Promise<void> {
  const { session, projectId, table } = copied;
  await nodes.on(node, make);
  const rows = await nodes.on(source, () => readTable(copied));
  await nodes.on(node, async () => {
    await writeTable(copied, name, rows);
    const found = await digestOf(copied, name);
    if (found !== digest) {
      await dropOne(session, projectId, name);
      throw unavailable(`the copy of ${table} on ${node.url} is ${found}, not ${digest}`);
    }
    const [from, to] = [name, table].map((one) => fullName(copied, one));
    await asWriter(session, projectId, { sql: `RENAME TABLE ${from} TO ${to}` });
  });
}

function fullName({ session, projectId }: CopiedTable, name: string): string {
  return qualified(requireStored(session, projectId), name);
}

/** Timeout of one copy, in milliseconds. */
const COPY_MS = 3_600_000;

async function readTable(copied: CopiedTable) {
  const { session, projectId, table, signal } = copied;
  const { incoming } = await session.client.send({
    login: session.connection.credentials(projectId, 'writer'),
    sql: `SELECT * FROM ${fullName(copied, table)} FORMAT Native`,
    settings: { max_threads: '1' },
    timeoutMs: COPY_MS,
    isStreamed: true,
    signal,
  });
  if (incoming === undefined) throw unavailable('a stored table could not be read');
  return incoming;
}

async function writeTable(
  copied: CopiedTable,
  name: string,
  rows: NonNullable<Awaited<ReturnType<typeof readTable>>>,
): Promise<void> {
  const { session, projectId, signal } = copied;
  await session.client.send({
    login: session.connection.credentials(projectId, 'writer'),
    sql: `INSERT INTO ${fullName(copied, name)} FORMAT Native`,
    settings: { min_insert_block_size_rows: '0' },
    timeoutMs: COPY_MS,
    rows,
    signal,
  });
}

/** A table's row count and a hash of all its rows, on the current node. */
export async function digestOf(copied: CopiedTable, name: string): Promise<string> {
  const { session, projectId, columns, signal } = copied;
  const rows = `SELECT ${columns.map(comparableColumn).join(', ')} FROM ${fullName(copied, name)}`;
  const sql = digestSql(rows, null);
  const response = await asWriter(session, projectId, { sql, signal, settings: rowSettings });
  return JSON.stringify(readRows(response)[0] ?? []);
}
