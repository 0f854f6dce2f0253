/** Replaces a node's table with another node's table of the same name. */
import { createHash, randomBytes } from 'node:crypto';
import { unavailable } from '../../errors/failures.ts';
import { asAdmin, readRows, rowSettings, toTexts } from '../../http/session.ts';
import { projectDatabase } from '../../provision/project-users.ts';
import { UNFINISHED_PREFIX } from '../catalogue.ts';
import { typeSettings } from '../stored/make-table.ts';
import { digestTable } from './digest-table.ts';
import { dropOn } from './drop-on.ts';
import { fullName, type ProjectTable } from './project-table.ts';
import { hasTable, swapIn } from './swap-in.ts';
import type { TableNode } from './table-nodes.ts';

export interface CopyTo extends ProjectTable {
  readonly node: TableNode;
  readonly changeId: string;
  readonly signal: AbortSignal | undefined;
  /** Rejects when the copy must no longer replace the existing table. */
  readonly isStillMissed: () => Promise<void>;
}

/** @throws ServiceError `engine_unavailable` when the rows change meanwhile; the node then keeps its old table. */
export async function copyFrom(source: TableNode, copying: CopyTo): Promise<void> {
  const { node, projectId, table, changeId, signal, isStillMissed } = copying;
  const definition = await definitionOf(source, copying);
  const expected = await digestTable(source, fullName({ projectId, table }));
  if (await isSame(node, copying, { definition, expected })) return;
  const prefix = `${UNFINISHED_PREFIX}copy_${hashOf(table)}_`;
  // A process that created one and was suspended since finds it gone.
  for (const name of await namesWith(node, projectId, prefix))
    await dropOn(node, { projectId, table: name });
  const name = `${prefix}${randomBytes(6).toString('hex')}`;
  try {
    const sql = `CREATE TABLE ${fullName({ projectId, table: name })} ${definition}`;
    await asAdmin(node, { sql, ownSettings: typeSettings, repeatable: false });
    await copyRows(source, {
      node,
      from: fullName({ projectId, table }),
      to: fullName({ projectId, table: name }),
      signal,
    });
    const found = await digestTable(node, fullName({ projectId, table: name }));
    if (found !== expected) throw unavailable(`the copy of ${table} is ${found}, not ${expected}`);
    await isStillMissed();
    await swapIn(node, { projectId, table, staging: name, changeId });
  } finally {
    await dropOn(node, { projectId, table: name }).catch(() => undefined);
  }
}

function hashOf(table: string): string {
  return createHash('sha256').update(table).digest('hex').slice(0, 16);
}

/** Everything after the table's name: columns, engine, keys, settings. */
async function definitionOf(
  session: TableNode,
  { projectId, table }: ProjectTable,
): Promise<string> {
  const rows = await asAdmin(session, {
    sql: 'SELECT create_table_query FROM system.tables WHERE database = {database:String} AND name = {table:String}',
    params: { database: projectDatabase(projectId), table },
    ownSettings: { show_table_uuid_in_table_create_query_if_not_nil: '0' },
  });
  // Table names contain no parenthesis.
  const found = /\(.*$/s.exec(toTexts(readRows(rows))[0] ?? '')?.[0];
  if (found === undefined) throw unavailable(`${table} is not there`);
  return found;
}

async function isSame(
  node: TableNode,
  { projectId, table }: ProjectTable,
  { definition, expected }: { readonly definition: string; readonly expected: string },
): Promise<boolean> {
  if (!(await hasTable(node, { projectId, table }))) return false;
  if ((await definitionOf(node, { projectId, table })) !== definition) return false;
  return (await digestTable(node, fullName({ projectId, table }))) === expected;
}

async function namesWith(
  node: TableNode,
  projectId: number,
  prefix: string,
): Promise<readonly string[]> {
  const rows = await asAdmin(node, {
    sql: 'SELECT name FROM system.tables WHERE database = {database:String} AND startsWith(name, {prefix:String})',
    params: { database: projectDatabase(projectId), prefix },
  });
  return toTexts(readRows(rows));
}

/** Timeout of one copy, in milliseconds. */
const COPY_MS = 3_600_000;

interface Rows {
  readonly node: TableNode;
  readonly from: string;
  readonly to: string;
  readonly signal: AbortSignal | undefined;
}

async function copyRows(source: TableNode, { node, from, to, signal }: Rows): Promise<void> {
  const { incoming } = await source.client.send({
    login: source.connection.admin,
    sql: `SELECT * FROM ${from} FORMAT Native`,
    settings: { max_threads: '1' },
    timeoutMs: COPY_MS,
    isStreamed: true,
    signal,
  });
  if (incoming === undefined) throw unavailable('a table could not be read');
  await node.client.send({
    login: node.connection.admin,
    sql: `INSERT INTO ${to} FORMAT Native`,
    settings: { ...rowSettings, min_insert_block_size_rows: '0' },
    timeoutMs: COPY_MS,
    rows: incoming,
    signal,
  });
}
