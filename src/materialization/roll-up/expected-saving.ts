/** What the rows of periods are expected to save a read. Pure. */

export interface StoredSizes {
  /** Without those of periods. */
  readonly rows: number;
  /** Rows of periods. */
  readonly periodRows: number;
  readonly periods: number;
  /** Values that a run chooses one of before it chooses a range. */
  readonly values: number;
  /** Whether a read groups what it merges. */
  readonly hasKeys: boolean;
  /** Of states of all rows. */
  readonly bytes: number;
  /** Of states in rows of periods. */
  readonly periodBytes: number;
}

/** The range of a typical run, of all times. */
const shareOfRange = 1 / 4;
/** Measured on one core of the benchmarks: merging a row without and with a key, and a byte of a state of users. */
const rowMs = 0.000015;
const keyedRowMs = 0.00004;
const byteMs = 0.00001;

/** What is saved less or in part is not worth the rows, nor the conditions that tell rows of periods from others. */
const leastSavedMs = 3;
const leastSavedShare = 1 / 2;

/** Where the range begins and ends a run reads single rows, together of about one period. */
function expectedMs(sizes: StoredSizes) {
  const { rows, periodRows, periods, values, hasKeys, bytes, periodBytes } = sizes;
  const cost = (count: number, size: number) =>
    (count * (hasKeys ? keyedRowMs : rowMs) + size * byteMs) / Math.max(1, values);
  const before = cost(rows, bytes) * shareOfRange;
  const ofEnds = cost(rows, bytes) / Math.max(1, periods);
  return { before, after: cost(periodRows, periodBytes) * shareOfRange + ofEnds };
}

/** Milliseconds of a typical run. */
export function savedMs(sizes: StoredSizes): number {
  const { before, after } = expectedMs(sizes);
  return before - after;
}

export function isWorthIt(sizes: StoredSizes): boolean {
  const { before } = expectedMs(sizes);
  return savedMs(sizes) >= Math.max(leastSavedMs, leastSavedShare * before);
}
