/** A call whose first argument is the plain name of a format other than CSV. */
const OTHER_FORMAT = /formatRow(?:NoNewline)?\s*\(\s*'(?!CSV)\w+'/gi;

/**
 * Whether expressions of the query may write rows as CSV. The settings of a response in CSV would also apply to them: NULL
 * would be empty, and lines would end in CRLF.
 */
export function mayWriteCsv(sql: string): boolean {
  return /formatRow/i.test(sql.replace(OTHER_FORMAT, ''));
}
