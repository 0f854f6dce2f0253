/** Detects compression by the first bytes, whatever the file name says. */
import type { Duplex } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { openBunzip2 } from './bunzip2.ts';
import { openUnzstd } from './unzstd.ts';

export type Compression = 'gzip' | 'zstd' | 'bz2';

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
