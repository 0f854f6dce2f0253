/** The tables that materializations are read from. */
import { ServiceError } from '../../../errors/service-error.ts';
import type { Log } from '../../../lib/log.ts';
import { storedTablePrefix } from '../../../model/materialization-state.ts';
import { formatParam } from '../../../sql/param-value.ts';
import { quoteName, quoteText } from '../../../sql/quote-name.ts';
import type {
  EngineStatement,
  NewStoredTable,
  StoredColumns,
  StoredTableSize,
} from '../../query-engine.ts';
import { EngineError } from '../errors/engine-error.ts';
import { translateError } from '../errors/translate-error.ts';
import { checkStatement } from '../guard/check-statement.ts';
import type { Settings } from '../http/request-message.ts';
import {
  asAdmin,
  asWriter,
  messageContext,
  ownShare,
  readerRows,
  readRows,
  rowSettings,
  type Session,
  toTexts,
} from '../http/session.ts';
import { mergeTree, qualified } from '../load/load-sql.ts';
import { killQueries } from '../overruns/running-queries.ts';
import type { UserLimits } from '../provision/project-users.ts';
import { dropCopies } from './frozen/drop-copies.ts';
import { UNFINISHED_PREFIX } from './project-tables.ts';

const NAME = new RegExp(`^${storedTablePrefix}[a-z0-9_]{1,100}$`);

/** @throws ServiceError `cannot_materialize` for a project without a place for them. */
function requireStored(session: Session, projectId: number): string {
  const { stored } = session.place(projectId);
  if (stored !== null) return stored;
  throw new ServiceError('cannot_materialize', NOWHERE);
}

const NOWHERE =
  'The project is bound to databases and has none of its own for stored tables: an operator names one with querydock project attach --stored.';

function requireName(table: string): void {
  if (!NAME.test(table)) throw new Error(`${table} is not the name of a stored table`);
}

/** Types that a result may have are allowed in its table, too. */
const typeSettings = {
  allow_suspicious_low_cardinality_types: '1',
  allow_suspicious_variant_types: '1',
  allow_suspicious_types_in_order_by: '1',
} as const;

/** Rows per index granule, few of them: a lookup needs one row. */
const INDEX_GRANULARITY = 256;
/** Fewer rows where they are large, as states of sets are: every row of a granule is read to find one. */
const GRANULE_BYTES = 131_072;
const MAX_BLOCK_BYTES = 268_435_456;

/** Rows are written in as few parts as memory allows: a read looks into the index of each part. */
function tableSettings({ queryMemoryBytes }: UserLimits) {
  const blockBytes = Math.min(MAX_BLOCK_BYTES, Math.floor(queryMemoryBytes / 8));
  return {
    ...typeSettings,
    min_insert_block_size_rows: '0',
    min_insert_block_size_bytes: String(blockBytes),
  };
}

/**
 * For a query that needs more memory than it may: it spills to disk early and works on less at once. Tables are joined in the
 * order of the text, because the order that the engine chooses may join two of them by a column with few values first.
 */
function sparingSettings({ queryMemoryBytes }: UserLimits) {
  const part = (count: number) => String(Math.floor(queryMemoryBytes / count));
  return {
    max_threads: '1',
    max_insert_threads: '1',
    max_block_size: '8192',
    max_bytes_before_external_group_by: part(8),
    max_bytes_before_external_sort: part(8),
    max_bytes_before_external_join: part(8),
    min_external_sort_block_bytes: part(32),
    min_insert_block_size_bytes: part(32),
    query_plan_optimize_join_order_limit: '0',
  };
}

/** Checks the text again, because it runs with more rights than a reader's. */
export async function createStoredTable(
  session: Session,
  request: NewStoredTable,
  signal: AbortSignal | undefined,
): Promise<StoredTableSize> {
  const { projectId, table, queryId, params } = request;
  requireName(table);
  const { statement } = await checkStatement(session, request, 'query_failed');
  const sql = `CREATE TABLE ${qualified(requireStored(session, projectId), table)} ${mergeTree(request.orderBy)}, index_granularity = ${INDEX_GRANULARITY}, index_granularity_bytes = ${GRANULE_BYTES}${owned(session)} AS SELECT * FROM (\n${statement}\n) LIMIT ${request.maxRows + 1}`;
  const usual = { ...tableSettings(session.config), ...ownShare(session, request) };
  const create = async (settings: Settings): Promise<StoredTableSize> => {
    const { stats } = await asWriter(session, projectId, {
      sql,
      params,
      queryId,
      signal,
      settings,
    });
    return { ...(await sizeOf(session, projectId, table)), rowsRead: stats.rowsRead };
  };
  const context = messageContext(session, projectId);
  const translated = (error: unknown) =>
    translateError(error, { ...context, fault: 'query_failed', written: request.sql });
  try {
    return await create(usual).catch(async (error: unknown) => {
      if (translated(error).code !== 'query_memory_limit') throw error;
      await dropOne(session, projectId, table);
      return create({ ...usual, ...sparingSettings(session.config) });
    });
  } catch (error) {
    const failed = translated(error);
    if (mayStillRun(failed)) await killQueries(session, [queryId]).catch(() => false);
    throw failed;
  }
}

