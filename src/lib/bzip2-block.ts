import { type Bits, BzipError } from './bzip2-bits.ts';

const maxCodeLength = 20;
const symbolsPerTable = 50;

/** Decodes one block: Huffman codes, move to front, run lengths, the Burrows-Wheeler transform. */
export function readBlock(bits: Bits, maxSize: number): Buffer {
  if (bits.read(1) === 1) throw new BzipError('it uses an obsolete kind of block');
  const origin = bits.read(24);
  const symbols = readSymbols(bits);
  const { tables, selectors } = readTables(bits, symbols.length + 2);
  const { last, counts } = readMoved(bits, { symbols, tables, selectors, maxSize });
  return withoutRuns(untransform(last, counts, origin));
}

function readSymbols(bits: Bits): readonly number[] {
  const used = bits.read(16);
  const symbols: number[] = [];
  for (let high = 0; high < 16; high += 1) {
    if (((used >> (15 - high)) & 1) === 0) continue;
    const low = bits.read(16);
    for (let at = 0; at < 16; at += 1)
      if (((low >> (15 - at)) & 1) === 1) symbols.push(high * 16 + at);
  }
  if (symbols.length === 0) throw new BzipError('a block has no symbols');
  return symbols;
}

interface Table {
  /** By code length: the largest code, and the index of its first symbol minus its first code. */
  readonly limits: readonly number[];
  readonly bases: readonly number[];
  readonly order: readonly number[];
  readonly minLength: number;
}

function readTables(bits: Bits, alphabet: number) {
  const count = bits.read(3);
  const selectorCount = bits.read(15);
  if (count < 2 || count > 6 || selectorCount === 0) throw new BzipError('a block has no tables');
  const order = Array.from({ length: count }, (_, at) => at);
  const selectors: number[] = [];
  for (let at = 0; at < selectorCount; at += 1) {
    let index = 0;
    while (bits.read(1) === 1) index += 1;
    const [found] = order.splice(index, 1);
    if (found === undefined) throw new BzipError('a block refers to a missing table');
    order.unshift(found);
    selectors.push(found);
  }
  const tables = Array.from({ length: count }, () => readTable(bits, alphabet));
  return { tables, selectors };
}

function readTable(bits: Bits, alphabet: number): Table {
  let length = bits.read(5);
  const lengths: number[] = [];
  for (let at = 0; at < alphabet; at += 1) {
    while (bits.read(1) === 1) length += bits.read(1) === 1 ? -1 : 1;
    if (length < 1 || length > maxCodeLength) throw new BzipError('a code is too long');
    lengths.push(length);
  }
  const minLength = Math.min(...lengths);
  const order: number[] = [];
  const limits: number[] = [];
  const bases: number[] = [];
  let code = 0;
  for (let of = minLength; of <= maxCodeLength; of += 1) {
    bases[of] = order.length - code;
    for (const [symbol, own] of lengths.entries()) if (own === of) order.push(symbol);
    code = order.length - (bases[of] ?? 0);
    limits[of] = code - 1;
    code *= 2;
  }
  return { limits, bases, order, minLength };
}

function readSymbol(bits: Bits, { limits, bases, order, minLength }: Table): number {
  let code = bits.read(minLength);
  for (let length = minLength; length <= maxCodeLength; length += 1) {
    if (code <= (limits[length] ?? -1)) {
      const symbol = order[code + (bases[length] ?? 0)];
      if (symbol !== undefined) return symbol;
      break;
    }
    code = code * 2 + bits.read(1);
  }
  throw new BzipError('a code is not in its table');
}

interface Moved {
  readonly symbols: readonly number[];
  readonly tables: readonly Table[];
  readonly selectors: readonly number[];
  readonly maxSize: number;
}

/** The last column of the transform, and the count of each byte in it. */
function readMoved(bits: Bits, { symbols, tables, selectors, maxSize }: Moved) {
  const front = [...symbols];
  const last = new Uint8Array(maxSize);
  const counts = new Uint32Array(256);
  const endOfBlock = symbols.length + 1;
  let [size, run, weight] = [0, 0, 1];
  const write = (byte: number, times: number) => {
    if (size + times > maxSize) throw new BzipError('a block is too long');
    last.fill(byte, size, size + times);
    counts[byte] = (counts[byte] ?? 0) + times;
    size += times;
  };
  for (let read = 0; ; read += 1) {
    const table = tables[selectors[Math.floor(read / symbolsPerTable)] ?? -1];
    if (table === undefined) throw new BzipError('a block has too few tables');
    const symbol = readSymbol(bits, table);
    if (symbol < 2) {
      run += weight * (symbol + 1);
      weight *= 2;
      if (run > maxSize) throw new BzipError('a block is too long');
      continue;
    }
    if (run > 0) write(front[0] ?? 0, run);
    [run, weight] = [0, 1];
    if (symbol === endOfBlock) return { last: last.subarray(0, size), counts };
    const [byte = 0] = front.splice(symbol - 1, 1);
    front.unshift(byte);
    write(byte, 1);
  }
}

function untransform(last: Uint8Array, counts: Uint32Array, origin: number): Uint8Array {
  if (origin >= last.length) throw new BzipError('the origin of a block is out of range');
  const starts = new Uint32Array(256);
  for (let byte = 1; byte < 256; byte += 1)
    starts[byte] = (starts[byte - 1] ?? 0) + (counts[byte - 1] ?? 0);
  const next = new Uint32Array(last.length);
  for (let at = 0; at < last.length; at += 1) {
    const byte = last[at] ?? 0;
    const to = starts[byte] ?? 0;
    next[to] = at;
    starts[byte] = to + 1;
  }
  const plain = new Uint8Array(last.length);
  let at = next[origin] ?? 0;
  for (let to = 0; to < plain.length; to += 1) {
    plain[to] = last[at] ?? 0;
    at = next[at] ?? 0;
  }
  return plain;
}

/** Four equal bytes are followed by the number of further repetitions. */
function withoutRuns(bytes: Uint8Array): Buffer {
  let size = 0;
  const each = (emit: (byte: number, times: number) => void) => {
    let [equal, before] = [0, -1];
    for (const byte of bytes) {
      if (equal === 4) {
        emit(before, byte);
        [equal, before] = [0, -1];
        continue;
      }
      equal = byte === before ? equal + 1 : 1;
      before = byte;
      emit(byte, 1);
    }
  };
  each((_byte, times) => {
    size += times;
  });
  const plain = Buffer.alloc(size);
  let at = 0;
  each((byte, times) => {
    plain.fill(byte, at, at + times);
    at += times;
  });
  return plain;
}
