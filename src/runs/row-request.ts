/** The part of a run's input about its rows: representation, columns, sort order, page start. */
import type { NamedKey } from '../engine/row-selection.ts';
import { invalidInput } from '../errors/service-error.ts';
import { shorten } from '../lib/shorten.ts';
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
  /** Null for the format's default: arrays in JSON, objects in NDJSON. */
  readonly rows: RowForm | null;
  /** Null for all columns. */
  readonly columns: readonly string[] | null;
  readonly orderBy: readonly NamedKey[] | null;
  /** Empty for the first page. Null when the run is not paged by cursors. */
  readonly cursor: string | null;
}

/** Throws `invalid_input`. Whether the names are columns is checked when the engine plans the run. */
export function parseRowInput(
  input: RowInput & { readonly offset?: number | null | undefined },
  format: ResultFormat,
): RowRequest {
  const rows = input.rows ?? null;
  if (rows !== null && format !== 'json' && format !== 'ndjson') {
    throw invalidInput(
      'rows',
      `rows applies only to the formats json and ndjson. Omit it for ${format}.`,
    );
  }
  const cursor = input.cursor ?? null;
  if (cursor !== null && (input.offset ?? null) !== null) {
    throw invalidInput('cursor', 'A cursor cannot be combined with offset. Omit offset.');
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

/** `-name` sorts descending; `+name` sorts ascending, for names that begin with one of the signs. */
function toKey(term: string): NamedKey {
  const isDescending = term.startsWith('-');
  return { name: isDescending || term.startsWith('+') ? term.slice(1) : term, isDescending };
}

function distinctNames(names: readonly string[], attr: string): readonly string[] {
  if (names.length === 0) throw invalidInput(attr, `${attr} must name at least one column.`);
  const seen = new Set<string>();
  for (const name of names) {
    if (name === '') throw invalidInput(attr, `${attr} contains an empty name.`);
    requireStorableText(name, attr);
    if (seen.has(name)) throw invalidInput(attr, `${attr} names "${shorten(name)}" twice.`);
    seen.add(name);
  }
  return names;
}
