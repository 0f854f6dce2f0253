/** The tables that materializations read. */
import { createHash } from 'node:crypto';
import type { Log } from '../../../lib/log.ts';
import { storedTablePrefix } from '../../../model/materialization-state.ts';
import { formatParam, formatTexts } from '../../../sql/param-value.ts';
import { quoteName } from '../../../sql/quote-name.ts';
import type { EngineStatement } from '../../query-engine.ts';
import type { States, StoredColumns } from '../../stored-columns.ts';
import { checkStatement } from '../guard/check-statement.ts';
import { onEachNode } from '../http/each-node.ts';
import {
  asAdmin,
  asWriter,
  readerRows,
  readRows,
  rowSettings,
  type Session,
} from '../http/session.ts';
import { qualified } from '../load/load-sql.ts';
import { clusterOf, ofAllNodes } from '../topology/on-cluster.ts';
import { UNFINISHED_PREFIX } from './catalogue.ts';
import { dropCopies } from './frozen/copies.ts';
import {
  dropOne,
  fillName,
  requireName,
  requireStored,
  tableNames,
} from './stored/stored-names.ts';

/** The service wrote the text itself, so the guard is skipped. */
export async function countValues(
  session: Session,
  { projectId, table, columns }: StoredColumns,
  signal: AbortSignal | undefined,
): Promise<readonly number[]> {
  requireName(table);
  const counts = columns.map((column) => `uniq(${quoteName(column)})`).join(', ');
  const sql = `SELECT ${counts} FROM ${qualified(requireStored(session, projectId), table)}`;
  const query = { projectId, sql, params: {}, signal };
  const [row = []] = await readerRows(session, query, { fault: 'query_failed' });
  return row.map(Number);
}

/** The guard accepts the inner statement but would refuse the wrapper around it. */
export async function sizeStates(
  session: Session,
  { columns, by, ...query }: States,
  signal: AbortSignal | undefined,
): Promise<readonly [number, number]> {
  const { statement } = await checkStatement(session, query, 'query_failed');
  const size = columns.map((column) => `length(CAST(${quoteName(column)} AS String))`).join(' + ');
  const sums = [0, 1].map((value) => `sumIf(${size}, ${quoteName(by)} = ${value})`).join(', ');
  const sized = { ...query, sql: `SELECT ${sums} FROM (\n${statement}\n)`, signal };
  const [row = []] = await readerRows(session, sized, { fault: 'query_failed' });
  return [Number(row[0] ?? 0), Number(row[1] ?? 0)];
}

interface Dropping {
  readonly session: Session;
  readonly log: Log;
}

/** Also drops the further tables of its plan. A table of the same name that belongs to another owner stays. */
export async function dropStoredTable(
  { session, log }: Dropping,
  projectId: number,
  table: string,
): Promise<void> {
  requireName(table);
  const { stored } = session.place(projectId);
  if (stored === null) return;
  await dropCopies(session, { projectId, table });
  if (session.owner !== undefined) return dropOwned({ session, log }, projectId, table);
  const further = await tableNames(session, projectId, `${table}_p`);
  const copies = await copiesOf(session, projectId, table);
  for (const name of [table, ...copies, ...further]) await dropOne(session, projectId, name);
}

/**
 * Unfinished copies, which exist only on multi-node engines. The table itself is always included, because a node may
 * still be about to create it.
 */
async function copiesOf(
  session: Session,
  projectId: number,
  table: string,
): Promise<readonly string[]> {
  const { client, connection } = session;
  if (client.nodes === undefined && clusterOf(connection) === null) return [];
  const copy = fillName(table);
  return [copy, ...(await tableNames(session, projectId, `${copy}_`))];
}

/** The writer sees every table there; the reader may lack the rights. */
async function dropOwned(
  { session, log }: Dropping,
  projectId: number,
  table: string,
): Promise<void> {
  const response = await asWriter(session, projectId, {
    sql: `SELECT name, comment = {owner:String} FROM system.tables WHERE database = {database:String}
      AND (name = {table:String} OR startsWith(name, {copy:String}) OR startsWith(name, {prefix:String})) ORDER BY name`,
    params: formatTexts({
      owner: session.owner ?? '',
      database: requireStored(session, projectId),
      table,
      copy: fillName(table),
      prefix: `${table}_p`,
    }),
    settings: rowSettings,
  });
  for (const [name, isOwn] of readRows(response)) {
    if (Number(isOwn) === 1) await dropOne(session, projectId, String(name));
    else
      log.warn(
        { projectId, table: name },
        'a stored table belongs to another deployment or project and was not dropped',
      );
  }
}

export function storedTableNames(session: Session, projectId: number): Promise<readonly string[]> {
  return tableNames(session, projectId, storedTablePrefix);
}

/** Uses `EXPLAIN ESTIMATE`, whose rows are (database, table, parts, rows, marks). */
export async function estimateRows(session: Session, query: EngineStatement): Promise<number> {
  const { statement } = await checkStatement(session, query, 'query_failed');
  const explain = { ...query, sql: `EXPLAIN ESTIMATE ${statement}` };
  const rows = await readerRows(session, explain, { fault: 'query_failed' });
  return rows.reduce((total, row) => total + Number(row[3] ?? 0), 0);
}

/** Covers the tables that the project reads on any node, excluding those that the service creates. */
export async function schemaFingerprint(session: Session, projectId: number): Promise<string> {
  const { databases } = session.place(projectId);
  const sql = `SELECT database, table, toString(groupBitXor(h)), toString(count()) FROM (
      SELECT DISTINCT database, table, sipHash64(position, name, type, default_kind, default_expression) AS h FROM ${ofAllNodes(session.connection, 'system.columns')}
      WHERE database IN {databases:Array(String)}
      AND NOT startsWith(table, '${storedTablePrefix}') AND NOT startsWith(table, '${UNFINISHED_PREFIX}'))
    GROUP BY database, table UNION ALL SELECT '', '', '', version()`;
  const params = { databases: formatParam('Array(String)', databases, 'databases') };
  const rows = (await onEachNode(session, () => asAdmin(session, { sql, params }))).flatMap(
    readRows,
  );
  const tables = [...new Set(rows.map((row) => JSON.stringify(row)))].sort();
  return createHash('sha256').update(tables.join('\n')).digest('hex');
}
