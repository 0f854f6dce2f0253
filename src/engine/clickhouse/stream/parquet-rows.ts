/**
 * The number of rows of a Parquet file, from its footer. Source: the Parquet format, "File format", and parquet.thrift:
 * FileMetaData {1: i32 version, 2: list<SchemaElement> schema, 3: i64 num_rows, …} in Thrift's compact protocol.
 */

/** Larger than the footer of any file that may be streamed. */
const TAIL_BYTES = 4_194_304;
const TRAILER_BYTES = 8;
const NUM_ROWS = 3;

export function openParquetCounter() {
  const tail: Buffer[] = [];
  let size = 0;
  return {
    push(chunk: Buffer): void {
      tail.push(chunk);
      size += chunk.length;
      for (let first = tail[0]; first !== undefined && size - first.length >= TAIL_BYTES; ) {
        size -= first.length;
        tail.shift();
        first = tail[0];
      }
    },
    count: () => rowsOf(Buffer.concat(tail)),
  };
}

function rowsOf(tail: Buffer): number | null {
  const end = tail.length - TRAILER_BYTES;
  if (end < 0 || tail.toString('latin1', end + 4) !== 'PAR1') return null;
  const start = end - tail.readUInt32LE(end);
  if (start < 0) return null;
  const reader: Reader = { bytes: tail.subarray(start, end), at: 0 };
  return numberOfRows(reader);
}

interface Reader {
  readonly bytes: Buffer;
  at: number;
}

function numberOfRows(reader: Reader): number | null {
  for (let id = 0; ; ) {
    const head = byte(reader);
    const kind = head & 0x0f;
    if (kind === STOP) return null;
    id = head >> 4 === 0 ? Number(zigzag(reader)) : id + (head >> 4);
    if (id === NUM_ROWS && kind === I64) return Number(zigzag(reader));
    skip(reader, kind);
  }
}

const STOP = 0;
const TRUE = 1;
const FALSE = 2;
const I8 = 3;
const I64 = 6;
const DOUBLE = 7;
const BINARY = 8;
const LIST = 9;
const SET = 10;
const STRUCT = 12;

function skip(reader: Reader, kind: number): void {
  if (kind === TRUE || kind === FALSE) return;
  if (kind === I8) reader.at += 1;
  else if (kind > I8 && kind <= I64) varint(reader);
  else if (kind === DOUBLE) reader.at += 8;
  else if (kind === BINARY) skipBinary(reader);
  else if (kind === LIST || kind === SET) skipList(reader);
  else if (kind === STRUCT) skipStruct(reader);
  else throw new Error(`a Parquet footer has a field of kind ${kind}`);
}

function skipBinary(reader: Reader): void {
  const length = Number(varint(reader));
  reader.at += length;
}

function skipList(reader: Reader): void {
  const head = byte(reader);
  const kind = head & 0x0f;
  const size = head >> 4 === 15 ? Number(varint(reader)) : head >> 4;
  for (let i = 0; i < size; i += 1) {
    if (kind === TRUE || kind === FALSE) reader.at += 1;
    else skip(reader, kind);
  }
}

function skipStruct(reader: Reader): void {
  for (let head = byte(reader); (head & 0x0f) !== STOP; head = byte(reader)) {
    if (head >> 4 === 0) zigzag(reader);
    skip(reader, head & 0x0f);
  }
}

function byte(reader: Reader): number {
  const value = reader.bytes.readUInt8(reader.at);
  reader.at += 1;
  return value;
}

function varint(reader: Reader): bigint {
  let value = 0n;
  for (let shift = 0n; ; shift += 7n) {
    const part = byte(reader);
    value |= BigInt(part & 0x7f) << shift;
    if (part < 0x80) return value;
  }
}

function zigzag(reader: Reader): bigint {
  const value = varint(reader);
  return (value >> 1n) ^ -(value & 1n);
}
