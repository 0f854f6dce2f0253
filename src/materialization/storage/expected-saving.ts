/** Cost estimates of a typical run for alternative ways of storing rows. Pure. */

export interface StoredSizes {
  /** Excludes rows of periods. */
  readonly rows: number;
  /** Rows of periods. */
  readonly periodRows: number;
  readonly periods: number;
  /** Distinct values of the columns that a run fixes to one value, in addition to its range. */
  readonly values: number;
  /** Whether a read groups the rows it merges. */
  readonly hasKeys: boolean;
  /** Bytes of aggregate states in all rows. */
  readonly bytes: number;
  /** Bytes of aggregate states in rows of periods. */
  readonly periodBytes: number;
}

export interface CountSizes {
  /** Rows of groups. */
  readonly rows: number;
  /** Elements in all sets. */
  readonly elements: number;
  /** Stored counts that would replace the elements. */
  readonly counts: number;
  readonly values: number;
  readonly hasKeys: boolean;
}

/** Milliseconds of a typical run. */
export interface Cost {
  readonly before: number;
  readonly after: number;
}

/** Assumed range of a typical run, as a share of all times. */
export const shareOfRange = 1 / 4;
/**
 * Milliseconds, measured on one core of the benchmarks: merging a row without and with a key, a byte of a state of
 * users, an element of such a set, and a count of elements.
 */
const rowMs = 0.000015;
const keyedRowMs = 0.00004;
const byteMs = 0.00001;
const elementMs = 0.00004;
const countMs = 0.00001;

/** Smaller savings do not justify the extra rows or the predicates that separate rows of periods from others. */
const leastSavedMs = 3;
const leastSavedShare = 1 / 2;
const leastSavedByCountsMs = 1;
/** The condition that looks at the top groups first costs about half a millisecond. */
const leastSavedByTopMs = 1;

/** At both ends of its range a run reads single rows, of about one period in total. */
export function costOfPeriods(sizes: StoredSizes): Cost {
  const { rows, periodRows, periods, values, hasKeys, bytes, periodBytes } = sizes;
  const cost = (count: number, size: number) =>
    (count * (hasKeys ? keyedRowMs : rowMs) + size * byteMs) / Math.max(1, values);
  const before = cost(rows, bytes) * shareOfRange;
  const ofEnds = cost(rows, bytes) / Math.max(1, periods);
  return { before, after: cost(periodRows, periodBytes) * shareOfRange + ofEnds };
}

export function costOfCounts({ rows, elements, counts, values, hasKeys }: CountSizes): Cost {
  const ofRow = hasKeys ? keyedRowMs : rowMs;
  const share = shareOfRange / Math.max(1, values);
  const before = (rows * ofRow + elements * elementMs) * share;
  return { before, after: (rows * ofRow + counts * countMs) * share };
}

/** A read of the greatest groups, weighted by the rows of the values that runs choose. */
export interface TopSizes {
  /** Rows of all groups. */
  readonly rows: number;
  /** Rows of the groups that are set apart. */
  readonly topRows: number;
  /** Rows of the others, where a typical run needs them. */
  readonly otherRows: number;
}

/** A run reads the top groups twice. */
export function costOfTop({ rows, topRows, otherRows }: TopSizes): Cost {
  const cost = (count: number) => count * keyedRowMs * shareOfRange;
  return { before: cost(rows), after: cost(2 * topRows + otherRows) };
}

export function savedMs({ before, after }: Cost): number {
  return before - after;
}

export function isWorthPeriods(cost: Cost): boolean {
  return savedMs(cost) >= Math.max(leastSavedMs, leastSavedShare * cost.before);
}

export function isWorthTop(cost: Cost): boolean {
  return savedMs(cost) >= Math.max(leastSavedByTopMs, leastSavedShare * cost.before);
}

export function isWorthCounts(cost: Cost): boolean {
  return savedMs(cost) >= Math.max(leastSavedByCountsMs, leastSavedShare * cost.before);
}
