/**
 * Counts rows of an Arrow stream. Source: Arrow columnar format, "Encapsulated message format"; Message.fbs. A message
 * is a prefix of 8 bytes with the length of its metadata, the metadata, and a body to skip.
 */
import { byteOf, follow, longOf, tableOf } from '../flat-buffer.ts';

const PREFIX_BYTES = 8;
const RECORD_BATCH = 3;
const nothing: Buffer = Buffer.alloc(0);

export function openArrowCounter() {
  let rows = 0;
  let toSkip = 0;
  let pending: Buffer = nothing;
  let wanted = PREFIX_BYTES;
  let isPrefix = true;

  function take(part: Buffer): void {
    if (isPrefix) {
      const length = part.readInt32LE(4);
      // A length of zero ends the stream.
      if (length === 0) toSkip = Number.POSITIVE_INFINITY;
      else [wanted, isPrefix] = [length, false];
      return;
    }
    const message = readMessage(part);
    rows += message.rows;
    toSkip = message.bodyBytes;
    [wanted, isPrefix] = [PREFIX_BYTES, true];
  }

  return {
    push(chunk: Buffer): void {
      for (let at = 0; at < chunk.length; ) {
        const skipped = Math.min(toSkip, chunk.length - at);
        toSkip -= skipped;
        at += skipped;
        const missing = Math.min(wanted - pending.length, chunk.length - at);
        const part = chunk.subarray(at, at + missing);
        at += missing;
        pending = pending.length === 0 ? part : Buffer.concat([pending, part]);
        if (pending.length < wanted) continue;
        take(pending);
        pending = nothing;
      }
    },
    count: () => rows,
  };
}

function readMessage(bytes: Buffer): { readonly rows: number; readonly bodyBytes: number } {
  const message = follow(bytes, 0);
  const header = tableOf(message, 2);
  const isBatch = byteOf(message, 1) === RECORD_BATCH && header !== null;
  return { rows: isBatch ? longOf(header, 0) : 0, bodyBytes: longOf(message, 3) };
}
