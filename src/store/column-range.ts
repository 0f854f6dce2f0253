/** What a column can hold at all: asking PostgreSQL for anything else is an error there, not an empty answer. */

/** A positive integer of four bytes, as ids and version numbers are. */
export function isRowNumber(value: number): boolean {
  return Number.isInteger(value) && value >= 1 && value <= 2_147_483_647;
}

/** PostgreSQL's text has no NUL character. */
export function isText(value: string): boolean {
  return !value.includes('\0');
}
