/** Converts sources to plain local files: complete, uncompressed, text as UTF-8. */
import { constants, createWriteStream, openSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type FormatName, isText } from '../../engine/load-formats.ts';
import { EncodingError } from '../../lib/decode-text.ts';
import { toPlainFile as makePlain, readHead } from '../../lib/plain-file.ts';
import { openSpoolFolder } from '../../lib/spool.ts';
import { UsageError } from '../usage-error.ts';
import type { DataSource } from './data-files.ts';
import { fetchData } from './fetch-data.ts';

export interface PlainFile {
  readonly path: string;
  readonly name: string;
  readonly bytes: number;
  /** Its first bytes. */
  readonly head: Buffer;
}

export interface PlainFiles {
  readonly files: readonly PlainFile[];
  /** Removes the load's temporary files. */
  remove(): PromiseLike<void>;
}

interface Wanted {
  readonly format: FormatName;
  readonly encoding: string;
  readonly signal: AbortSignal;
}

/** Throws a UsageError for data that cannot be read, is damaged, or is not text in the encoding. */
export async function openPlainFiles(
  sources: readonly DataSource[],
  wanted: Wanted,
): Promise<PlainFiles> {
  const folder = await openSpoolFolder(tmpdir(), 'querydock-load-');
  const remove = () => folder[Symbol.asyncDispose]();
  try {
    const files: PlainFile[] = [];
    for (const source of sources)
      files.push(await toPlainFile(source, folder.path(String(files.length)), wanted));
    return { files, remove };
  } catch (error) {
    await remove();
    throw error;
  }
}

async function toPlainFile(source: DataSource, spoolPath: string, wanted: Wanted) {
  const { name } = source;
  const { encoding, signal } = wanted;
  let sentPath = source.at;
  return explained(name, wanted, async () => {
    if (source.kind !== 'file') {
      sentPath = `${spoolPath}.sent`;
      await pipeline(await open(source), createWriteStream(sentPath), { signal });
    }
    const path = await makePlain(sentPath, {
      spoolPath,
      encoding: isText(wanted.format) ? encoding : null,
      signal,
    });
    const { size: bytes } = await stat(path);
    return { path, name, bytes, head: await readHead(path) };
  });
}

async function open(source: DataSource): Promise<Readable> {
  if (source.kind === 'pipe') return openPipe(source.at);
  return source.kind === 'stdin' ? process.stdin : fetchData(source);
}

/** Waits for the pipe's writer without a thread, which a signal could not end. */
function openPipe(path: string): Readable {
  const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  return new Socket({ fd, readable: true, writable: false });
}

/** Rejects with a UsageError when the data is at fault. */
async function explained<T>(
  name: string,
  { encoding, signal }: Wanted,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (signal.aborted || error instanceof UsageError || !(error instanceof Error)) throw error;
    if (error instanceof EncodingError) throw notInEncoding(name, encoding, error);
    throw new UsageError(`${name} cannot be read: ${error.message.replace(/\.$/, '')}.`, {
      cause: error,
    });
  }
}

function notInEncoding(
  name: string,
  encoding: string,
  { offset, line }: EncodingError,
): UsageError {
  const hint =
    encoding === 'utf-8'
      ? ` Give its encoding, as in --encoding ${offset === 0 ? 'utf-16' : 'windows-1252'}.`
      : '';
  return new UsageError(
    `${name} is not valid ${encoding}: the byte at offset ${offset}, on line ${line}, cannot be decoded.${hint}`,
  );
}
