/** Decompresses bzip2, which Node does not have: several streams one after the other, each checked by its sums. */
import { Transform } from 'node:stream';
import { Bits, BzipError } from './bzip2-bits.ts';
import { readBlock } from './bzip2-block.ts';

const blockMagic = 0x314159265359;
const endMagic = 0x177245385090;

/** A block takes at most this many bytes, with what surrounds it. */
const maxBlockBytes = 1_300_000;

/** A stream of bzip2 in, its bytes out. Fails for data that is damaged or ends too early. */
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
        if (!read.isAtEnd()) throw new BzipError('it ends too early');
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
  /** Of the stream that is being read: 1 to 9, by which its blocks are that large; 0 between two streams. */
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
        if (sum !== combined) throw new BzipError('the sum of a stream differs');
        bits.alignToByte();
        level = 0;
        hasStreams = true;
        return null;
      }
      if (magic !== blockMagic) throw new BzipError('a block does not begin as one');
      const block = readBlock(bits, level * 100_000);
      if (sumOf(block) !== sum) throw new BzipError('the sum of a block differs');
      combined = (((combined << 1) | (combined >>> 31)) ^ sum) >>> 0;
      return block;
    },
  };
}

function readHeader(bits: Bits, hasStreams: boolean): number {
  const magic = bits.read(24);
  const level = bits.read(8) - 48;
  if (magic === 0x425a68 && level >= 1 && level <= 9) return level;
  throw new BzipError(hasStreams ? 'something follows its end' : 'it does not begin as such');
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
