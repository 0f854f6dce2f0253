/** Sends the rows of files, or of a stream, to the engine; an unreadable row is reported with its file and line. */
import { createReadStream } from 'node:fs';
import { basename } from 'node:path';
import { type Readable, Transform } from 'node:stream';
import { ServiceError } from '../../../errors/service-error.ts';
import { EngineError } from '../errors/engine-error.ts';
import { translateError } from '../errors/translate-error.ts';
import type { EngineClient } from '../http/http-client.ts';
import { logComment } from '../http/log-comment.ts';
import type { Settings } from '../http/request-message.ts';
import { readRows, rowSettings } from '../http/session.ts';
import type { ColumnTypes, LoadRequest } from './load-request.ts';
import { insertSql, isTextFormat, type NewTable, PARSES_JSON, settingsOf } from './load-sql.ts';
import {
  capitalized,
  notClosed,
  type RowFault,
  rowFaultOf,
  strayBackslash,
  whyUnreadable,
} from './row-fault.ts';
import { type CsvLines, csvLines, type JsonLines, jsonLines, type RowLines } from './row-lines.ts';

const LOAD_TIMEOUT_MS = 6 * 3600 * 1000;
const LOOKUP_TIMEOUT_MS = 20_000;

export interface Sending {
  readonly request: LoadRequest;
  readonly client: EngineClient;
  readonly staging: NewTable;
}

/** @throws ServiceError `invalid_input` for a file that cannot be read or whose rows the engine refuses. */
export async function sendRows(sending: Sending): Promise<void> {
  const { source, onProgress, nameOf = basename } = sending.request;
  const settings = await textsOfJson(sending);
  if (isStream(source)) return sendStream(sending, source, { name: null, settings, onProgress });
  let earlier = 0;
  for (const file of typeof source === 'string' ? [source] : source) {
    let sent = 0;
    const counted = (bytes: number) => {
      sent = bytes;
      onProgress?.(earlier + bytes);
    };
    const fileTypes = sending.request.fileTypes?.get(file);
    const reading = { name: nameOf(file), fileTypes, settings, onProgress: counted };
    await sendStream(sending, createReadStream(file), reading);
    earlier += sent;
  }
}

function isStream(source: LoadRequest['source']): source is Readable {
  return typeof source === 'object' && 'pipe' in source;
}

interface Reading {
  /** The file's name; null for a stream. */
  readonly name: string | null;
  readonly fileTypes?: ColumnTypes | undefined;
  readonly settings: Settings;
  readonly onProgress: LoadRequest['onProgress'];
}

async function sendStream(sending: Sending, file: Readable, reading: Reading): Promise<void> {
  const { request, client, staging } = sending;
  const lines = linesOf(request);
  const sql = insertSql(staging, request.format, reading.fileTypes);
  try {
    await client.send({
      login: request.connection.admin,
      sql,
      settings: {
        wait_end_of_query: '1',
        ...settingsOf(sql, request.csv),
        ...reading.settings,
      },
      // By which the load's progress is found.
      ownSettings: { log_comment: logComment(request.projectId) },
      rows: watched(file, reading.onProgress, lines),
      timeoutMs: LOAD_TIMEOUT_MS,
      signal: request.signal,
    });
  } catch (error) {
    throw asFileFault(error, sending, { ...reading, lines });
  }
  const unclosed = lines?.unclosed?.() ?? null;
  if (unclosed !== null) throw rowError({ row: unclosed, what: notClosed }, { ...reading, lines });
  const stray = lines?.strayBackslash?.() ?? null;
  if (stray !== null) throw faultAt(`line ${stray}`, strayBackslash, reading);
}

/** Engines before 25.6 take JSON of Parquet for texts, and lack the setting. */
async function textsOfJson({ request, client }: Sending): Promise<Settings> {
  if (request.format !== 'Parquet') return {};
  const response = await client.send({
    login: request.connection.admin,
    sql: 'SELECT name FROM system.settings WHERE name = {name:String}',
    params: { name: PARSES_JSON },
    settings: rowSettings,
    timeoutMs: LOOKUP_TIMEOUT_MS,
    signal: request.signal,
  });
  return readRows(response).length === 0 ? {} : { [PARSES_JSON]: '0' };
}

function linesOf({
  format,
  csv,
}: LoadRequest): (RowLines & Partial<CsvLines> & Partial<JsonLines>) | null {
  if (!isTextFormat(format)) return null;
  return format === 'CSVWithNames' ? csvLines(csv?.delimiter ?? ',') : jsonLines();
}

function watched(
  file: Readable,
  onProgress: LoadRequest['onProgress'],
  lines: RowLines | null,
): Readable {
  let sent = 0;
  const counter = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      sent += chunk.length;
      lines?.take(chunk);
      onProgress?.(sent);
      done(null, chunk);
    },
  });
  file.once('error', (error) => counter.destroy(error));
  counter.once('close', () => file.destroy());
  return file.pipe(counter);
}

/** A file that cannot be read, or whose rows the engine refuses, is invalid input. */
function asFileFault(
  error: unknown,
  { request, staging }: Sending,
  { name, lines }: Reading & { readonly lines: RowLines | null },
): ServiceError {
  const isUnreadable = error instanceof Error && 'code' in error && 'syscall' in error;
  if (isUnreadable) return fileFault('The file cannot be read.', error.message);
  const { format, projectId } = request;
  const failed = translateError(error, { fault: 'query_failed', projectId, isOwnData: true });
  if (failed.code !== 'query_failed') return failed;
  const internal = failed.internal ?? '';
  const message = error instanceof EngineError ? error.message : '';
  const row = rowFaultOf(message, { columns: staging.columns, format });
  if (row === null) {
    const subject = name ?? 'The data';
    return fileFault(`${subject} ${whyUnreadable(format, failed.message)}`, internal);
  }
  return rowError(row, { name, lines }, internal);
}

function rowError(
  { row, what }: RowFault,
  { name, lines }: Pick<Reading, 'name'> & { readonly lines: RowLines | null },
  internal = '',
): ServiceError {
  const line = lines?.lineOf(row) ?? null;
  return faultAt(line === null ? `row ${row}` : `line ${line}`, what, { name }, internal);
}

function faultAt(
  at: string,
  what: string,
  { name }: Pick<Reading, 'name'>,
  internal = '',
): ServiceError {
  const where = name === null ? '' : `${name}, `;
  const sentence = `${where}${at}: ${what}.`;
  return fileFault(name === null ? capitalized(sentence) : sentence, internal);
}

/** A file, or data, that cannot be loaded. */
export function fileFault(detail: string, internal: string): ServiceError {
  return new ServiceError('invalid_input', detail, { internal });
}
