import { randomUUID } from 'node:crypto';

let lastMs = -1;
let sequence = 0;

/**
 * A version 7 UUID (RFC 9562): the first 48 bits are the millisecond, the next 12 count the ids that this process made
 * in it (section 6.2, method 1), so ids sort by creation. The rest comes from `randomUUID`, whose random bytes Node
 * buffers.
 */
export function uuidv7(now: Date): string {
  const ms = now.getTime();
  sequence = ms === lastMs ? (sequence + 1) % 0x1000 : 0;
  lastMs = ms;
  const time = ms.toString(16).padStart(12, '0');
  const counter = sequence.toString(16).padStart(3, '0');
  return `${time.slice(0, 8)}-${time.slice(8, 12)}-7${counter}${randomUUID().slice(18)}`;
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

export function isUuid(text: string): boolean {
  return UUID.test(text);
}

/** When a version 7 UUID was made, to the millisecond. Null for other versions, and for times after the year 9999. */
export function timeOfUuidv7(id: string): Date | null {
  if (!isUuid(id) || id[14] !== '7') return null;
  const time = new Date(Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16));
  return time.getUTCFullYear() > 9999 ? null : time;
}
