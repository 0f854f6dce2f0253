import { memoize } from '../lib/memo.ts';
import { parseQuery, type QueryDefinition } from '../query/query-definition.ts';
import type { VersionRecord } from '../store/endpoint-record.ts';

/** The SQL of a stored query. */
export function textOf({ query }: VersionRecord['query']): string {
  return typeof query === 'string' ? query : '';
}

/** The version's query, parsed once for each cached record. */
export const parsedQueryOf = memoize('parsed query', ({ query }: VersionRecord) =>
  parseQuery(query as unknown as QueryDefinition),
);
