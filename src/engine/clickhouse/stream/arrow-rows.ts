/**
 * Counts rows of an Arrow stream. Source: Arrow columnar format, "Encapsulated message format"; Message.fbs. A message
 * is a prefix of 8 bytes with the length of its metadata, the metadata, and a body to skip.
 */

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
  const message = bytes.readUInt32LE(0);
  const kindAt = fieldAt(bytes, message, 1);
  const headerAt = fieldAt(bytes, message, 2);
  const bodyAt = fieldAt(bytes, message, 3);
  const bodyBytes = bodyAt === null ? 0 : Number(bytes.readBigInt64LE(bodyAt));
  const isBatch = kindAt !== null && bytes.readUInt8(kindAt) === RECORD_BATCH;
  if (!isBatch || headerAt === null) return { rows: 0, bodyBytes };
  const lengthAt = fieldAt(bytes, headerAt + bytes.readUInt32LE(headerAt), 0);
  return { rows: lengthAt === null ? 0 : Number(bytes.readBigInt64LE(lengthAt)), bodyBytes };
}

/** The offset of a field in a flatbuffers table; null when it has its default. */
function fieldAt(bytes: Buffer, table: number, index: number): number | null {
  const vtable = table - bytes.readInt32LE(table);
  const entry = 4 + 2 * index;
  if (entry >= bytes.readUInt16LE(vtable)) return null;
  const offset = bytes.readUInt16LE(vtable + entry);
  return offset === 0 ? null : table + offset;
}
