/** Detects compression by the first bytes, whatever the file name says. */
import type { Duplex } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { openBunzip2 } from './bunzip2.ts';
import { openUnzstd } from './unzstd.ts';

export type Compression = 'gzip' | 'zstd' | 'bz2';

const unsupported = [
  ['xz', 'fd377a585a00'],
  ['lz4', '04224d18'],
  ['zip', '504b0304'],
] as const;

/** Throws for data in a form that nothing here opens. */
export function requireKnownCompression(head: Buffer): void {
  const found = unsupported.find(([, magic]) => head.toString('hex').startsWith(magic));
  if (found === undefined) return;
  throw new Error(`it is compressed as ${found[0]}; gzip, zstd and bz2 are accepted`);
}

/** Null when the data is not compressed, or in an unrecognized format. */
export function compressionOf(head: Buffer): Compression | null {
  if (head[0] === 0x1f && head[1] === 0x8b) return 'gzip';
  if (head.length >= 4 && head.readUInt32LE(0) === 0xfd2fb528) return 'zstd';
  return /^BZh[1-9]$/.test(head.toString('latin1', 0, 4)) && isBlock(head) ? 'bz2' : null;
}

const openers: Readonly<Record<Compression, () => Duplex>> = {
  gzip: createGunzip,
  zstd: openUnzstd,
  bz2: openBunzip2,
};

/** Fails for damaged or truncated data. */
export function openDecompressor(compression: Compression): Duplex {
  return openers[compression]();
}

/** Matches a first block, or the end of a stream without one. */
function isBlock(head: Buffer): boolean {
  const magic = head.toString('hex', 4, 10);
  return magic === '314159265359' || magic === '177245385090';
}
