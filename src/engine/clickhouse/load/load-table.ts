/**
 * Fills a project's table from a file. Whole or not at all: rows go into a table nobody sees, which then
 * takes its place in one step.
 */
import { randomBytes } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { type Readable, Transform } from 'node:stream';
import { ServiceError } from '../../../errors/service-error.ts';
import type { Column } from '../../query-engine.ts';
import { translateError } from '../errors/translate-error.ts';
import { type TimeZones, whyNotType } from '../guard/rules/types.ts';
import { openTimeZones } from '../guard/rules/variable-rules.ts';
import type { EngineConnection } from '../http/connection.ts';
import { type EngineClient, openEngineClient } from '../http/http-client.ts';
import { readRows } from '../http/session.ts';
import { projectDatabase } from '../provision/project-users.ts';
import { UNFINISHED_PREFIX } from '../tables/project-tables.ts';
import {
  createTableSql,
  insertSql,
  type LoadFormat,
  loadSettings,
  type NewTable,
  qualified,
  requireColumns,
  requireTableName,
} from './load-sql.ts';

/** `create` refuses a table that exists, `append` one that does not or has other columns. */
export type LoadMode = 'create' | 'replace' | 'append';

export interface LoadRequest {
  readonly connection: EngineConnection;
  readonly projectId: number;
  readonly table: string;
  readonly format: LoadFormat;
  /** A file's path, those of several files, or bytes; a stream is used up, also by a failure. */
  readonly source: string | readonly string[] | Readable;
  /** All columns of the file with their types, NULL allowed only where the type says so. */
  readonly columns: readonly Column[];
  /** What the table is sorted by; a table that exists keeps its own order when rows are appended. */
  readonly orderBy?: readonly string[];
  readonly mode: LoadMode;
  /** Bytes sent so far, of all files. */
  readonly onProgress?: (bytesSent: number) => void;
  readonly signal?: AbortSignal;
}

const STATEMENT_TIMEOUT_MS = 120_000;
const LOAD_TIMEOUT_MS = 6 * 3600 * 1000;
/** A load that was cut off by the end of its process leaves its table; nothing takes this long to load. */
const ABANDONED_SECONDS = 24 * 3600;

interface Load {
  readonly request: LoadRequest;
  readonly client: EngineClient;
  readonly database: string;
  readonly target: string;
  readonly staging: NewTable;
}

/**
 * @returns how many rows were loaded.
 * @throws ServiceError `invalid_input` when names, types, the file or an existing table do not fit,
 * `unique` when `create` meets a table of that name, and the codes of an engine that cannot answer.
 */
export async function loadTable(request: LoadRequest): Promise<{ readonly rows: number }> {
  requireTableName(request.table);
  requireColumns(request.columns, request.orderBy ?? []);
  const database = projectDatabase(request.projectId);
  const suffix = randomBytes(6).toString('hex');
  const client = openEngineClient({ url: request.connection.url });
  const load: Load = {
    request,
    client,
    database,
    target: qualified(database, request.table),
    staging: {
      target: qualified(database, `${UNFINISHED_PREFIX}${suffix}`),
      columns: request.columns,
      orderBy: request.orderBy ?? [],
    },
  };
  try {
    requireReadable(request.columns, await openTimeZones(client, request.connection)());
    return await fillAndPlace(load);
  } catch (error) {
    throw translateError(error, { fault: 'query_failed', projectId: request.projectId });
  } finally {
    load.client.close();
  }
}

/** What a file's bytes may become: no states of aggregate functions, and times of zones that there are. */
function requireReadable(columns: readonly Column[], zones: TimeZones): void {
  for (const { name, type } of columns) {
    const reason = whyNotType(type, zones);
    if (reason === null) continue;
    throw new ServiceError(
      'invalid_input',
      `The type of the column ${name} is not accepted: ${reason}.`,
      {
        attr: 'columns',
      },
    );
  }
}

async function fillAndPlace(load: Load): Promise<{ readonly rows: number }> {
  await dropAbandoned(load);
  const existing = await existingColumns(load);
  requireMode(load.request, existing);
  const isAppend = load.request.mode === 'append';
  try {
    // The same order, partitions and settings, so that its parts fit.
    await run(
      load,
      isAppend
        ? `CREATE TABLE ${load.staging.target} AS ${load.target}`
        : createTableSql(load.staging),
    );
    await sendRows(load);
    const rows = await countRows(load);
    await place(load, existing !== null);
    return { rows };
  } finally {
    await run(load, `DROP TABLE IF EXISTS ${load.staging.target} SYNC`);
  }
}

function run(load: Load, sql: string, params: Readonly<Record<string, string>> = {}) {
  return load.client.send({
    login: load.request.connection.admin,
    sql,
    params,
    settings: { wait_end_of_query: '1', default_format: 'JSONCompactEachRow' },
    timeoutMs: STATEMENT_TIMEOUT_MS,
    signal: load.request.signal?.aborted ? undefined : load.request.signal,
  });
}

/** By name; null when there is no such table. */
async function existingColumns(load: Load): Promise<readonly Column[] | null> {
  const response = await run(
    load,
    'SELECT name, type FROM system.columns WHERE database = {database:String} AND table = {table:String} ORDER BY position',
    { database: load.database, table: load.request.table },
  );
  const columns = readRows(response).map(([name, type]) => ({
    name: String(name),
    type: String(type),
  }));
  return columns.length === 0 ? null : columns;
}

