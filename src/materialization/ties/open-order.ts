/** An ORDER BY with possible ties, where the order of tied rows matters. */
import type { ParsedQuery } from '../../query/query-definition.ts';
import type { WrittenSelect } from '../../sql/written-selects.ts';

export interface OpenOrder {
  readonly of: 'limit' | 'window';
  /** End offset of its ORDER BY in the text. */
  readonly end: number;
  /** Sort keys to append to it; empty if none break the ties. */
  readonly keys: readonly string[];
}

/** A SELECT of the query, as a standalone query. */
export interface SelectOfQuery {
  readonly projectId: number;
  readonly select: WrittenSelect;
  readonly query: ParsedQuery;
}

const NAME = /^[A-Za-z_]\w*$/;

export const isPlainName = (text: string) => NAME.test(text);

/** Treats spellings that differ only in case and white space as the same expression. */
export const plain = (text: string) => text.replace(/\s+/g, ' ').toLowerCase();

export const withoutDirection = (text: string) =>
  text.replace(/\s+(?:ASC|DESC|ASCENDING|DESCENDING)\b.*$/is, '').replace(/\s+NULLS\s.*$/is, '');

export const isSortable = (type: string) =>
  !/\b(?:JSON|Map|Dynamic|Variant|Object|Function)\b/.test(type);

/** The expressions of GROUP BY; empty unless they are a plain list. */
export function groupedBy(elements: readonly { readonly text: string }[]): readonly string[] {
  const isOther = /^(?:ALL|ROLLUP|CUBE|GROUPING)\b/i.test(elements[0]?.text ?? '');
  return isOther ? [] : elements.map(({ text }) => text);
}
