/** Reads the tables of a FlatBuffer, in which Arrow describes its rows. */

/** A table by where it begins. */
export interface FlatTable {
  readonly buffer: Buffer;
  readonly at: number;
}

/** Where a slot's value is; null for its default. */
function slotOf({ buffer, at }: FlatTable, slot: number): number | null {
  const vtable = at - buffer.readInt32LE(at);
  const place = 4 + 2 * slot;
  if (place >= buffer.readUInt16LE(vtable)) return null;
  const offset = buffer.readUInt16LE(vtable + place);
  return offset === 0 ? null : at + offset;
}

export function byteOf(table: FlatTable, slot: number): number {
  const at = slotOf(table, slot);
  return at === null ? 0 : table.buffer.readUInt8(at);
}

/** @param otherwise the default of the slot. */
export function shortOf(table: FlatTable, slot: number, otherwise: number): number {
  const at = slotOf(table, slot);
  return at === null ? otherwise : table.buffer.readInt16LE(at);
}

export function longOf(table: FlatTable, slot: number): number {
  const at = slotOf(table, slot);
  return at === null ? 0 : Number(table.buffer.readBigInt64LE(at));
}

export function tableOf(table: FlatTable, slot: number): FlatTable | null {
  const at = slotOf(table, slot);
  return at === null ? null : follow(table.buffer, at);
}

/** The table that an offset leads to. */
export function follow(buffer: Buffer, at: number): FlatTable {
  return { buffer, at: at + buffer.readUInt32LE(at) };
}

export function vectorOf(
  table: FlatTable,
  slot: number,
): { readonly at: number; readonly length: number } {
  const vector = tableOf(table, slot);
  if (vector === null) return { at: 0, length: 0 };
  return { at: vector.at + 4, length: vector.buffer.readUInt32LE(vector.at) };
}

export function tablesOf(table: FlatTable, slot: number): readonly FlatTable[] {
  const { at, length } = vectorOf(table, slot);
  return Array.from({ length }, (_, each) => follow(table.buffer, at + 4 * each));
}

export function textOf(table: FlatTable, slot: number): string {
  const { at, length } = vectorOf(table, slot);
  return table.buffer.toString('utf8', at, at + length);
}
