/** Columns that are called like a subcolumn of another: `data.kind` beside `data`. */
import { readQueryTree, tableNameOf } from '../../sql/query-tree.ts';
import { quoteTable } from '../../sql/quote-name.ts';
import { isTextError, type SqlAnalysis } from '../../sql/sql-analysis.ts';
import { withHiddenColumns } from './hidden-columns.ts';

/** Whether a table of the query has one, or may have. Where it has none, a name means the same in every query. */
export async function hasNamesakes(
  lines: readonly string[],
  analysis: SqlAnalysis,
): Promise<boolean> {
  const tables = new Set((readQueryTree(lines) ?? []).map(tableNameOf));
  tables.delete('');
  for (const table of tables) {
    const names = await columnNames(table, analysis);
    if (names === null || names.some((name) => names.some((other) => isBelow(other, name))))
      return true;
  }
  return false;
}

function isBelow(name: string, other: string): boolean {
  return name.startsWith(`${other}.`);
}

/** With those that `*` leaves out; null when they cannot be read. */
async function columnNames(
  table: string,
  analysis: SqlAnalysis,
): Promise<readonly string[] | null> {
  const sql = `SELECT * FROM ${quoteTable(table)} ${withHiddenColumns}`;
  try {
    return (await analysis.describe(sql, {})).map(({ name }) => name);
  } catch (error) {
    if (isTextError(error)) return null;
    throw error;
  }
}
