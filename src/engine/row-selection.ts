/** What a run asks of a query's rows, applied around the query: which columns, in which order, from which row on. */
import { invalidInput, type ServiceError } from '../errors/service-error.ts';
import type { RowForm } from '../model/result-format.ts';

export interface RowSelection {
  readonly form: RowForm;
  /** Whether two columns of the same name are refused in the form of objects; else the second one is renamed. */
  readonly isStrict: boolean;
  /** Names of result columns, in the order asked for; null: all. */
  readonly columns: readonly string[] | null;
  /** Null: the query's own order, whatever rows it leaves tied. */
  readonly order: RowOrder | null;
  /** The sort keys of the first row, as `PageEnd` gives them; null: from the first row. Only with keys or positions. */
  readonly from: SortValues | null;
}

/**
 * `own`: that of the query, if its keys are result columns; of all columns, if it has none. Rows with equal keys follow each
 * other by their other values, so the order is the same at every run and in every path.
 */
export type RowOrder =
  | { readonly by: 'names'; readonly keys: readonly NamedKey[] }
  | { readonly by: 'positions'; readonly keys: readonly SortKey[] }
  | { readonly by: 'own' };

export interface NamedKey {
  readonly name: string;
  readonly isDescending: boolean;
}

export interface SortKey {
  /** Position of a result column, from 0. */
  readonly position: number;
  readonly isDescending: boolean;
}

/** One text per sort key; null is NULL. */
export type SortValues = readonly (string | null)[];

/** Where the rows of a page end. */
export interface PageEnd {
  /** The sort keys in use; null when the rows are in the query's own order, which is not one of result columns. */
  readonly keys: readonly SortKey[] | null;
  /**
   * The sort keys of the row after the page, if the last row of the page has others, and each has a text that is exact;
   * else null.
   */
  readonly next: SortValues | null;
}

/** The values of a page's start that no page of this query gave out. */
export function badCursor(): ServiceError {
  return invalidInput(
    'cursor',
    'This cursor is not one of this run. Take the next_cursor of the page before and repeat its other inputs: version, variables, columns and order_by; or begin with an empty cursor.',
  );
}
