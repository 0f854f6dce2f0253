import { randomUUID } from 'node:crypto';

/**
 * A version 7 UUID (RFC 9562): the first 48 bits are the millisecond, so ids sort by creation. The rest comes from
 * `randomUUID`, whose random bytes Node buffers.
 */
export function uuidv7(now: Date): string {
  const time = now.getTime().toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8, 12)}-7${randomUUID().slice(15)}`;
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

export function isUuid(text: string): boolean {
  return UUID.test(text);
}
