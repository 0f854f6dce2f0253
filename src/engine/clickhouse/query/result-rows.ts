/** Turns the engine's response, one row per line, into one JSON array of rows. */
import type { EngineResult } from '../../query-engine.ts';

const NEWLINE = 0x0a;
const COMMA = 0x2c;
const OPEN = 0x5b;
const CLOSE = 0x5d;

/**
 * For a response in `JSONCompactEachRowWithNamesAndTypes`. A row is a line and a JSON string never contains a line
 * break, so the breaks become commas and the rows are never parsed.
 *
 * @param body is rewritten in place; the returned rows share its memory.
 */
export function toResultRows(body: Buffer, limit: number): Omit<EngineResult, 'stats'> {
  const namesEnd = body.indexOf(NEWLINE);
  const typesEnd = body.indexOf(NEWLINE, namesEnd + 1);
  if (namesEnd < 0 || typesEnd < 0) throw new Error('the engine’s response has no column lines');
  const names = JSON.parse(body.toString('utf8', 0, namesEnd)) as readonly string[];
  const types = JSON.parse(body.toString('utf8', namesEnd + 1, typesEnd)) as readonly string[];
  const columns = names.map((name, index) => ({ name, type: types[index] ?? '' }));
  const { rows, rowCount, hasMore } = joinRows(body.subarray(typesEnd), limit);
  return { columns, rows, rowCount, hasMore };
}

export interface JoinedRows extends Pick<EngineResult, 'rows' | 'rowCount' | 'hasMore'> {
  /** JSON of the last row and of the row beyond the limit; null without the latter. */
  readonly edge: readonly [string, string] | null;
}

/** For a format without header lines. */
export function toSelectedRows(body: Buffer, limit: number): JoinedRows {
  return joinRows(Buffer.concat([lineBreak, body]), limit);
}

const lineBreak = Buffer.from([NEWLINE]);

/** @param rows a line break, then lines; rewritten in place. */
function joinRows(rows: Buffer, limit: number): JoinedRows {
  if (rows.length === 1) {
    return { rows: Buffer.from('[]'), rowCount: 0, hasMore: false, edge: null };
  }
  if (rows[rows.length - 1] !== NEWLINE) throw new Error('the engine’s response was interrupted');
  const { end, lastStart, rowCount } = joinLines(rows, limit);
  const hasMore = end < rows.length - 1;
  const next = rows.toString('utf8', end + 1, rows.indexOf(NEWLINE, end + 1));
  const edge = hasMore ? ([rows.toString('utf8', lastStart, end), next] as const) : null;
  rows[0] = OPEN;
  rows[end] = CLOSE;
  return { rows: rows.subarray(0, end + 1), rowCount, hasMore, edge };
}

/**
 * Replaces the breaks between the first `limit` lines with commas; `end` is the break after the last of them, which
 * begins at `lastStart`.
 */
function joinLines(
  rows: Buffer,
  limit: number,
): { readonly end: number; readonly lastStart: number; readonly rowCount: number } {
  let end = rows.indexOf(NEWLINE, 1);
  let lastStart = 1;
  let rowCount = 1;
  while (rowCount < limit && end < rows.length - 1) {
    rows[end] = COMMA;
    lastStart = end + 1;
    end = rows.indexOf(NEWLINE, lastStart);
    rowCount += 1;
  }
  return { end, lastStart, rowCount };
}
