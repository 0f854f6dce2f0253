/** Resolves a selection by name to the columns of a query. Pure. */
import { invalidInput } from '../../../errors/service-error.ts';
import { shorten } from '../../../lib/shorten.ts';
import { isSortable } from '../../../sql/value-type.ts';
import type { Column } from '../../query-engine.ts';
import {
  badCursor,
  type NamedKey,
  type RowOrder,
  type RowSelection,
  type SortKey,
  type SortValues,
} from '../../row-selection.ts';

export interface ResolvedSelection {
  /** Positions of the selected columns, in selection order. */
  readonly positions: readonly number[];
  /** Null: the query's own order. */
  readonly keys: readonly SortKey[] | null;
  readonly from: SortValues | null;
}

/** The query's own order: keys that are result columns, no order, or any other order. */
export type OwnOrder = readonly SortKey[] | 'none' | 'other';

/**
 * @param own the query's own order; called only when the selection uses it.
 * @throws ServiceError `invalid_input` for a name that does not match exactly one column, a type that cannot be sorted,
 * or a cursor that does not fit.
 */
export function resolveSelection(
  { columns: names, order, from, form, isStrict }: RowSelection,
  columns: readonly Column[],
  own: OwnOrder,
): ResolvedSelection {
  const positions =
    names === null
      ? columns.map((_column, index) => index)
      : names.map((name) => positionOf(name, columns, 'columns'));
  if (form === 'objects' && isStrict) refuseRepeated(positions, columns);
  const keys = keysOf(order, columns, { positions, own });
  if (from !== null && from.length !== keys?.length) throw badCursor();
  return { positions, keys, from };
}

function keysOf(
  order: RowOrder | null,
  columns: readonly Column[],
  { positions, own }: Pick<ResolvedSelection, 'positions'> & { readonly own: OwnOrder },
): readonly SortKey[] | null {
  switch (order?.by) {
    case undefined:
      return null;
    case 'names':
      return order.keys.map((key) => namedKey(key, columns));
    case 'positions':
      if (order.keys.some(({ position }) => !isSortable(columns[position]?.type ?? 'JSON'))) {
        throw badCursor();
      }
      return order.keys;
    case 'own':
      if (own === 'other') return null;
      return own === 'none' ? allKeys(positions, columns) : own;
  }
}

/** A query without an order may use any. */
function allKeys(positions: readonly number[], columns: readonly Column[]): readonly SortKey[] {
  return positions
    .filter((position) => isSortable(columns[position]?.type ?? ''))
    .map((position) => ({ position, isDescending: false }));
}

function namedKey({ name, isDescending }: NamedKey, columns: readonly Column[]): SortKey {
  const position = positionOf(name, columns, 'order_by');
  const type = columns[position]?.type ?? '';
  if (!isSortable(type)) {
    throw invalidInput(
      'order_by',
      `The column ${name} cannot be sorted by: its type is ${type}. Sortable are numbers, strings, times and other scalar values, and arrays and tuples of these.`,
    );
  }
  return { position, isDescending };
}

function positionOf(name: string, columns: readonly Column[], attr: string): number {
  const found = columns.flatMap((column, index) => (column.name === name ? [index] : []));
  const [position] = found;
  if (position === undefined) {
    throw invalidInput(
      attr,
      `The result has no column "${shorten(name)}". It has ${listed(columns)}.`,
    );
  }
  if (found.length > 1) {
    throw invalidInput(
      attr,
      `"${shorten(name)}" is the name of ${found.length} columns of the result. Name them differently with AS in the query.`,
    );
  }
  return position;
}

function refuseRepeated(positions: readonly number[], columns: readonly Column[]): void {
  const names = positions.map((position) => columns[position]?.name ?? '');
  const repeated = new Set(names.filter((name, index) => names.indexOf(name) !== index));
  if (repeated.size === 0) return;
  const shown = [...repeated].map((name) => `"${shorten(name)}"`).join(', ');
  throw invalidInput(
    'rows',
    `An object cannot hold two columns of the same name: ${shown}. Name them differently with AS in the query, or request rows=arrays.`,
  );
}

const maxListed = 50;

function listed(columns: readonly Column[]): string {
  const names = columns.slice(0, maxListed).map(({ name }) => shorten(name));
  const rest = columns.length - names.length;
  return `${names.join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`;
}
