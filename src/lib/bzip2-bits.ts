export class BzipError extends Error {
  constructor(what: string) {
    super(`The bzip2 data is damaged: ${what}.`);
  }
}

/** Unconsumed input, read bit by bit. */
export class Bits {
  #bytes = Buffer.alloc(0);
  #at = 0;
  #held = 0;
  #heldBits = 0;

  append(chunks: readonly Buffer[]): void {
    this.#bytes = Buffer.concat([this.#bytes.subarray(this.#at), ...chunks]);
    this.#at = 0;
  }

  /** Number of whole bytes. */
  get left(): number {
    return this.#bytes.length - this.#at;
  }

  alignToByte(): void {
    this.#at -= this.#heldBits >> 3;
    this.#heldBits = 0;
  }

  /** @param count up to 24. */
  read(count: number): number {
    while (this.#heldBits < count) {
      const byte = this.#bytes[this.#at];
      if (byte === undefined) throw new BzipError('it is truncated');
      this.#held = (this.#held << 8) | byte;
      this.#at += 1;
      this.#heldBits += 8;
    }
    this.#heldBits -= count;
    return (this.#held >>> this.#heldBits) & ((1 << count) - 1);
  }

  /** 32 bits. */
  readSum(): number {
    return this.read(16) * 65_536 + this.read(16);
  }

  /** 48 bits. */
  readMagic(): number {
    return this.read(24) * 16_777_216 + this.read(24);
  }
}
