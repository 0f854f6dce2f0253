import { createHash } from 'node:crypto';

/** SHA-256 of the whole key. A key has 256 random bits, so the hash needs neither salt nor stretching. */
export function hashKey(key: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array(createHash('sha256').update(key).digest());
}
