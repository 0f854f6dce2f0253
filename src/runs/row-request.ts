/** What a run asks of its rows: their form, which columns, in which order, from where on. */
import type { NamedKey } from '../engine/row-selection.ts';
import { invalidInput } from '../errors/service-error.ts';
import type { ResultFormat, RowForm } from '../model/result-format.ts';
import { requireStorableText } from '../sql/storable-text.ts';

/** As an interface passes it on. */
export interface RowInput {
  readonly rows?: RowForm | null | undefined;
  readonly columns?: readonly string[] | null | undefined;
  readonly orderBy?: readonly string[] | null | undefined;
  readonly cursor?: string | null | undefined;
}

export interface RowRequest {
  /** Null: the format's default, arrays in JSON and objects in NDJSON. */
  readonly rows: RowForm | null;
  /** Null: all columns. */
  readonly columns: readonly string[] | null;
  readonly orderBy: readonly NamedKey[] | null;
  /** Empty: the first page. Null: the run is not paged by cursors. */
  readonly cursor: string | null;
}

/** Throws `invalid_input`. Whether the names are those of columns shows when the run is planned by the engine. */
export function parseRowInput(
  input: RowInput & { readonly offset?: number | null | undefined },
  format: ResultFormat,
): RowRequest {
  const rows = input.rows ?? null;
  if (rows !== null && format !== 'json' && format !== 'ndjson') {
    throw invalidInput(
      'rows',
      `rows is for the formats json and ndjson; leave it out for ${format}, which has one form of rows.`,
    );
  }
  const cursor = input.cursor ?? null;
  if (cursor !== null && (input.offset ?? null) !== null) {
    throw invalidInput('cursor', 'A cursor says where a page begins; leave out offset.');
  }
  return {
    rows,
    columns: parseColumns(input.columns ?? null),
    orderBy: parseOrder(input.orderBy ?? null),
    cursor,
  };
}

function parseColumns(names: readonly string[] | null): readonly string[] | null {
  if (names === null) return null;
  return distinctNames(names, 'columns');
}

function parseOrder(terms: readonly string[] | null): readonly NamedKey[] | null {
  if (terms === null) return null;
  const keys = terms.map(toKey);
  distinctNames(
    keys.map(({ name }) => name),
    'order_by',
  );
  return keys;
}

/** `-name` is descending; `+name` is ascending, for names that begin with one of the signs. */
function toKey(term: string): NamedKey {
  const isDescending = term.startsWith('-');
  return { name: isDescending || term.startsWith('+') ? term.slice(1) : term, isDescending };
}

function distinctNames(names: readonly string[], attr: string): readonly string[] {
  if (names.length === 0) throw invalidInput(attr, `${attr} names at least one column.`);
  const seen = new Set<string>();
  for (const name of names) {
    if (name === '') throw invalidInput(attr, `${attr} has an empty name.`);
    requireStorableText(name, attr);
    if (seen.has(name)) throw invalidInput(attr, `${attr} names "${shorten(name)}" twice.`);
    seen.add(name);
  }
  return names;
}

function shorten(name: string): string {
  return name.length > 100 ? `${name.slice(0, 100)}…` : name;
}
