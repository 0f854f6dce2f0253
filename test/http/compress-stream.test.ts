import {
  type BrotliDecompress,
  createBrotliDecompress,
  createGunzip,
  createZstdDecompress,
} from 'node:zlib';
import { describe, expect, it, vi } from 'vitest';
import { contentEncodings } from '../../src/http/compress.ts';
import { compressChunks } from '../../src/http/compress-stream.ts';

const unpackers = { zstd: createZstdDecompress, br: createBrotliDecompress, gzip: createGunzip };
const small = Buffer.from('a few rows\n');
const large = Buffer.from(Array.from({ length: 20_000 }, (_, n) => `${n * 7919}\n`).join(''));

async function* source(chunks: readonly Buffer[]): AsyncGenerator<Buffer, void> {
  yield* chunks;
}

function readerOf(encoding: (typeof contentEncodings)[number]) {
  const unpacker = unpackers[encoding]() as BrotliDecompress;
  const read: Buffer[] = [];
  unpacker.on('data', (bytes: Buffer) => read.push(bytes));
  return { unpacker, text: () => Buffer.concat(read).toString() };
}

describe.each(contentEncodings)('%s', (encoding) => {
  it('lets each chunk be read before the next one is taken', async () => {
    const chunks = [small, large, small];
    const pieces = compressChunks(source(chunks), encoding);
    const { unpacker, text } = readerOf(encoding);
    let sent = '';
    for (const chunk of chunks) {
      sent += chunk.toString();
      const { value } = await pieces.next();
      for (const piece of value ?? []) unpacker.write(piece);
      await vi.waitFor(() => expect(text()).toBe(sent));
    }
    const { value: end } = await pieces.next();
    for (const piece of end ?? []) unpacker.write(piece);
    expect(await pieces.next()).toEqual({ done: true, value: undefined });
    unpacker.end();
    await vi.waitFor(() => expect(unpacker.readableEnded).toBe(true));
  });

  it('fails as its source does, and tells it that the caller has left', async () => {
    const failing = compressChunks(
      {
        next: () => Promise.reject(new Error('broken off')),
      },
      encoding,
    );
    await expect(failing.next()).rejects.toThrow('broken off');
    const left: string[] = [];
    const chunks = {
      next: async () => ({ value: small }),
      return: async () => {
        left.push('left');
        return { done: true as const, value: undefined };
      },
    };
    const pieces = compressChunks(chunks, encoding);
    await pieces.next();
    await pieces.return?.();
    expect(left).toEqual(['left']);
    expect(await pieces.next()).toEqual({ done: true, value: undefined });
  });
});
