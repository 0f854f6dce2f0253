import { useMemo, useState } from 'react';
import { plural } from '../ui/format.ts';
import type { ResultColumn, ResultRow } from './grid-model.ts';
import {
  fromOrderBy,
  isOrderable,
  orderOf,
  pressedKeys,
  type SortKey,
  toOrderBy,
} from './grid-order.ts';

/** The order in which the engine was asked for the rows. */
export interface ServiceOrder {
  /** As a run takes it. */
  readonly orderBy: readonly string[];
  readonly onChange: (orderBy: readonly string[]) => void;
  /** Whether it sorts by a column; absent: by each that has one name and values with an order. */
  readonly takes?: (column: number) => boolean;
}

interface Sorting {
  readonly columns: readonly ResultColumn[];
  readonly rows: readonly ResultRow[];
  /** Null: nobody has asked whether there are more. */
  readonly hasMore: boolean | null;
  readonly asked: ServiceOrder | undefined;
}

interface Sort {
  /** The numbers of the rows as they are shown; null: as they came. */
  readonly order: Uint32Array | null;
  readonly keys: readonly SortKey[];
  readonly isByEngine: (column: number) => boolean;
  readonly press: (column: number, isAdded: boolean) => void;
  /** Which rows are sorted, and by whom; empty while nobody has sorted any. */
  readonly words: string;
}

/** Where all rows are here they are sorted here, at once; otherwise the engine is asked, if it can be. */
export function useSort({ columns, rows, hasMore, asked }: Sorting): Sort {
  const [own, setOwn] = useState<readonly SortKey[]>([]);
  const orderBy = asked?.orderBy ?? [];
  const keys = own.length > 0 ? own : fromOrderBy(columns, orderBy);
  const order = useMemo(() => orderOf(columns, rows, own), [columns, rows, own]);
  const isByEngine = (column: number) =>
    asked !== undefined &&
    (hasMore !== false || orderBy.length > 0) &&
    (asked.takes ?? ((at) => isOrderable(columns, at)))(column);
  const press = (column: number, isAdded: boolean) => {
    if (asked === undefined || !isByEngine(column)) {
      setOwn(pressedKeys(own, column, isAdded));
      return;
    }
    setOwn([]);
    const before = fromOrderBy(columns, orderBy);
    asked.onChange(toOrderBy(columns, pressedKeys(before, column, isAdded)));
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
