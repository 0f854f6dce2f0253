/** Files in loadable form: uncompressed, text as UTF-8. */
import { createReadStream, createWriteStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { type Duplex, Transform, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { openTextDecoder } from './decode-text.ts';
import { compressionOf, openDecompressor, requireKnownCompression } from './decompress.ts';

const headBytes = 4096;

/** The file exceeds the size limit. */
export class FileTooLargeError extends Error {
  override readonly name = 'FileTooLargeError';
}

export interface PlainOptions {
  /** Where to write, if the file cannot be used unchanged. */
  readonly spoolPath: string;
  /** Encoding of a text file; null when it is not text. */
  readonly encoding: string | null;
  /** Limit for the uncompressed data; absent for none. */
  readonly maxBytes?: number;
  readonly signal: AbortSignal;
}

/**
 * Returns the path of the plain file, which is the original if it is plain. Throws EncodingError for a text that is not
 * in the encoding, FileTooLargeError, and an Error for damaged or truncated data.
 */
export async function toPlainFile(path: string, options: PlainOptions): Promise<string> {
  const { spoolPath, encoding, maxBytes, signal } = options;
  const head = await readHead(path);
  requireKnownCompression(head);
  const compression = compressionOf(head);
  const isKept = compression === null && (encoding === null || encoding === 'utf-8');
  const steps: Duplex[] = [
    ...(compression === null ? [] : [openDecompressor(compression)]),
    ...(maxBytes === undefined ? [] : [limitBytes(maxBytes)]),
    ...(encoding === null ? [] : [openTextDecoder(encoding)]),
  ];
  if (isKept && steps.length === 0) return path;
  const to = isKept ? nowhere() : createWriteStream(spoolPath, { mode: 0o600 });
  await pipeline([createReadStream(path), ...steps, to], { signal });
  return isKept ? path : spoolPath;
}

/** Passes bytes on, and fails with FileTooLargeError beyond the limit. */
export function limitBytes(maxBytes: number): Transform {
  let bytes = 0;
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      bytes += chunk.length;
      if (bytes > maxBytes) done(new FileTooLargeError(`It is larger than ${maxBytes} bytes.`));
      else done(null, chunk);
    },
  });
}

/** The file's first bytes. */
export async function readHead(path: string): Promise<Buffer> {
  await using file = await open(path);
  const { buffer, bytesRead } = await file.read(Buffer.alloc(headBytes), 0, headBytes, 0);
  return buffer.subarray(0, bytesRead);
}

/** Discards the data; used only to validate it. */
function nowhere(): Writable {
  return new Writable({ write: (_chunk, _encoding, done) => done() });
}
