/** The expected gain of a stored table, and advice for increasing it. Pure. */

/** Means over sets of values that occur in the data. */
export interface MeasuredReads {
  /** Rows of the stored table. */
  readonly rows: number;
  /** Upper bound of the source tables' rows; null if the engine has no estimate. */
  readonly sourceRows: number | null;
  /** Milliseconds the engine takes for the inline query. */
  readonly inlineMs: number;
  /** Source rows read by the inline query. */
  readonly inlineRows: number;
  /** Stored rows a run would read. */
  readonly storedRows: number;
}

/** The same query with a coarser expression in a comparison. */
export interface Alternative {
  /** Replaces `insteadOf`. */
  readonly expression: string;
  readonly insteadOf: string;
  /** Rows of the resulting stored table. */
  readonly rows: number;
}

export interface ExpectedGain {
  readonly sourceRows: number | null;
  readonly inlineMs: number;
  readonly expectedReadMs: number;
  /** Speedup over the inline query, as a factor. */
  readonly expectedGain: number;
  /** Null if the gain is clear. */
  readonly advice: string | null;
  readonly alternative: (Alternative & { readonly expectedGain: number }) | null;
}

/** Time the engine takes to read a few stored rows. */
const leastReadMs = 1;
/** Tables with a lower gain are advised against. */
export const clearGain = 2;
/** Minimum factor by which a coarser comparison must reduce the stored rows. */
const minReduction = 4;

/**
 * Assumes that a stored row costs a read as much as a source row costs the query, plus the fixed cost of a short
 * read.
 */
export function expectGain(measured: MeasuredReads, found: Alternative | null): ExpectedGain {
  const { rows, sourceRows, inlineMs, storedRows } = measured;
  const expectedReadMs = readMs(measured, storedRows);
  const gain = inlineMs / expectedReadMs;
  const alternative =
    found === null || rows === 0
      ? null
      : {
          ...found,
          expectedGain: rounded(inlineMs / readMs(measured, (storedRows * found.rows) / rows)),
        };
  const isMuchSmaller = alternative !== null && minReduction * alternative.rows <= rows;
  const facts = {
    sourceRows,
    inlineMs: rounded(inlineMs),
    expectedReadMs: rounded(expectedReadMs),
    expectedGain: rounded(gain),
    alternative: isMuchSmaller ? alternative : null,
  };
  return { ...facts, advice: adviceOf(measured, facts) };
}

function readMs({ inlineMs, inlineRows }: MeasuredReads, rows: number): number {
  const perRow = Math.max(0, inlineMs - leastReadMs) / Math.max(1, inlineRows);
  return leastReadMs + perRow * rows;
}

function adviceOf({ rows }: MeasuredReads, facts: Omit<ExpectedGain, 'advice'>): string | null {
  const { sourceRows, expectedGain, inlineMs, alternative } = facts;
  if (expectedGain >= clearGain) return null;
  const gain = `Stores ${share(rows, sourceRows)}, and a run is expected to be ${speed(expectedGain).join(' ')} inline`;
  if (alternative !== null && alternative.expectedGain > expectedGain) {
    const { expression, insteadOf } = alternative;
    return `${gain}. Where whole days are enough, compare ${expression} instead of ${insteadOf}: ${counted(alternative.rows)}, ${speed(alternative.expectedGain)[0]}.`;
  }
  if (inlineMs < clearGain * leastReadMs) {
    return `${gain}: the query takes ${inlineMs} ms on the source data, and a stored table is not read much faster.`;
  }
  return `${gain}: it would read about as many stored rows as source rows. Group by fewer or coarser expressions, compare variables with coarser ones, or leave it inline.`;
}

/** How fast by a gain of two digits, and the word before what it is compared with. */
function speed(gain: number): readonly [string, 'as' | 'than'] {
  const slower = rounded(1 / gain);
  if (gain === 1 || slower === 1) return ['about as fast', 'as'];
  return gain > 1 ? [`${gain} times as fast`, 'as'] : [`about ${slower} times slower`, 'than'];
}

function rounded(value: number): number {
  return Number(value.toPrecision(2));
}

function share(rows: number, sourceRows: number | null): string {
  if (sourceRows === null || sourceRows === 0) return counted(rows);
  // A join may have more rows than its tables together.
  if (rows > sourceRows) return `${counted(rows)} made of ${counted(sourceRows)}`;
  return `${digits(rows)} of ${counted(sourceRows)}`;
}

function counted(rows: number): string {
  return `${digits(rows)} ${Math.round(rows) === 1 ? 'row' : 'rows'}`;
}

function digits(rows: number): string {
  return Math.round(rows).toLocaleString('en');
}