function owned({ owner }: Session): string {
  return owner === undefined ? '' : ` COMMENT ${quoteText(owner)}`;
}

/** A writer's query goes on when its connection is closed. */
function mayStillRun({ code }: ServiceError): boolean {
  return code === 'query_cancelled' || code === 'engine_unavailable';
}

async function sizeOf(
  session: Session,
  projectId: number,
  table: string,
): Promise<Omit<StoredTableSize, 'rowsRead'>> {
  const response = await asAdmin(session, {
    sql: 'SELECT total_rows, total_bytes FROM system.tables WHERE database = {database:String} AND name = {table:String}',
    params: { database: requireStored(session, projectId), table },
  });
  const [rows, bytes] = readRows(response)[0] ?? [];
  // What a user has no grant for is not listed: to count it as no rows would leave the limit of rows unenforced.
  if (rows === undefined || rows === null) throw unseen(projectId, table);
  return { rows: Number(rows), bytes: Number(bytes ?? 0) };
}

function unseen(projectId: number, table: string): ServiceError {
  const detail =
    'The engine does not let the service see the table that it has just made, so its rows cannot be counted.';
  return new ServiceError('engine_unavailable', detail, {
    retryAfterSeconds: 60,
    internal: `The user that lists tables needs SHOW TABLES or SELECT on the database of the stored tables of project ${projectId}: ${table} is not listed in system.tables.`,
  });
}

/** The service wrote the text itself, so the guard does not check it. */
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

const UNKNOWN_DATABASE = 81;

interface Dropping {
  readonly session: Session;
  readonly log: Log;
}

/** With the further ones of its plan. What is in its place and another's stays. */
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
  for (const name of [table, ...further]) await dropOne(session, projectId, name);
}

/** The writer sees every table there; the reader may have no rights to. */
async function dropOwned(
  { session, log }: Dropping,
  projectId: number,
  table: string,
): Promise<void> {
  const response = await asWriter(session, projectId, {
    sql: `SELECT name, comment = {owner:String} FROM system.tables WHERE database = {database:String}
      AND (name = {table:String} OR startsWith(name, {prefix:String})) ORDER BY name`,
    params: {
      owner: session.owner ?? '',
      database: requireStored(session, projectId),
      table,
      prefix: `${table}_p`,
    },
    settings: rowSettings,
  });
  for (const [name, isOwn] of readRows(response)) {
    if (Number(isOwn) === 1) await dropOne(session, projectId, String(name));
    else
      log.warn(
        { projectId, table: name },
        'a stored table is another deployment’s or project’s, and stays',
      );
  }
}

async function dropOne(session: Session, projectId: number, table: string): Promise<void> {
  const sql = `DROP TABLE IF EXISTS ${qualified(requireStored(session, projectId), table)}`;
  try {
    await asWriter(session, projectId, { sql });
  } catch (error) {
    if (!(error instanceof EngineError) || error.code !== UNKNOWN_DATABASE) throw error;
  }
}

export function storedTableNames(session: Session, projectId: number): Promise<readonly string[]> {
  return tableNames(session, projectId, storedTablePrefix);
}

async function tableNames(
  session: Session,
  projectId: number,
  prefix: string,
): Promise<readonly string[]> {
  const { stored } = session.place(projectId);
  if (stored === null) return [];
  const { owner } = session;
  const own = owner === undefined ? '' : ' AND comment = {owner:String}';
  const response = await asAdmin(session, {
    sql: `SELECT name FROM system.tables WHERE database = {database:String} AND startsWith(name, {prefix:String})${own} ORDER BY name`,
    params: { database: stored, prefix, ...(owner === undefined ? {} : { owner }) },
  });
  return toTexts(readRows(response));
}

/** Of `EXPLAIN ESTIMATE`, whose rows are (database, table, parts, rows, marks). */
export async function estimateRows(session: Session, query: EngineStatement): Promise<number> {
  const { statement } = await checkStatement(session, query, 'query_failed');
  const explain = { ...query, sql: `EXPLAIN ESTIMATE ${statement}` };
  const rows = await readerRows(session, explain, { fault: 'query_failed' });
  return rows.reduce((total, row) => total + Number(row[3] ?? 0), 0);
}

/** Of the tables that the project reads, without those that the service makes. */
export async function schemaFingerprint(session: Session, projectId: number): Promise<string> {
  const { databases } = session.place(projectId);
  const response = await asAdmin(session, {
    sql: `SELECT version(), toString(groupBitXor(sipHash64(database, table, position, name, type))), toString(count())
      FROM system.columns WHERE database IN {databases:Array(String)}
      AND NOT startsWith(table, '${storedTablePrefix}') AND NOT startsWith(table, '${UNFINISHED_PREFIX}')`,
    params: { databases: formatParam('Array(String)', databases, 'databases') },
  });
  return JSON.stringify(readRows(response)[0] ?? []);
}