function requireMode(request: LoadRequest, existing: readonly Column[] | null): void {
  const { table, mode } = request;
  if (mode === 'create' && existing !== null) {
    throw new ServiceError('unique', `A table named ${table} exists already.`, { attr: 'table' });
  }
  if (mode !== 'append') return;
  if (existing === null) {
    throw new ServiceError('invalid_input', `There is no table named ${table} to append to.`, {
      attr: 'table',
    });
  }
  const misfit = firstMisfit(request.columns, existing);
  if (misfit !== null) {
    const detail = `The rows cannot be appended to ${table}: ${misfit}.`;
    throw new ServiceError('invalid_input', detail, { attr: 'columns' });
  }
}

function firstMisfit(given: readonly Column[], existing: readonly Column[]): string | null {
  const types = new Map(existing.map((column) => [column.name, column.type]));
  for (const { name, type } of given) {
    const known = types.get(name);
    if (known === undefined) return `it has no column ${name}`;
    if (known !== type && known !== `Nullable(${type})`) {
      return `its column ${name} is ${known}, the file’s is ${type}`;
    }
  }
  const names = new Set(given.map((column) => column.name));
  const missing = existing.find((column) => !names.has(column.name));
  return missing === undefined ? null : `the file has no column ${missing.name}`;
}

async function sendRows(load: Load): Promise<void> {
  const { source, onProgress } = load.request;
  if (isStream(source)) return sendStream(load, source, onProgress);
  let earlier = 0;
  for (const file of typeof source === 'string' ? [source] : source) {
    let sent = 0;
    await sendStream(load, createReadStream(file), (bytes) => {
      sent = bytes;
      onProgress?.(earlier + bytes);
    });
    earlier += sent;
  }
}

function isStream(source: LoadRequest['source']): source is Readable {
  return typeof source === 'object' && 'pipe' in source;
}

async function sendStream(
  load: Load,
  file: Readable,
  onProgress: LoadRequest['onProgress'],
): Promise<void> {
  const { request } = load;
  try {
    await load.client.send({
      login: request.connection.admin,
      sql: insertSql(load.staging, request.format),
      settings: { wait_end_of_query: '1', ...loadSettings },
      rows: onProgress === undefined ? file : counted(file, onProgress),
      timeoutMs: LOAD_TIMEOUT_MS,
      signal: request.signal,
    });
  } catch (error) {
    throw asFileFault(error, request);
  }
}

function counted(file: Readable, onProgress: (bytesSent: number) => void): Readable {
  let sent = 0;
  const counter = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      sent += chunk.length;
      onProgress(sent);
      done(null, chunk);
    },
  });
  file.once('error', (error) => counter.destroy(error));
  counter.once('close', () => file.destroy());
  return file.pipe(counter);
}

/** What the engine has against the rows is a fault of the file; a file that cannot be read too. */
function asFileFault(error: unknown, request: LoadRequest): ServiceError {
  const failure = translateError(error, { fault: 'query_failed', projectId: request.projectId });
  const isUnreadable = error instanceof Error && 'code' in error && 'syscall' in error;
  if (isUnreadable) {
    return new ServiceError('invalid_input', 'The file cannot be read.', {
      attr: 'source',
      internal: error.message,
    });
  }
  if (failure.code !== 'query_failed') return failure;
  const detail = `The file could not be loaded as ${request.format}: ${failure.message}`;
  return new ServiceError('invalid_input', detail, {
    attr: 'source',
    ...(failure.internal === null ? {} : { internal: failure.internal }),
  });
}

async function countRows(load: Load): Promise<number> {
  const response = await run(load, `SELECT count() FROM ${load.staging.target}`);
  return Number(readRows(response)[0]?.[0] ?? 0);
}

async function place(load: Load, exists: boolean): Promise<void> {
  const { staging, target, request } = load;
  if (request.mode === 'append') await attachParts(load);
  else if (exists) await run(load, `EXCHANGE TABLES ${staging.target} AND ${target}`);
  else await run(load, `RENAME TABLE ${staging.target} TO ${target}`);
}

/** One step for each partition; a table made by a load has one. */
async function attachParts(load: Load): Promise<void> {
  const table = load.staging.target.slice(load.database.length + 2, -1);
  const response = await run(
    load,
    'SELECT DISTINCT partition_id FROM system.parts WHERE database = {database:String} AND table = {table:String} AND active ORDER BY partition_id',
    { database: load.database, table },
  );
  for (const [id] of readRows(response)) {
    await run(
      load,
      `ALTER TABLE ${load.target} ATTACH PARTITION ID '${String(id)}' FROM ${load.staging.target}`,
    );
  }
}

async function dropAbandoned(load: Load): Promise<void> {
  const response = await run(
    load,
    `SELECT name FROM system.tables WHERE database = {database:String} AND startsWith(name, '${UNFINISHED_PREFIX}') AND metadata_modification_time < now() - ${ABANDONED_SECONDS}`,
    { database: load.database },
  );
  for (const [name] of readRows(response)) {
    await run(load, `DROP TABLE IF EXISTS ${qualified(load.database, String(name))} SYNC`);
  }
}
