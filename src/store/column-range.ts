/** The ranges of column types: a query with a value out of range fails in PostgreSQL instead of finding nothing. */

/** A positive four-byte integer, as used for ids and version numbers. */
export function isRowNumber(value: number): boolean {
  return Number.isInteger(value) && value >= 1 && value <= 2_147_483_647;
}

/** PostgreSQL's text has no NUL character. */
export function isText(value: string): boolean {
  return !value.includes('\0');
}
