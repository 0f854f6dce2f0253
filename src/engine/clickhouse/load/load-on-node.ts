/** The statements of a load on one node. */

import type { TableChange } from '../../../model/node-journal.ts';
import type { Column, EngineParams } from '../../query-engine.ts';
import type { LoadMode } from '../../table-loader.ts';
import { unavailable } from '../errors/failures.ts';
import type { EngineClient } from '../http/http-client.ts';
import {
  type AdminSession,
  type Rows,
  readRows,
  rowSettings,
  toColumns,
  toTexts,
} from '../http/session.ts';
import { UNFINISHED_PREFIX } from '../tables/catalogue.ts';
import { moveIn } from '../tables/changes/move-in.ts';
import { swapIn } from '../tables/changes/swap-in.ts';
import type { LoadRequest } from './load-request.ts';
import { createTableSql, type NewTable, qualified } from './load-sql.ts';

const STATEMENT_TIMEOUT_MS = 120_000;
/** No load takes this long: an older hidden table belongs to a process that died. */
const ABANDONED_SECONDS = 24 * 3600;

export interface Load {
  readonly request: LoadRequest;
  readonly client: EngineClient;
  readonly database: string;
  readonly target: string;
  readonly staging: NewTable;
}

/** Cleanup statements run even after the load was cancelled. */
export async function run(load: Load, sql: string, params: EngineParams = {}): Promise<Rows> {
  const { connection, signal } = load.request;
  const response = await load.client.send({
    login: connection.admin,
    sql,
    params,
    settings: rowSettings,
    timeoutMs: STATEMENT_TIMEOUT_MS,
    signal: signal?.aborted ? undefined : signal,
  });
  return readRows(response);
}

export interface ExistingColumn extends Column {
  /** Whether the engine computes it from the others, so that no data has it. */
  readonly isComputed: boolean;
}

/** The table's columns by name; null when there is no such table. */
export async function existingColumns(load: Load): Promise<readonly ExistingColumn[] | null> {
  const rows = await run(
    load,
    'SELECT name, type, default_kind FROM system.columns WHERE database = {database:String} AND table = {table:String} ORDER BY position',
    { database: load.database, table: load.request.table },
  );
  // Several nodes could compute different values, as of `now()`, for a column that is stored.
  const isSingle = load.request.connection.nodes === undefined;
  const computed = isSingle ? ['ALIAS', 'MATERIALIZED'] : ['ALIAS'];
  const columns = toColumns(rows).map((column, at) => ({
    ...column,
    isComputed: computed.includes(String(rows[at]?.[2])),
  }));
  return columns.length === 0 ? null : columns;
}

export async function countRows(load: Load): Promise<number> {
  const [row] = await run(load, `SELECT count() FROM ${load.staging.target}`);
  return Number(row?.[0] ?? 0);
}

/** Creates the hidden table. One to append from has the same order, partitions and settings, so that its parts can be moved. */
export function createSql({ request, staging, target }: Load): string {
  return request.mode === 'append'
    ? `CREATE TABLE ${staging.target} AS ${target}`
    : createTableSql(staging);
}

/** Id of the hidden table. */
export async function idOf(load: Load): Promise<string> {
  const [id] = toTexts(
    await run(
      load,
      'SELECT uuid FROM system.tables WHERE database = {database:String} AND name = {table:String}',
      { database: load.database, table: load.staging.name },
    ),
  );
  if (id === undefined) throw unavailable('the rows of a load are not there');
  return id;
}

export function kindOf(mode: LoadMode): 'append' | 'replace' {
  return mode === 'append' ? 'append' : 'replace';
}

/** Puts the rows of the hidden table into the table. */
export function applyOn(
  session: AdminSession,
  { request, staging }: Load,
  { id, kind, ...table }: TableChange,
): Promise<void> {
  const isNew = request.mode === 'create';
  const swapped = { ...table, staging: staging.name, changeId: id, isNew };
  return kind === 'append' ? moveIn(session, swapped) : swapIn(session, swapped);
}

/** The load without its caller's signal. */
export function unstoppable(load: Load): Load {
  return { ...load, request: { ...load.request, signal: undefined } };
}

/** Never rejects, since the load may be applied already. A later load drops a table that is left over. */
export async function drop(load: Load, name: string): Promise<void> {
  const { log, projectId, table } = load.request;
  try {
    await run(unstoppable(load), `DROP TABLE IF EXISTS ${qualified(load.database, name)} SYNC`);
  } catch (error) {
    log.warn({ err: error, projectId, table }, 'the hidden table of a load was not dropped');
  }
}

export async function dropAbandoned(load: Load): Promise<void> {
  const tables = await run(
    load,
    `SELECT name FROM system.tables WHERE database = {database:String} AND startsWith(name, '${UNFINISHED_PREFIX}') AND metadata_modification_time < now() - ${ABANDONED_SECONDS}`,
    { database: load.database },
  );
  for (const name of toTexts(tables)) {
    await run(load, `DROP TABLE IF EXISTS ${qualified(load.database, name)} SYNC`);
  }
}
