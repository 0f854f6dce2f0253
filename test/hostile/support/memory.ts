/** How much memory the attacked service may have, whatever it is sent. */
import type { Memory } from './hostile-service.ts';

const megabyte = 1_048_576;
/** Less than the bytes of any storm, so that one that is retained as a whole is noticed. */
export const maxHeapGrowth = 70 * megabyte;
/** Node returns freed memory late, so this bounds it only roughly. */
const maxResident = 1400 * megabyte;
const maxIdleConnection = 100 * 1024;

/**
 * The problems as sentences; empty when all is well.
 *
 * @param mayGrow the bytes by which caches and the like may have grown between the two.
 */
export function memoryProblems(
  before: Memory,
  after: Memory,
  mayGrow = maxHeapGrowth,
): readonly string[] {
  const grown = after.heap - before.heap;
  return [
    ...(grown < mayGrow ? [] : [`the heap has grown by ${toMegabytes(grown)} MB`]),
    ...(after.rss < maxResident ? [] : [`${toMegabytes(after.rss)} MB are resident`]),
    ...(after.flights === 0 ? [] : [`${after.flights} runs are left over`]),
  ];
}

/** The same of connections that say nothing, while they are open. */
export function idleProblems(
  before: Memory,
  during: Memory,
  connections: number,
): readonly string[] {
  const each = (during.rss - before.rss) / connections;
  return each < maxIdleConnection ? [] : [`each connection costs ${Math.round(each / 1024)} KB`];
}

export function toMegabytes(bytes: number): number {
  return Math.round(bytes / megabyte);
}
