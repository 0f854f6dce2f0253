/** Decompresses bzip2, which Node lacks: concatenated streams, each verified by its checksums. */
import { Transform } from 'node:stream';
import { Bits, BzipError } from './bzip2-bits.ts';
import { readBlock } from './bzip2-block.ts';

const blockMagic = 0x314159265359;
const endMagic = 0x177245385090;

/** Upper bound of a block's bytes, with its surroundings. */
const maxBlockBytes = 1_300_000;

/** Takes bzip2 and returns the decompressed bytes. Fails for damaged or truncated data. */
export function openBunzip2(): Transform {
  const bits = new Bits();
  const read = openBlocks(bits);
  let waiting: Buffer[] = [];
  let waitingBytes = 0;
  const pump = (push: (block: Buffer) => void, until: number) => {
    bits.append(waiting);
    waiting = [];
    waitingBytes = 0;
    while (bits.left > until) {
      const block = read.next();
      if (block !== null) push(block);
    }
  };
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      waiting.push(chunk);
      waitingBytes += chunk.length;
      if (bits.left + waitingBytes <= maxBlockBytes) return done();
      attempt(() => pump((block) => this.push(block), maxBlockBytes), done);
    },
    flush(done) {
      attempt(() => {
        pump((block) => this.push(block), 0);
        if (!read.isAtEnd()) throw new BzipError('it is truncated');
      }, done);
    },
  });
}

function attempt(work: () => void, done: (error?: Error | null) => void): void {
  try {
    work();
  } catch (error) {
    done(error instanceof Error ? error : new Error(String(error)));
    return;
  }
  done();
}

interface Blocks {
  /** The bytes of a block; null after a header or a trailer. */
  next(): Buffer | null;
  isAtEnd(): boolean;
}

function openBlocks(bits: Bits): Blocks {
  /** Block size level of the current stream, 1 to 9; 0 between two streams. */
  let level = 0;
  let combined = 0;
  let hasStreams = false;
  return {
    isAtEnd: () => level === 0 && hasStreams,
    next() {
      if (level === 0) {
        level = readHeader(bits, hasStreams);
        combined = 0;
        return null;
      }
      const magic = bits.readMagic();
      const sum = bits.readSum();
      if (magic === endMagic) {
        if (sum !== combined) throw new BzipError('the checksum of a stream differs');
        bits.alignToByte();
        level = 0;
        hasStreams = true;
        return null;
      }
      if (magic !== blockMagic) throw new BzipError('a block has an invalid header');
      const block = readBlock(bits, level * 100_000);
      if (sumOf(block) !== sum) throw new BzipError('the checksum of a block differs');
      combined = (((combined << 1) | (combined >>> 31)) ^ sum) >>> 0;
      return block;
    },
  };
}

function readHeader(bits: Bits, hasStreams: boolean): number {
  const magic = bits.read(24);
  const level = bits.read(8) - 48;
  if (magic === 0x425a68 && level >= 1 && level <= 9) return level;
  throw new BzipError(hasStreams ? 'data follows its end' : 'it has an invalid header');
}

const sums = Uint32Array.from({ length: 256 }, (_, at) => {
  let sum = at << 24;
  for (let bit = 0; bit < 8; bit += 1) sum = sum & 0x80000000 ? (sum << 1) ^ 0x04c11db7 : sum << 1;
  return sum >>> 0;
});

function sumOf(bytes: Buffer): number {
  let sum = 0xffffffff;
  for (const byte of bytes) sum = ((sum << 8) ^ (sums[((sum >>> 24) ^ byte) & 0xff] ?? 0)) >>> 0;
  return ~sum >>> 0;
}
