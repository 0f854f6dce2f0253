import type { Config } from '../config/config.ts';
import type { Clock } from '../lib/clock.ts';
import type { VersionRecord } from '../store/endpoint-record.ts';
import { openLookupCache } from './lookup-cache.ts';
import type { Lookups } from './lookups.ts';

/** The maximum age of a lookup, in case a change notification is lost. */
const maxAgeMs = 5000;
const maxMissing = 1000;
/** Limits for lookups of records with a query, which may be long. */
const lookupsOfTexts = {
  maxEntries: 20_000,
  maxBytes: 134_217_728,
} as const;

export function openLookups(
  { lookupOutageSeconds }: Pick<Config, 'lookupOutageSeconds'>,
  clock: Clock,
): Lookups {
  const ages = { clock, maxAgeMs, maxMissing, outageMs: lookupOutageSeconds * 1000 };
  return {
    keys: openLookupCache({ ...ages, maxEntries: 10_000 }),
    fields: openLookupCache({ ...ages, maxEntries: 20_000 }),
    endpoints: openLookupCache({
      ...ages,
      ...lookupsOfTexts,
      weigh: ({ currentVersion }) => weighVersion(currentVersion),
    }),
    versions: openLookupCache({ ...ages, ...lookupsOfTexts, weigh: weighVersion }),
  };
}

/** Approximate memory of a version in bytes. */
function weighVersion({ query, columns, variables }: VersionRecord): number {
  return 2 * JSON.stringify([query, columns, variables]).length;
}
