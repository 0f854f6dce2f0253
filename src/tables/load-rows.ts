/** Rows that a caller uploads into a project's table, atomically. */
import { join } from 'node:path';
import { currentActor } from '../access/current-actor.ts';
import { projectNotFound } from '../access/get-project.ts';
import { type Principal, requireProject, requireScope } from '../access/principal.ts';
import { takeRequest } from '../access/rates/take-request.ts';
import { engineFormatOf, type FormatName, isText } from '../engine/load-formats.ts';
import type { Column } from '../engine/query-engine.ts';
import type { FileLoad, LoadedFile } from '../engine/table-loader.ts';
import { invalidInput, ServiceError } from '../errors/service-error.ts';
import { EncodingError } from '../lib/decode-text.ts';
import { FileTooLargeError, readHead, toPlainFile } from '../lib/plain-file.ts';
import { openSpoolFolder, type SpoolFolder, writeSpool } from '../lib/spool.ts';
import { isUnwritable } from '../lib/temp-folders.ts';
import type { Actor } from '../model/actor.ts';
import { requireTableName } from '../sql/table-name.ts';
import type { LoadRowsDeps } from './deps.ts';
import { type LoadOptions, type ParsedLoadOptions, parseLoadOptions } from './load-options.ts';
import { areNewColumns, recordLoad } from './record-load.ts';
import { requireUnbroken } from './require-unbroken.ts';
import { readUploadType, type UploadMode, type UploadType } from './upload-type.ts';

export interface Upload {
  /** Read at most once. Fails when the caller leaves. */
  readonly body: AsyncIterable<Buffer>;
  readonly contentType: string | null;
  readonly contentEncoding: string | null;
  /** In bytes; null when the caller did not state it. */
  readonly contentLength: number | null;
  readonly signal: AbortSignal;
}

export interface LoadRows {
  /** A decimal id, or `@current`. */
  readonly projectId: string;
  readonly table: string;
  /** Absent to derive it from the content type. */
  readonly format?: FormatName | undefined;
  readonly mode: UploadMode;
  /** Replaces the table even if that breaks saved endpoints. */
  readonly force: boolean;
  readonly options: LoadOptions;
  readonly upload: Upload;
}

export interface LoadedRows {
  readonly table: string;
  readonly mode: UploadMode;
  readonly rows: number;
  readonly columns: readonly Column[];
}

/** The data's name in errors. */
const bodyName = 'The body';

/**
 * Creates the table if it does not exist. Needs the scope `data:write`. Throws `unique` when `create` finds an existing
 * one.
 */
export async function loadRows(
  deps: LoadRowsDeps,
  principal: Principal,
  call: LoadRows,
): Promise<LoadedRows> {
  await takeRequest(deps, principal, call.projectId);
  requireScope(principal, 'data:write');
  const projectId = requireProject(principal, call.projectId);
  if ((await deps.projects.findProject(projectId)) === null) throw projectNotFound(projectId);
  requireTableName(call.table);
  const impossible = await deps.engine.whyNot(projectId, 'load');
  if (impossible !== null) throw invalidInput(null, impossible);
  const type = readUploadType(call.upload, call.format);
  const options = parseLoadOptions(call.options, { format: type.format, mode: call.mode });
  if (call.mode === 'create') await requireNew(deps, projectId, call.table);
  if ((call.upload.contentLength ?? 0) > deps.config.maxLoadBytes) throw tooLarge(deps);
  const leave = deps.loads.slots.enter();
  try {
    await using folder = await openSpoolFolder(join(deps.config.dataDir, 'tmp'), 'spool-');
    const path = await receive(deps, folder, { upload: call.upload, type });
    const loading = { call, projectId, path, type, options, by: currentActor(principal) };
    return await loadFile(deps, loading);
  } catch (error) {
    throw call.upload.signal.aborted ? goneAway(error) : (withoutDisk(error) ?? error);
  } finally {
    leave();
  }
}

/** Checked before the body is read; the load itself checks again. */
async function requireNew(deps: LoadRowsDeps, projectId: number, table: string): Promise<void> {
  if ((await columnsOf(deps, { projectId, table })) !== null) throw tableTaken(table);
}

function tableTaken(table: string, cause?: unknown): ServiceError {
  return new ServiceError(
    'unique',
    `The table ${table} already exists. Use mode=append to add the rows to it, or mode=replace to replace it.`,
    { attr: 'table', cause },
  );
}

/** Null when there is no such table. */
async function columnsOf(
  { engine }: LoadRowsDeps,
  { projectId, table }: Pick<FileLoad, 'projectId' | 'table'>,
): Promise<FileLoad['existing']> {
  const tables = await engine.tables(projectId);
  return tables.find(({ name }) => name === table)?.columns ?? null;
}

interface Receiving {
  readonly upload: Upload;
  readonly type: UploadType;
}

