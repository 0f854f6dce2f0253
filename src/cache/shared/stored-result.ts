/** The encoding of a result in Redis: a header with a checksum, and the unchanged rows. */
import { createHash } from 'node:crypto';
import type { CachedResult } from '../result-cache.ts';

/**
 * Starts every value, and changes with the format of its header or the rows, so that other builds' values are not read.
 */
export const formatVersion = 1;
const magic = Buffer.from(`QDR${formatVersion}`, 'latin1');
const digestBytes = 32;
const contentAt = magic.length + digestBytes;
const headAt = contentAt + 4;

export interface StoredResult {
  readonly result: CachedResult;
  /** When it was computed, by Redis's clock; milliseconds. At most slightly earlier than in reality. */
  readonly redisMs: number;
}

interface Head extends Omit<CachedResult, 'rows' | 'computedAt' | 'pageEnd'> {
  readonly key: string;
  readonly redisMs: number;
  readonly computedAt: number;
}

export function encodeResult(key: string, { result, redisMs }: StoredResult): Buffer {
  const { rows, computedAt, columns, rowCount, hasMore, stats } = result;
  const { executionId, contentTag, nextCursor } = result;
  const facts = { columns, rowCount, hasMore, stats, executionId, contentTag, nextCursor };
  const head: Head = { ...facts, key, redisMs, computedAt: computedAt.getTime() };
  const text = Buffer.from(JSON.stringify(head));
  const length = Buffer.alloc(4);
  length.writeUInt32BE(text.length);
  return Buffer.concat([magic, digestOf([length, text, rows]), length, text, rows]);
}

/** Null for a value that is damaged, of another format, or of another key. */
export function decodeResult(key: string, value: Buffer): StoredResult | null {
  if (value.length < headAt || !value.subarray(0, magic.length).equals(magic)) return null;
  const content = value.subarray(contentAt);
  if (!value.subarray(magic.length, contentAt).equals(digestOf([content]))) return null;
  const rowsAt = headAt + value.readUInt32BE(contentAt);
  const { redisMs, ...head } = JSON.parse(value.toString('utf8', headAt, rowsAt)) as Head;
  if (head.key !== key) return null;
  const { key: _, computedAt, ...facts } = head;
  const result = { ...facts, rows: value.subarray(rowsAt), computedAt: new Date(computedAt) };
  return { result, redisMs };
}

function digestOf(pieces: readonly Buffer[]): Buffer {
  const hash = createHash('sha256');
  for (const piece of pieces) hash.update(piece);
  return hash.digest();
}
