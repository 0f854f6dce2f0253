import { useEffect, useMemo } from 'react';
import { plural } from '../ui/format.ts';
import { useViewParams } from '../ui/use-view-params.ts';
import type { ResultColumn, ResultRow } from './grid-model.ts';
import {
  fromOrderBy,
  isOrderable,
  orderOf,
  pressedKeys,
  type SortKey,
  toOrderBy,
} from './grid-order.ts';

/** The order that was requested from the engine. */
export interface ServiceOrder {
  /** In the run's form. */
  readonly orderBy: readonly string[];
  readonly onChange: (orderBy: readonly string[]) => void;
  /** Whether it can sort by a column; absent for every column with a unique name and ordered values. */
  readonly takes?: (column: number) => boolean;
}

interface Sorting {
  readonly columns: readonly ResultColumn[];
  readonly rows: readonly ResultRow[];
  /** Null when nobody requested whether there are more. */
  readonly hasMore: boolean | null;
  readonly requested: ServiceOrder | undefined;
}

interface Sort {
  /** Row indexes in display order; null for the original order. */
  readonly order: Uint32Array | null;
  readonly keys: readonly SortKey[];
  readonly isByEngine: (column: number) => boolean;
  readonly press: (column: number, isAdded: boolean) => void;
  /** Which rows are sorted, and by what; empty when unsorted. */
  readonly words: string;
}

/** Parameter of the URL with the local order: numbers of columns from 1, negative for descending. */
const sortParam = 'sort';

/**
 * Sorts locally when all rows are loaded; otherwise requests the order from the engine, if possible. The engine's order
 * replaces a local one.
 */
export function useSort({ columns, rows, hasMore, requested }: Sorting): Sort {
  const [params, change] = useViewParams();
  const orderBy = requested?.orderBy ?? [];
  const isOrdered = orderBy.length > 0;
  const given = params.get(sortParam) ?? '';
  const own = useMemo(
    () => (isOrdered ? [] : readSort(given, columns.length)),
    [given, isOrdered, columns.length],
  );
  const setOwn = (next: readonly SortKey[]) =>
    change((search) =>
      next.length === 0 ? search.delete(sortParam) : search.set(sortParam, writeSort(next)),
    );
  useEffect(() => {
    if (isOrdered && given !== '') setOwn([]);
  });
  const keys = own.length > 0 ? own : fromOrderBy(columns, orderBy);
  const order = useMemo(() => orderOf(columns, rows, own), [columns, rows, own]);
  const isByEngine = (column: number) =>
    requested !== undefined &&
    (hasMore !== false || isOrdered) &&
    (requested.takes ?? ((at) => isOrderable(columns, at)))(column);
  const press = (column: number, isAdded: boolean) => {
    if (requested === undefined || !isByEngine(column)) {
      setOwn(pressedKeys(own, column, isAdded));
      return;
    }
    const before = fromOrderBy(columns, orderBy);
    requested.onChange(toOrderBy(columns, pressedKeys(before, column, isAdded)));
  };
  const shown = plural(rows.length, 'row');
  const words = () => {
    if (keys.length === 0) return '';
    if (own.length === 0)
      return `Sorted by the engine${hasMore === true ? `: the first ${shown} of all` : ''}.`;
    if (hasMore === null) return `Sorted among the ${shown} shown; there may be more.`;
    return hasMore
      ? `Sorted among the ${shown} shown; there are more. ORDER BY in a query sorts them all.`
      : `Sorted here, all ${shown}.`;
  };
  return { order, keys, isByEngine, press, words: words() };
}

function readSort(text: string, columns: number): readonly SortKey[] {
  return text
    .split(' ')
    .map(Number)
    .filter((number) => Number.isInteger(number) && number !== 0 && Math.abs(number) <= columns)
    .map((number) => ({ column: Math.abs(number) - 1, descending: number < 0 }));
}

function writeSort(keys: readonly SortKey[]): string {
  return keys.map(({ column, descending }) => (descending ? -1 : 1) * (column + 1)).join(' ');
}
