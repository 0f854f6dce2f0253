import { resultTooLarge } from '../../errors/service-error.ts';
import { putWords, spareBytes, viewOf, type WordBytes } from './byte-words.ts';

const firstBytes = 16_384;
/** From this length on, one call copies faster than words do. */
const longCopy = 128;

/** The read position in the rows, and the objects written so far. */
export class RowPass {
  readonly rows: Buffer;
  /** The next byte to read. */
  at = 0;
  /** Number of bytes written. */
  length = 0;
  readonly #rowWords: DataView;
  readonly #maxBytes: number;
  #bytes: Buffer;
  #words: DataView;

  constructor(rows: Buffer, maxBytes: number) {
    this.rows = rows;
    this.#rowWords = viewOf(rows);
    this.#maxBytes = maxBytes;
    this.#bytes = Buffer.allocUnsafe(Math.min(2 * rows.length + 256, firstBytes));
    this.#words = viewOf(this.#bytes);
  }

  /** Makes room for more bytes. Throws `query_too_large`. */
  reserve(count: number): void {
    const needed = this.length + count;
    if (needed > this.#maxBytes) throw resultTooLarge();
    if (needed + spareBytes > this.#bytes.length) this.#grow(needed + spareBytes);
  }

  /** Requires reserved room. */
  put(text: WordBytes): void {
    this.length = putWords(text, this.#words, this.length);
  }

  /** Copies a part of the rows into reserved room. */
  copy(from: number, to: number): void {
    const start = this.length;
    this.length = start + to - from;
    if (to - from >= longCopy || to + spareBytes > this.rows.length) {
      this.rows.copy(this.#bytes, start, from, to);
      return;
    }
    const source = this.#rowWords;
    const target = this.#words;
    const by = start - from;
    for (let at = from; at < to; at += 4) target.setInt32(at + by, source.getInt32(at, true), true);
  }

  append(text: WordBytes): void {
    this.reserve(text.length);
    this.put(text);
  }

  /** Appends a part of the rows. */
  appendRows(from: number, to: number): void {
    this.reserve(to - from);
    this.copy(from, to);
  }

  /** The written bytes in a buffer that is not much larger, since it may be cached. */
  toBuffer(): Buffer {
    const written = this.#bytes.subarray(0, this.length);
    return this.length >= 0.75 * this.#bytes.length ? written : Buffer.from(written);
  }

  /** Grows to the estimated size of all rows, in steps, because the first rows may be much longer than the others. */
  #grow(needed: number): void {
    const all = (1.1 * needed * this.rows.length) / Math.max(1, this.at);
    const most = Math.min(8 * this.#bytes.length, this.#maxBytes + spareBytes);
    const size = Math.max(needed, Math.min(all, most), 1.5 * this.#bytes.length);
    const bytes = Buffer.allocUnsafe(Math.ceil(size));
    this.#bytes.copy(bytes, 0, 0, this.length);
    this.#bytes = bytes;
    this.#words = viewOf(bytes);
  }
}
