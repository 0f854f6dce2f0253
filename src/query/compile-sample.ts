import { defaultFilterColumn } from '../sql/placeholders.ts';
import { type CompiledQuery, compileQuery } from './compile-query.ts';
import { sampleFilters } from './filters/compile-filters.ts';
import type { ParsedQuery } from './query-definition.ts';
import { sampleVariables } from './variables.ts';

/** The query for checking, with sample values for variables without a default. */
export function compileSample(parsed: ParsedQuery): CompiledQuery {
  const filters = namesFilterColumn(parsed) ? sampleFilters : null;
  return compileQuery(parsed, sampleVariables(parsed), filters);
}

/**
 * Whether the author named the column of `{filters}`. The default column only has to exist when a run filters by dates.
 */
function namesFilterColumn({ placeholders }: ParsedQuery): boolean {
  return placeholders.some((p) => p.kind === 'filters' && p.column !== defaultFilterColumn);
}
