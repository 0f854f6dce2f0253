/**
 * What a run requests of a query's rows, applied around the query: which columns, in which order, from which row on.
 */
import { invalidInput, type ServiceError } from '../errors/service-error.ts';
import type { RowForm } from '../model/result-format.ts';

export interface RowSelection {
  readonly form: RowForm;
  /** Whether two columns of the same name are refused in the form of objects; otherwise the second one is renamed. */
  readonly isStrict: boolean;
  /** Names of result columns, in the requested order; null for all. */
  readonly columns: readonly string[] | null;
  /** Null for the query's own order, whatever rows it leaves tied. */
  readonly order: RowOrder | null;
  /** The first row's sort keys, from `PageEnd`; null to start at the first row. Only with keys or positions. */
  readonly from: SortValues | null;
}

/**
 * `own`: the query's order, if its keys are result columns; by all columns, if it has none. Rows with equal keys are
 * ordered by their other values, so the order is the same at every run and on every path.
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

/** One text per sort key; null means NULL. */
export type SortValues = readonly (string | null)[];

/** Where the rows of a page end. */
export interface PageEnd {
  /** The sort keys in use; null when the rows are in the query's own order, which is not by result columns. */
  readonly keys: readonly SortKey[] | null;
  /**
   * The sort keys of the row after the page, if they differ from the last row's and each has an exact text; else null.
   */
  readonly next: SortValues | null;
}

/** The error for a page start that no page of this query returned. */
export function badCursor(): ServiceError {
  return invalidInput(
    'cursor',
    'This cursor does not belong to this run. Use the one that the previous page returned, with the same version, variables, columns and order, or start with an empty cursor.',
  );
}
