/** Makes plain local files of what is loaded: complete, not compressed, text as UTF-8. */
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdtemp, open, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { Writable as Sink } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { EncodingError, openTextDecoder } from '../../lib/decode-text.ts';
import { type Compression, compressionOf, openDecompressor } from '../../lib/decompress.ts';
import { markTempFolder, sweepTempFolders } from '../../lib/temp-folders.ts';
import { UsageError } from '../usage-error.ts';
import { type DataSource, type FormatName, isText } from './data-files.ts';
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
  /** Removes what was made for the load. */
  remove(): Promise<void>;
}

interface Wanted {
  readonly format: FormatName;
  readonly encoding: string;
  readonly signal: AbortSignal;
}

const headBytes = 4096;

/** Throws a UsageError for data that cannot be read, is damaged, or is no text in the encoding. */
export async function openPlainFiles(
  sources: readonly DataSource[],
  wanted: Wanted,
): Promise<PlainFiles> {
  sweepTempFolders({ parent: tmpdir(), name: /^querydock-load-\w{6}$/ });
  const dir = await mkdtemp(join(tmpdir(), 'querydock-load-'));
  markTempFolder(dir);
  const remove = () => rm(dir, { recursive: true, force: true });
  try {
    const files: PlainFile[] = [];
    for (const source of sources)
      files.push(await toPlainFile(source, join(dir, String(files.length)), wanted));
    return { files, remove };
  } catch (error) {
    await remove();
    throw error;
  }
}

async function toPlainFile(source: DataSource, spoolPath: string, wanted: Wanted) {
  const { name } = source;
  let path = source.at;
  if (source.kind !== 'file') {
    path = `${spoolPath}.sent`;
    const sent = source.kind === 'stdin' ? process.stdin : await fetchData(source);
    await run(name, [sent], createWriteStream(path), wanted);
  }
  const compression = compressionOf(await readHead(path, name));
  const decode = isText(wanted.format) ? wanted.encoding : null;
  const isKept = compression === null && (decode === null || decode === 'utf-8');
  const steps = stepsOf(compression, decode);
  if (!isKept) {
    await run(name, [createReadStream(path), ...steps], createWriteStream(spoolPath), wanted);
    path = spoolPath;
  } else if (steps.length > 0) {
    await run(name, [createReadStream(path), ...steps], nowhere(), wanted);
  }
  const { size: bytes } = await stat(path);
  return { path, name, bytes, head: await readHead(path, name) };
}

function stepsOf(compression: Compression | null, encoding: string | null) {
  return [
    ...(compression === null ? [] : [openDecompressor(compression)]),
    ...(encoding === null ? [] : [openTextDecoder(encoding)]),
  ];
}

/** For checking alone. */
function nowhere(): Writable {
  return new Sink({ write: (_chunk, _encoding, done) => done() });
}

async function run(
  name: string,
  steps: readonly Readable[],
  to: Writable,
  { encoding, signal }: Wanted,
): Promise<void> {
  try {
    await pipeline([...steps, to] as unknown as [Readable, Writable], { signal });
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
      ? ` Name the encoding that it is in, as in --encoding ${offset === 0 ? 'utf-16' : 'windows-1252'}.`
      : '';
  return new UsageError(
    `${name} is not in ${encoding}: byte ${offset}, in line ${line}, is no character of it.${hint}`,
  );
}

async function readHead(path: string, name: string): Promise<Buffer> {
  try {
    await using file = await open(path);
    const { buffer, bytesRead } = await file.read(Buffer.alloc(headBytes), 0, headBytes, 0);
    return buffer.subarray(0, bytesRead);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new UsageError(`${name} cannot be read: ${reason}.`, { cause: error });
  }
}
