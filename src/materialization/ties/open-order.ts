/** An ORDER BY that may treat several rows as equal, where it matters which of them comes first. */
import type { ParsedQuery } from '../../query/query-definition.ts';
import type { WrittenSelect } from '../../sql/written-selects.ts';

export interface OpenOrder {
  readonly of: 'limit' | 'window';
  /** Where its ORDER BY ends in the text. */
  readonly end: number;
  /** What to append to it; empty where no sort key settles the order. */
  readonly keys: readonly string[];
}

/** A SELECT of the query, as a query of its own. */
export interface SelectOfQuery {
  readonly projectId: number;
  readonly select: WrittenSelect;
  readonly query: ParsedQuery;
}

const NAME = /^[A-Za-z_]\w*$/;

export const isPlainName = (text: string) => NAME.test(text);

/** Two spellings of an expression that differ in case and white space alone are taken for the same. */
export const plain = (text: string) => text.replace(/\s+/g, ' ').toLowerCase();

export const withoutDirection = (text: string) =>
  text.replace(/\s+(?:ASC|DESC|ASCENDING|DESCENDING)\b.*$/is, '').replace(/\s+NULLS\s.*$/is, '');

export const isSortable = (type: string) =>
  !/\b(?:JSON|Map|Dynamic|Variant|Object|Function)\b/.test(type);

/** The expressions of GROUP BY; empty where these are no plain list. */
export function groupedBy(elements: readonly { readonly text: string }[]): readonly string[] {
  const isOther = /^(?:ALL|ROLLUP|CUBE|GROUPING)\b/i.test(elements[0]?.text ?? '');
  return isOther ? [] : elements.map(({ text }) => text);
}
