/** Row order of a table. Pure. */
import { compareCells } from './cell-values.ts';
import { bareType, kindOf } from './clickhouse-types.ts';
import type { ResultColumn, ResultRow } from './grid-model.ts';

export interface SortKey {
  /** Column index. */
  readonly column: number;
  readonly descending: boolean;
}

/** The keys after clicking a column: ascending, descending, none. @param isAdded keeps the existing keys. */
export function pressedKeys(
  keys: readonly SortKey[],
  column: number,
  isAdded: boolean,
): readonly SortKey[] {
  const before = keys.find((key) => key.column === column);
  const next = { column, descending: before !== undefined };
  const kept = before?.descending === true ? [] : [next];
  if (!isAdded) return kept;
  if (before === undefined) return [...keys, ...kept];
  return keys.flatMap((key) => (key.column === column ? kept : [key]));
}

/**
 * In the run's form: names, with `-` before a descending one. A name that begins with a sign always gets another one
 * before it.
 */
export function toOrderBy(
  columns: readonly ResultColumn[],
  keys: readonly SortKey[],
): readonly string[] {
  return keys.map(({ column, descending }) => {
    const name = columns[column]?.name ?? '';
    if (descending) return `-${name}`;
    return /^[-+]/.test(name) ? `+${name}` : name;
  });
}

/** The inverse; skips names without a column. */
export function fromOrderBy(
  columns: readonly ResultColumn[],
  orderBy: readonly string[],
): readonly SortKey[] {
  return orderBy.flatMap((text): readonly SortKey[] => {
    const name = text.replace(/^[-+]/, '');
    const column = columns.findIndex((one) => one.name === name);
    return column === -1 ? [] : [{ column, descending: text.startsWith('-') }];
  });
}

/** Whether a run can be sorted by the column: its name is unique, and its values have an order. */
export function isOrderable(columns: readonly ResultColumn[], at: number): boolean {
  const { name = '', type = '' } = columns[at] ?? {};
  const isAlone = columns.filter((column) => column.name === name).length === 1;
  return (
    isAlone &&
    !/^(?:Map|JSON|Object|Dynamic|Variant|Nested|Point|Ring|Polygon)/.test(bareType(type))
  );
}

/** Row indexes sorted by the keys, stable. Null without a key: original order. */
export function orderOf(
  columns: readonly ResultColumn[],
  rows: readonly ResultRow[],
  keys: readonly SortKey[],
): Uint32Array | null {
  if (keys.length === 0) return null;
  const compares = keys.map(({ column, descending }) => {
    const kind = kindOf(columns[column]?.type ?? '');
    return (a: ResultRow, b: ResultRow) => compareCells(kind, a[column], b[column], descending);
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
