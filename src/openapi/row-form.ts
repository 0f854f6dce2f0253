/** The row form in a document: a run chooses with its input `rows`, and a document describes one of the two. */
import type { PathPrefix } from '../endpoints/endpoint-urls.ts';
import type { RowForm } from '../model/result-format.ts';
import type { DocumentedColumn } from './documented-version.ts';

/** A caller's choices for a document. */
export interface DocumentChoice {
  readonly rows: RowForm;
  /** Prefix of its paths. */
  readonly prefix: PathPrefix;
}

/**
 * The form that a document uses: the wanted one, but arrays when a row cannot be an object because two columns share a
 * name or none is known.
 */
export function rowFormOf(columns: readonly DocumentedColumn[], wanted: RowForm): RowForm {
  const names = new Set(columns.map(({ name }) => name));
  return names.size === 0 || names.size < columns.length ? 'arrays' : wanted;
}