/** The path of the data as a plain file. */
async function receive(
  deps: LoadRowsDeps,
  folder: SpoolFolder,
  { upload: { body, signal }, type }: Receiving,
): Promise<string> {
  const maxBytes = deps.config.maxLoadBytes;
  const sent = folder.path('sent');
  try {
    await writeSpool(body, { path: sent, maxBytes, signal });
    const encoding = isText(type.format) ? type.encoding : null;
    return await toPlainFile(sent, { spoolPath: folder.path('plain'), encoding, maxBytes, signal });
  } catch (error) {
    throw refusalOf(deps, error, type) ?? error;
  }
}

/** Null for a fault that the data did not cause. */
function refusalOf(deps: LoadRowsDeps, error: unknown, type: UploadType): ServiceError | null {
  if (error instanceof FileTooLargeError) return tooLarge(deps);
  if (error instanceof EncodingError) {
    const where = `the byte at offset ${error.offset}, on line ${error.line}`;
    return invalidInput(
      null,
      `${bodyName} is not valid ${type.encoding}: ${where}, cannot be decoded.`,
    );
  }
  if (!(error instanceof Error) || 'syscall' in error || isBroken(error)) return null;
  return invalidInput(null, `${bodyName} cannot be read: ${error.message.replace(/\.$/, '')}.`);
}

/** Of files that the service cannot write itself, which it does only before it loads the rows; null for other errors. */
function withoutDisk(error: unknown): ServiceError | null {
  if (!(error instanceof Error) || !('code' in error)) return null;
  if ('syscall' in error && error.syscall === 'connect') return null;
  const reason = whyNoDisk(String(error.code));
  if (reason === null) return null;
  const options = { retryAfterSeconds: 60, internal: error.message, cause: error };
  return new ServiceError('service_unavailable', reason, options);
}

function whyNoDisk(code: string): string | null {
  if (/^(?:ENOSPC|EDQUOT)$/.test(code))
    return 'The disk for uploads is full, so nothing was loaded. Try again later, or ask an administrator to make room.';
  if (isUnwritable(code))
    return 'The service cannot write temporary files, so nothing was loaded. Ask an administrator to make its temporary folder and its data folder writable.';
  return null;
}

/** The connection ended before the body did. */
function isBroken(error: Error): boolean {
  const code = 'code' in error ? String(error.code) : '';
  return error.name === 'AbortError' || /^(?:ECONNRESET|ABORT_ERR|ERR_STREAM)/.test(code);
}

interface Loading {
  readonly call: LoadRows;
  readonly projectId: number;
  readonly path: string;
  readonly type: UploadType;
  readonly options: ParsedLoadOptions;
  readonly by: Actor;
}

async function loadFile(deps: LoadRowsDeps, loading: Loading): Promise<LoadedRows> {
  const { call, projectId, path, type, options, by } = loading;
  const { table, mode, force, upload } = call;
  const existing = await columnsOf(deps, { projectId, table });
  const format = engineFormatOf(type.format, await readHead(path));
  const file: FileLoad = {
    projectId,
    table,
    mode,
    path,
    name: bodyName,
    format,
    ...options,
    existing,
    ...(mode === 'replace' && !force
      ? { beforeSwap: (then) => requireUnbroken(deps, { projectId, table, columns: then }) }
      : {}),
    signal: upload.signal,
  };
  const entry = { projectId, table, by, existing, about: { mode, format } };
  const { rows, columns } = await recordLoad(deps, entry, () => fillTable(deps, file));
  // Requests after the response must not read a node that was lost during the load.
  await deps.engine.readBehind();
  deps.lookups.endpoints.clear();
  if (areNewColumns(existing, columns)) {
    deps.engine.refresh(projectId, true);
    deps.filterTypes.forget(projectId);
  }
  return { table, mode, rows, columns };
}

/** Rows to append create the table if there is none, and are added to one that another caller creates meanwhile. */
async function fillTable(deps: LoadRowsDeps, file: FileLoad): Promise<LoadedFile> {
  const { files } = deps.loads;
  const isNew = file.mode === 'create' || (file.mode === 'append' && file.existing === null);
  try {
    return await files.load(isNew ? { ...file, mode: 'create' } : file);
  } catch (error) {
    if (!isNew || !isTaken(error)) throw error;
    if (file.mode === 'create') throw tableTaken(file.table, error);
  }
  // The table must not be looked for on a node that has missed its creation.
  await deps.engine.readBehind();
  return files.load({ ...file, existing: await columnsOf(deps, file) });
}

function isTaken(error: unknown): boolean {
  return error instanceof ServiceError && error.code === 'unique';
}

function tooLarge({ config }: LoadRowsDeps): ServiceError {
  return new ServiceError(
    'body_too_large',
    `${bodyName}, compressed or decompressed, is larger than ${config.maxLoadBytes} bytes.`,
  );
}

function goneAway(cause: unknown): ServiceError {
  return new ServiceError('query_cancelled', 'The caller went away.', { cause });
}
