/** The engine's response in `JSONCompactEachRowWithNamesAndTypes` as columns and one JSON array of rows. */
import type { EngineResult } from '../../query-engine.ts';

const NEWLINE = 0x0a;
const COMMA = 0x2c;
const OPEN = 0x5b;
const CLOSE = 0x5d;

/**
 * A row is a line, and a JSON string never contains a line break, so the breaks become commas and the rows are never parsed.
 *
 * @param body is rewritten in place: the rows are a part of it.
 */
export function toResultRows(body: Buffer, limit: number): Omit<EngineResult, 'stats'> {
  const namesEnd = body.indexOf(NEWLINE);
  const typesEnd = body.indexOf(NEWLINE, namesEnd + 1);
  if (namesEnd < 0 || typesEnd < 0) throw new Error('the engine’s response has no column lines');
  const names = JSON.parse(body.toString('utf8', 0, namesEnd)) as readonly string[];
  const types = JSON.parse(body.toString('utf8', namesEnd + 1, typesEnd)) as readonly string[];
  const columns = names.map((name, index) => ({ name, type: types[index] ?? '' }));
  const rows = body.subarray(typesEnd);
  if (rows.length === 1) return { columns, rows: Buffer.from('[]'), rowCount: 0, hasMore: false };
  if (rows[rows.length - 1] !== NEWLINE) throw new Error('the engine’s response broke off');
  const { end, rowCount } = joinLines(rows, limit);
  rows[0] = OPEN;
  rows[end] = CLOSE;
  return { columns, rows: rows.subarray(0, end + 1), rowCount, hasMore: end < rows.length - 1 };
}

/** Replaces the breaks between the first `limit` lines by commas; `end` is the break after the last of them. */
function joinLines(
  rows: Buffer,
  limit: number,
): { readonly end: number; readonly rowCount: number } {
  let end = rows.indexOf(NEWLINE, 1);
  let rowCount = 1;
  while (rowCount < limit && end < rows.length - 1) {
    rows[end] = COMMA;
    end = rows.indexOf(NEWLINE, end + 1);
    rowCount += 1;
  }
  return { end, rowCount };
}
