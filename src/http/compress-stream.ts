/** Compresses a body while it is being sent. */
import {
  type BrotliCompress,
  constants,
  createBrotliCompress,
  createGzip,
  createZstdCompress,
  type Gzip,
  type ZstdCompress,
} from 'node:zlib';
import type { ContentEncoding } from './compress.ts';

interface Kind {
  readonly open: () => BrotliCompress | Gzip | ZstdCompress;
  /** Makes everything written so far readable. */
  readonly flush: number;
}

/** The same levels as for complete bodies. */
const kinds: Readonly<Record<ContentEncoding, Kind>> = {
  zstd: {
    open: () => createZstdCompress({ params: { [constants.ZSTD_c_compressionLevel]: 1 } }),
    flush: constants.ZSTD_e_flush,
  },
  br: {
    open: () => createBrotliCompress({ params: { [constants.BROTLI_PARAM_QUALITY]: 1 } }),
    flush: constants.BROTLI_OPERATION_FLUSH,
  },
  gzip: { open: () => createGzip({ level: 1 }), flush: constants.Z_SYNC_FLUSH },
};

/** Compresses piece by piece, on the thread pool. */
interface Encoder {
  /** The bytes from which a caller can read all chunks so far. */
  push(chunk: Buffer): Promise<readonly Buffer[]>;
  /** Returns the last bytes. */
  end(): Promise<readonly Buffer[]>;
  /** Rejects pending calls. */
  close(): void;
}

function openEncoder(encoding: ContentEncoding): Encoder {
  const { open, flush } = kinds[encoding];
  const stream = open();
  let encoded: Buffer[] = [];
  stream.on('data', (bytes: Buffer) => encoded.push(bytes));
  stream.on('error', () => undefined);

  function step(begin: (done: () => void) => void): Promise<readonly Buffer[]> {
    return new Promise((resolve, reject) => {
      const onClose = () => reject(new Error('the compression was ended'));
      stream.once('close', onClose);
      begin(() => {
        stream.removeListener('close', onClose);
        // Drains bytes that are readable but not emitted yet.
        stream.read();
        const taken = encoded;
        encoded = [];
        resolve(taken);
      });
    });
  }

  return {
    push: (chunk) =>
      step((done) => {
        stream.write(chunk);
        stream.flush(flush, done);
      }),
    end: () =>
      step((done) => {
        stream.once('end', done);
        stream.end();
      }),
    close: () => stream.destroy(),
  };
}

/**
 * Encodes the chunks: a chunk's content is readable as soon as it is sent, and the next chunk is read when the caller
 * has taken this one. Throws as the source does. `return` is passed on to the source.
 */
export function compressChunks(
  chunks: AsyncIterator<Buffer, void>,
  encoding: ContentEncoding,
): AsyncIterator<readonly Buffer[], void> {
  const encoder = openEncoder(encoding);
  let isEnded = false;
  async function next(): Promise<IteratorResult<readonly Buffer[], void>> {
    if (isEnded) return { done: true, value: undefined };
    const { done, value } = await chunks.next();
    isEnded = done === true;
    return { value: await (done === true ? encoder.end() : encoder.push(value)) };
  }
  return {
    async next() {
      try {
        return await next();
      } catch (error) {
        encoder.close();
        throw error;
      }
    },
    async return() {
      isEnded = true;
      encoder.close();
      await chunks.return?.();
      return { done: true, value: undefined };
    },
  };
}
