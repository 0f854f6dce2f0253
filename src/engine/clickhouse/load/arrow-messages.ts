/** What an Arrow file or stream says of itself: its fields, and how many NULLs they have in each batch. Reads no values. */
import { type FileHandle, open } from 'node:fs/promises';
import {
  byteOf,
  type FlatTable,
  follow,
  longOf,
  shortOf,
  tableOf,
  tablesOf,
  textOf,
  vectorOf,
} from '../flat-buffer.ts';

export type ArrowKind = 'null' | 'date64' | 'list' | 'map' | 'struct' | 'other';

interface ArrowField {
  /** The names of the columns and structs that it is in, and its own. */
  readonly path: readonly string[];
  readonly kind: ArrowKind;
}

interface ArrowBatch {
  readonly rows: number;
  /** Of each field. */
  readonly nulls: readonly number[];
}

export interface ArrowMessages {
  /** Each before those within it. */
  readonly fields: readonly ArrowField[];
  readonly batches: readonly ArrowBatch[];
}

interface ArrowFile {
  readonly handle: FileHandle;
  /** In bytes. */
  readonly size: number;
}

const kinds: ReadonlyMap<number, ArrowKind> = new Map([
  [1, 'null'],
  [12, 'list'],
  [13, 'struct'],
  [16, 'list'],
  [17, 'map'],
  [21, 'list'],
  [25, 'list'],
  [26, 'list'],
]);
const schemaMessage = 1;
const batchMessage = 3;
/** More than any table has; a damaged schema may have fields within themselves. */
const maxFields = 1_000_000;

/** Null for a file that is not Arrow, or is damaged: that, the engine says. */
export async function readArrowMessages(path: string): Promise<ArrowMessages | null> {
  const handle = await open(path);
  try {
    const { size } = await handle.stat();
    return await readAll({ handle, size });
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  } finally {
    await handle.close();
  }
}

async function readAll(file: ArrowFile): Promise<ArrowMessages | null> {
  const head = await readAt(file, 0, 8);
  const isFile = head?.toString('latin1', 0, 6) === 'ARROW1';
  const read = isFile ? await readByFooter(file) : await readInOrder(file);
  if (read === null || read.batches.some(({ nulls }) => nulls.length !== read.fields.length))
    return null;
  return read;
}

/** Of a file, whose footer has the schema: not every writer repeats it at the start. */
async function readByFooter(file: ArrowFile): Promise<ArrowMessages | null> {
  const { size } = file;
  const length = (await readAt(file, size - 10, 4))?.readInt32LE(0) ?? 0;
  const buffer = await readAt(file, size - 10 - length, length);
  if (buffer === null) return null;
  const footer = follow(buffer, 0);
  const schema = tableOf(footer, 1);
  const blocks = vectorOf(footer, 3);
  const batches: ArrowBatch[] = [];
  for (let each = 0; each < blocks.length; each += 1) {
    const at = Number(buffer.readBigInt64LE(blocks.at + 24 * each));
    const header = (await readMessage(file, at))?.header ?? null;
    if (header !== null) batches.push(batchOf(header));
  }
  return schema === null ? null : { fields: fieldsOf(schema), batches };
}

async function readInOrder(file: ArrowFile): Promise<ArrowMessages | null> {
  let fields: readonly ArrowField[] | null = null;
  const batches: ArrowBatch[] = [];
  let message = await readMessage(file, 0);
  while (message !== null) {
    const { kind, header, end } = message;
    if (kind === schemaMessage && header !== null) fields = fieldsOf(header);
    if (kind === batchMessage && header !== null) batches.push(batchOf(header));
    message = await readMessage(file, end);
  }
  return fields === null ? null : { fields, batches };
}

interface Message {
  readonly kind: number;
  readonly header: FlatTable | null;
  /** Where the next one begins. */
  readonly end: number;
}

/** Null at the end of a stream. */
async function readMessage(file: ArrowFile, at: number): Promise<Message | null> {
  const prefix = await readAt(file, at, 8);
  if (prefix === null) return null;
  // Before Arrow 0.15 the length came first.
  const hasMarker = prefix.readUInt32LE(0) === 0xff_ff_ff_ff;
  const length = prefix.readUInt32LE(hasMarker ? 4 : 0);
  const from = at + (hasMarker ? 8 : 4);
  const buffer = length === 0 ? null : await readAt(file, from, length);
  if (buffer === null) return null;
  const message = follow(buffer, 0);
  const end = from + length + longOf(message, 3);
  if (end <= at) throw new RangeError('a message of negative length');
  return { kind: byteOf(message, 1), header: tableOf(message, 2), end };
}

/** Null beyond the end of the file. */
async function readAt(file: ArrowFile, at: number, length: number): Promise<Buffer | null> {
  if (at < 0 || length < 0 || at + length > file.size) return null;
  const buffer = Buffer.alloc(length);
  const { bytesRead } = await file.handle.read(buffer, 0, length, at);
  return bytesRead < length ? null : buffer;
}

function fieldsOf(schema: FlatTable): readonly ArrowField[] {
  let left = maxFields;
  const within = (
    parent: FlatTable,
    slot: number,
    names: readonly string[],
  ): readonly ArrowField[] =>
    tablesOf(parent, slot).flatMap((field) => {
      left -= 1;
      if (left < 0) throw new RangeError('too many fields');
      const path = [...names, textOf(field, 0)];
      const kind = kindOf(field);
      // What is within a dictionary is not in the batches.
      if (tableOf(field, 4) !== null) return [{ path, kind: kind === 'date64' ? kind : 'other' }];
      return [{ path, kind }, ...within(field, 5, path)];
    });
  return within(schema, 1, []);
}

const date = 8;
const inMilliseconds = 1;

function kindOf(field: FlatTable): ArrowKind {
  const type = byteOf(field, 2);
  if (type !== date) return kinds.get(type) ?? 'other';
  const own = tableOf(field, 3);
  const unit = own === null ? inMilliseconds : shortOf(own, 0, inMilliseconds);
  return unit === inMilliseconds ? 'date64' : 'other';
}

function batchOf(batch: FlatTable): ArrowBatch {
  const { buffer } = batch;
  const nodes = vectorOf(batch, 1);
  const nulls = Array.from({ length: nodes.length }, (_, at) =>
    Number(buffer.readBigInt64LE(nodes.at + 16 * at + 8)),
  );
  return { rows: longOf(batch, 0), nulls };
}
