/** How a document describes rows: a run chooses by its input `rows`, and a document describes one of the two. */
import type { PathPrefix } from '../endpoints/endpoint-urls.ts';
import type { RowForm } from '../model/result-format.ts';
import type { DocumentedColumn } from './documented-version.ts';

/** What a caller chooses of a document. */
export interface DocumentChoice {
  readonly rows: RowForm;
  /** Under which its paths stand. */
  readonly prefix: PathPrefix;
}

/**
 * The form that a document takes: the wanted one, but arrays where a row cannot be an object, because two columns have
 * one name or none is known.
 */
export function rowFormOf(columns: readonly DocumentedColumn[], wanted: RowForm): RowForm {
  const names = new Set(columns.map(({ name }) => name));
  return names.size === 0 || names.size < columns.length ? 'arrays' : wanted;
}
