import { type ParsedQuery, parseQuery, type QueryDefinition } from '../query/query-definition.ts';
import type { VersionRecord } from '../store/endpoint-record.ts';

const parsedQueries = new WeakMap<VersionRecord, ParsedQuery>();

/** The version's query, parsed once for each record that a lookup holds. */
export function parsedQueryOf(version: VersionRecord): ParsedQuery {
  const existing = parsedQueries.get(version);
  if (existing !== undefined) return existing;
  const parsed = parseQuery(version.query as unknown as QueryDefinition);
  parsedQueries.set(version, parsed);
  return parsed;
}
