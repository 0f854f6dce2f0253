/** Copies a stored table to the other nodes of an engine. */
import { digestSql } from '../../compare/difference-sql.ts';
import { unavailable } from '../../errors/failures.ts';
import { isLost } from '../../http/each-node.ts';
import type { EngineNode, EngineNodes } from '../../http/engine-nodes.ts';
import { asWriter, readRows, rowSettings } from '../../http/session.ts';
import { qualified } from '../../load/load-sql.ts';
import { comparableColumn, makeTable, type NewTable } from './make-table.ts';
import { dropOne, fillName, requireStored } from './stored-names.ts';

/**
 * Each node that answers has the table with the same rows afterwards. On a node that is lost meanwhile, or was away, there is no table of
 * that name: it gets it by a rename once it is complete. Runs then read another node.
 *
 * @throws ServiceError when a node that answers cannot be given the same rows.
 */
export async function copyToNodes(made: NewTable): Promise<void> {
  const { nodes } = made.session.client;
  const source = nodes?.chosen() ?? null;
  if (nodes === undefined || source === null) return;
  const digest = await digestOf(made, made.table);
  for (const node of await nodes.ask()) {
    made.signal?.throwIfAborted();
    if (node !== source) await copyUnlessLost(made, { nodes, source, node, digest });
  }
}

interface Copying {
  readonly nodes: EngineNodes;
  readonly source: EngineNode;
  readonly node: EngineNode;
  readonly digest: string;
}

async function copyUnlessLost(made: NewTable, copying: Copying): Promise<void> {
  const { nodes, node } = copying;
  try {
    await copy(made, copying);
  } catch (error) {
    if (isLost(error) && !(await nodes.ask()).includes(node)) return;
    throw error;
  }
}

async function copy(made: NewTable, { nodes, source, node, digest }: Copying): Promise<void> {
  const { session, projectId, table } = made;
  const name = fillName(table);
  await nodes.on(node, () => makeTable(made, name));
  const rows = await nodes.on(source, () => readTable(made));
  await nodes.on(node, async () => {
    await writeTable(made, name, rows);
    const found = await digestOf(made, name);
    if (found !== digest) {
      await dropOne(session, projectId, name);
      throw unavailable(`the copy of ${table} on ${node.url} is ${found}, not ${digest}`);
    }
    const [from, to] = [name, table].map((one) => fullName(made, one));
    await asWriter(session, projectId, { sql: `RENAME TABLE ${from} TO ${to}` });
  });
}

function fullName({ session, projectId }: NewTable, name: string): string {
  return qualified(requireStored(session, projectId), name);
}

/** How long one copy may take. */
const COPY_MS = 3_600_000;

async function readTable(made: NewTable) {
  const { session, projectId, table, signal } = made;
  const { incoming } = await session.client.send({
    login: session.connection.credentials(projectId, 'writer'),
    sql: `SELECT * FROM ${fullName(made, table)} FORMAT Native`,
    settings: { max_threads: '1' },
    timeoutMs: COPY_MS,
    isStreamed: true,
    signal,
  });
  if (incoming === undefined) throw unavailable('a stored table could not be read');
  return incoming;
}

async function writeTable(
  made: NewTable,
  name: string,
  rows: NonNullable<Awaited<ReturnType<typeof readTable>>>,
): Promise<void> {
  const { session, projectId, signal } = made;
  await session.client.send({
    login: session.connection.credentials(projectId, 'writer'),
    sql: `INSERT INTO ${fullName(made, name)} FORMAT Native`,
    settings: { min_insert_block_size_rows: '0' },
    timeoutMs: COPY_MS,
    rows,
    signal,
  });
}

/** Its number of rows and a hash of all of them. */
async function digestOf(made: NewTable, name: string): Promise<string> {
  const { session, projectId, columns, signal } = made;
  const rows = `SELECT ${columns.map(comparableColumn).join(', ')} FROM ${fullName(made, name)}`;
  const sql = digestSql(rows, null);
  const response = await asWriter(session, projectId, { sql, signal, settings: rowSettings });
  return JSON.stringify(readRows(response)[0] ?? []);
}
