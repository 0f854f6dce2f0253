/** Creates the tables that materializations read. */
import { ServiceError } from '../../../../errors/service-error.ts';
import { formatTexts } from '../../../../sql/param-value.ts';
import type { NewStoredTable, StoredTableSize } from '../../../query-engine.ts';
import { type EngineError, isDenied } from '../../errors/engine-error.ts';
import { deniedRight } from '../../errors/lacking-right.ts';
import { translateError } from '../../errors/translate-error.ts';
import { checkStatement } from '../../guard/check-statement.ts';
import type { Settings } from '../../http/request-message.ts';
import {
  asAdmin,
  asWriter,
  messageContext,
  ownShare,
  readRows,
  type Session,
} from '../../http/session.ts';
import { qualified } from '../../load/load-sql.ts';
import { killQueries } from '../../overruns/running-queries.ts';
import type { UserLimits } from '../../provision/project-users.ts';
import { sparingSettings } from '../../provision/sparing-settings.ts';
import { contentSettings } from '../../query/output-settings.ts';
import { clusterOf } from '../../topology/on-cluster.ts';
import { copyToNodes } from './copy-to-nodes.ts';
import { fillOnCluster } from './fill-on-cluster.ts';
import { makeTable, type NewTable } from './make-table.ts';
import { dropOne, fillName, requireDrops, requireName, requireStored } from './stored-names.ts';

const MAX_BLOCK_BYTES = 268_435_456;

/** Writes as few parts as memory allows, because a read checks the index of each part. */
function blockSettings({ queryMemoryBytes }: UserLimits) {
  const blockBytes = Math.min(MAX_BLOCK_BYTES, Math.floor(queryMemoryBytes / 8));
  return {
    min_insert_block_size_rows: '0',
    min_insert_block_size_bytes: String(blockBytes),
  };
}

/** For a query that would exceed its memory limit. */
function sparingInserts(limits: UserLimits) {
  return {
    ...sparingSettings(limits),
    max_insert_threads: '1',
    min_insert_block_size_bytes: String(Math.floor(limits.queryMemoryBytes / 32)),
  };
}

/**
 * Checks the text again, because it runs with more rights than a reader's. On a multi-node engine every responding node
 * has the same rows afterwards, and the others have no table of that name.
 */
export async function createStoredTable(
  session: Session,
  request: NewStoredTable,
  signal: AbortSignal | undefined,
): Promise<StoredTableSize> {
  const { nodes } = session.client;
  const create = () => createOnNode(session, request, signal);
  const node = nodes === undefined ? null : (nodes.chosen() ?? nodes.responding()[0] ?? null);
  return nodes === undefined || node === null ? create() : nodes.on(node, create);
}

async function createOnNode(
  session: Session,
  request: NewStoredTable,
  signal: AbortSignal | undefined,
): Promise<StoredTableSize> {
  const { projectId, table, queryId } = request;
  requireName(table);
  const { statement, columns, searchesNull } = await checkStatement(
    session,
    request,
    'query_failed',
  );
  await requireDrops(session, projectId);
  const { orderBy, ends = [] } = request;
  const making = { session, projectId, table, columns, orderBy, ends, signal };
  const filling = { ...request, statement, searchesNull };
  const usual = {
    ...contentSettings,
    ...blockSettings(session.config),
    ...ownShare(session, request),
  };
  const context = messageContext(session, projectId);
  const translated = (error: unknown) =>
    isDenied(error)
      ? lacksRights(session, projectId, error)
      : translateError(error, { ...context, fault: 'query_failed', written: request.sql });
  try {
    const size = await fill(making, filling, usual).catch(async (error: unknown) => {
      if (translated(error).code !== 'query_memory_limit') throw error;
      for (const name of [table, fillName(table)]) await dropOne(session, projectId, name);
      return fill(making, filling, { ...usual, ...sparingInserts(session.config) });
    });
    if (size.rows <= request.maxRows) await copyToNodes(making);
    return size;
  } catch (error) {
    const failed = translated(error);
    if (mayStillRun(failed)) await killQueries(session, [queryId]).catch(() => false);
    throw failed;
  }
}

/** The reader has been allowed the same query, so that what the writer may not read of it is not named. */
function lacksRights(session: Session, projectId: number, error: EngineError): ServiceError {
  const { right = '', on = '' } = deniedRight(error) ?? {};
  const isOfStored = on.startsWith(`${requireStored(session, projectId)}.`);
  const isOfQuery = !isOfStored && /^(?:SELECT|dictGet|)$/.test(right);
  const lacks = isOfQuery
    ? 'may not read all that the query reads, such as a column or a dictionary'
    : `lacks the right ${right}${isOfStored ? ' on the database of stored tables' : ''}`;
  const command = session.place(projectId).isBound
    ? 'check names the rights that it lacks'
    : 'sql prints the rights that it needs';
  return new ServiceError(
    'query_failed',
    `The user that stores results ${lacks}; querydock project ${command}.`,
    { internal: error.message.slice(0, 2000) },
  );
}

type Filling = Pick<NewStoredTable, 'params' | 'queryId' | 'maxRows'> & {
  readonly statement: string;
  readonly searchesNull: boolean;
};

/** Two statements, because replicated databases refuse CREATE TABLE … AS SELECT. */
async function fill(
  making: NewTable,
  { statement, params, queryId, searchesNull, maxRows }: Filling,
  settings: Settings,
): Promise<StoredTableSize> {
  const { session, projectId, table, signal } = making;
  const select = `SELECT * FROM (\n${statement}\n) LIMIT ${maxRows + 1}`;
  if (clusterOf(session.connection) !== null)
    return fillOnCluster(making, { select, params, searchesNull, queryId }, settings);
  await makeTable(making, table);
  const sql = `INSERT INTO ${qualified(requireStored(session, projectId), table)} ${select}`;
  const { stats } = await asWriter(session, projectId, {
    sql,
    params,
    searchesNull,
    queryId,
    signal,
    settings,
  });
  return { ...(await sizeOf(session, projectId, table)), rowsRead: stats.rowsRead };
}

/** A writer's query continues after its connection closes. */
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
    params: formatTexts({ database: requireStored(session, projectId), table }),
  });
  const [rows, bytes] = readRows(response)[0] ?? [];
  // Tables without a grant are not listed; counting them as empty would leave the row limit unenforced.
  if (rows === undefined || rows === null) throw unseen(session, projectId, table);
  return { rows: Number(rows), bytes: Number(bytes ?? 0) };
}

function unseen(session: Session, projectId: number, table: string): ServiceError {
  const detail = session.place(projectId).isBound
    ? 'The user that runs queries may not read the stored table that was just created, so its rows cannot be counted; querydock project check names the rights that it lacks.'
    : 'The service cannot see the table that it has just created in the engine, so its rows cannot be counted.';
  return new ServiceError('engine_unavailable', detail, {
    retryAfterSeconds: 60,
    internal: `The user that lists tables needs SHOW TABLES or SELECT on the database of the stored tables of project ${projectId}: ${table} is not listed in system.tables.`,
  });
}
