/** The differences between two results whose rows are identified by a key. Pure. */
import { invalidInput } from '../errors/service-error.ts';
import { cellsOf, elementsOf } from './row-texts.ts';

export interface KeyedRows {
  /** Texts of rows by the text of their key, in result order. */
  readonly rows: ReadonlyMap<string, string>;
}

export interface RowChanges {
  /** Added rows with their positions in the new result, in that order. */
  readonly came: readonly { readonly at: number; readonly row: string }[];
  /** Keys of removed rows, as JSON arrays of the key columns' values. */
  readonly went: readonly string[];
  /** Rows with an existing key and changed content, as they are now. */
  readonly changed: readonly string[];
}

/**
 * @param json the rows as the engine wrote them.
 *
 * Throws `invalid_input` for a key column that the result does not have, and for a key shared by two rows.
 */
export function keyRows(
  json: string,
  columns: readonly string[],
  key: readonly string[],
): KeyedRows {
  const places = key.map((name) => placeOf(name, columns));
  const rows = new Map<string, string>();
  for (const row of elementsOf(json)) {
    const cells = cellsOf(row);
    const text = `[${places.map((place) => cells[place] ?? 'null').join(',')}]`;
    if (rows.has(text)) throw notUnique(key);
    rows.set(text, row);
  }
  return { rows };
}

function placeOf(name: string, columns: readonly string[]): number {
  const place = columns.indexOf(name);
  if (place !== -1 && columns.lastIndexOf(name) === place) return place;
  const shown = columns.join(', ');
  throw invalidInput(
    'key',
    `The result has no column "${name}" that can be part of key. Its columns are ${shown}.`,
  );
}

function notUnique(key: readonly string[]) {
  return invalidInput(
    'key',
    `Two rows have the same ${key.join(', ')}. Name columns that identify each row uniquely.`,
  );
}

/** Null if the order of the remaining rows changed, which changes by key cannot express. */
export function changesOf(before: KeyedRows, after: KeyedRows): RowChanges | null {
  const stayed = [...before.rows.keys()].filter((key) => after.rows.has(key));
  const changed: string[] = [];
  const came: RowChanges['came'][number][] = [];
  let at = 0;
  let next = 0;
  for (const [key, row] of after.rows) {
    const was = before.rows.get(key);
    if (was === undefined) came.push({ at, row });
    else {
      if (stayed[next] !== key) return null;
      next += 1;
      if (was !== row) changed.push(row);
    }
    at += 1;
  }
  return { came, changed, went: [...before.rows.keys()].filter((key) => !after.rows.has(key)) };
}
