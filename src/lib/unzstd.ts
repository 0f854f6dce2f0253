/** Decompresses zstd. Node stops where a frame ends within a chunk, although another frame may follow. */
import { Duplex } from 'node:stream';
import { createZstdDecompress, type ZstdDecompress } from 'node:zlib';

/** Takes concatenated frames and returns their bytes. Fails for damaged or truncated data. */
export function openUnzstd(): Duplex {
  return Duplex.from(async function* (source: AsyncIterable<Buffer>) {
    let inner = openFrame();
    try {
      for await (const chunk of source) {
        for (let rest = chunk; rest.length > 0; ) {
          const before = inner.stream.bytesWritten;
          yield* inner.pass(rest);
          rest = rest.subarray(inner.stream.bytesWritten - before);
          if (rest.length === 0) break;
          inner.stream.destroy();
          inner = openFrame();
        }
      }
      yield* inner.pass(null);
    } finally {
      inner.stream.destroy();
    }
  });
}

interface Frame {
  readonly stream: ZstdDecompress;
  /** Writes the bytes, or the end, and yields the output. */
  pass(bytes: Buffer | null): AsyncGenerator<Buffer>;
}

function openFrame(): Frame {
  const stream = createZstdDecompress();
  let failed: Error | null = null;
  let wake = (): void => undefined;
  stream.on('error', (error) => {
    failed = error;
    wake();
  });
  stream.on('readable', () => wake());
  stream.on('end', () => wake());
  return {
    stream,
    async *pass(bytes) {
      let isWritten = false;
      const written = (): void => {
        isWritten = true;
        wake();
      };
      if (bytes === null) stream.end(written);
      else stream.write(bytes, written);
      for (;;) {
        const piece = stream.read() as Buffer | null;
        if (piece !== null) yield piece;
        else if (failed !== null) throw failed;
        else if (isWritten && (bytes !== null || stream.readableEnded || stream.destroyed)) return;
        else
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
      }
    },
  };
}
