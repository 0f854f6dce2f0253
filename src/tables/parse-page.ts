import { invalidInput } from '../errors/service-error.ts';
import { requireStorableText } from '../sql/storable-text.ts';

/** A page of a list that is sorted by name. */
export interface PageCall {
  /** Substring, ignoring case. */
  readonly search?: string | null | undefined;
  readonly first?: number | null | undefined;
  readonly offset?: number | null | undefined;
}

const defaultSize = 100;
const maxSize = 1000;

/** @returns the search in lower case. Throws `invalid_input`. */
export function parsePage(call: PageCall): {
  readonly search: string;
  readonly first: number;
  readonly offset: number;
} {
  const { first, offset } = { first: call.first ?? defaultSize, offset: call.offset ?? 0 };
  if (!Number.isSafeInteger(first) || first < 1 || first > maxSize)
    throw invalidInput('first', `A page must have from 1 to ${maxSize} rows.`);
  if (!Number.isSafeInteger(offset) || offset < 0)
    throw invalidInput('offset', 'offset must be an integer, 0 or more.');
  const search = requireStorableText(call.search ?? '', 'search').toLowerCase();
  return { search, first, offset };
}
