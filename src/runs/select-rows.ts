/** The requested selection of rows in the engine's form. Pure. */
import type { RowOrder, RowSelection } from '../engine/row-selection.ts';
import { type PageStart, type Paging, readCursor } from './cursor.ts';
import type { RunRequest } from './run-request.ts';

export interface SelectedRows {
  /** Null: all columns in the query's own order and in the format's default form. */
  readonly selection: RowSelection | null;
  /** Rows to skip after the first row of the selection. */
  readonly offset: number;
  /** Null when the run returns no cursor. */
  readonly paging: Paging | null;
}

/**
 * @param given identifies the version and the values of its variables and filters.
 * @throws ServiceError `invalid_input` for a cursor of another run.
 */
export function selectRows(request: RunRequest, given: unknown): SelectedRows {
  const { columns, orderBy, rows, cursor, format } = request;
  const defaultForm = format === 'json' ? 'arrays' : 'objects';
  const isPaged = orderBy !== null || cursor !== null;
  const isDefault = rows === null || (format === 'json' && rows === 'arrays');
  if (isDefault && columns === null && !isPaged) {
    return { selection: null, offset: request.offset, paging: null };
  }
  const scope = isPaged ? JSON.stringify([given, columns, orderBy]) : '';
  const start: PageStart =
    cursor === null || cursor === ''
      ? { keys: null, from: null, skip: request.offset }
      : readCursor(cursor, scope);
  return {
    selection: {
      form: rows ?? defaultForm,
      isStrict: rows === 'objects',
      columns,
      order: orderOf(request, start),
      from: start.from,
    },
    offset: start.skip,
    paging: isPaged ? { scope, start, isOrdered: orderBy !== null } : null,
  };
}

function orderOf({ orderBy, cursor }: RunRequest, { keys }: PageStart): RowOrder | null {
  if (orderBy !== null) return { by: 'names', keys: orderBy };
  if (keys !== null) return { by: 'positions', keys };
  return cursor === '' ? { by: 'own' } : null;
}
