/** Counts rows by the bytes of a format as they pass. */
export interface RowCounter {
  push(chunk: Buffer): void;
  /** Rows in all that was pushed; null when the bytes do not show it. */
  count(): number | null;
}
