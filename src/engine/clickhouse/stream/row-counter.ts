/** How many rows went by, read off the bytes of a format as they pass. */
export interface RowCounter {
  push(chunk: Buffer): void;
  /** Of all that was pushed; null when the bytes do not say. */
  count(): number | null;
}
