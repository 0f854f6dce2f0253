/** The row limit of stored tables. */
import { invalidInput } from '../errors/service-error.ts';

export interface RowLimits {
  /** For a version whose author set no limit. */
  readonly defaultStoredRows: number;
  /** The highest limit an author may set. */
  readonly maxStoredRows: number;
}

/** @param own the author's limit, or null. A server limit lowered later also applies to limits set before. */
export function rowLimitOf(own: number | null, limits: RowLimits): number {
  return Math.min(own ?? limits.defaultStoredRows, limits.maxStoredRows);
}

/** Absent and null differ: null removes the author's limit. Throws `invalid_input`. */
export function parseRowLimit(
  value: number | null | undefined,
  { maxStoredRows }: RowLimits,
): number | null | undefined {
  if (value === undefined || value === null) return value;
  if (Number.isSafeInteger(value) && value >= 1 && value <= maxStoredRows) return value;
  throw invalidInput(
    'max_stored_rows',
    `max_stored_rows must be an integer from 1 to ${maxStoredRows}, or null for the server's default.`,
  );
}

/** Message for the author with the numbers and remedies. */
export function tooManyRows(
  found: { readonly rows: number | null; readonly limit: number },
  { maxStoredRows }: RowLimits,
): string {
  const { rows, limit } = found;
  const many = rows === null ? `more than ${limit} rows` : `${rows} rows`;
  const raise =
    limit < maxStoredRows
      ? `Raise max_stored_rows, to at most ${maxStoredRows}, or store`
      : 'This server does not allow a higher limit; store';
  return `The stored table would have ${many}, and its limit is ${limit}. ${raise} fewer: group more coarsely, compare variables with toDate(ts) rather than ts, or leave rows out.`;
}
