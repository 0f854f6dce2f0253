/** The order of rows in a table. Pure. */
import { compareCells } from './cell-values.ts';
import { kindOf } from './clickhouse-types.ts';
import type { ResultColumn, ResultRow } from './grid-model.ts';

export interface SortKey {
  /** Number of a column. */
  readonly column: number;
  readonly descending: boolean;
}

/** The numbers of the rows in the order of the keys; equal ones as they came. Null without a key: all as they came. */
export function orderOf(
  columns: readonly ResultColumn[],
  rows: readonly ResultRow[],
  keys: readonly SortKey[],
): Uint32Array | null {
  if (keys.length === 0) return null;
  const compares = keys.map(({ column, descending }) => {
    const kind = kindOf(columns[column]?.type ?? '');
    const sign = descending ? -1 : 1;
    return (a: ResultRow, b: ResultRow) => sign * compareCells(kind, a[column], b[column]);
  });
  return Uint32Array.from(rows, (_, at) => at).sort((a, b) => {
    const [left = [], right = []] = [rows[a], rows[b]];
    for (const compare of compares) {
      const order = compare(left, right);
      if (order !== 0) return order;
    }
    return a - b;
  });
}
