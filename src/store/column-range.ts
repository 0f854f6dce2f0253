/** What a column can hold: a query with any other value fails in PostgreSQL instead of finding nothing. */

/** A positive integer of four bytes, as ids and version numbers are. */
export function isRowNumber(value: number): boolean {
  return Number.isInteger(value) && value >= 1 && value <= 2_147_483_647;
}

/** PostgreSQL's text has no NUL character. */
export function isText(value: string): boolean {
  return !value.includes('\0');
}
