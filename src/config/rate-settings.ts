/** Settings of how often callers may ask. All count by minutes; 0 is no limit. */
import { setting, wholeNumber } from './setting.ts';

const most = 1_000_000_000;

const rate = (env: string, unit: string, perMinute: number, why: string) =>
  setting<number>(env, unit, perMinute, wholeNumber(0, most), why);

export const rateSettings = {
  rateCachedPerKey: rate(
    'RATE_CACHED_PER_KEY',
    'answers a minute',
    3_000_000,
    'Answers from the cache that one key may have; more are answered throttled. 0 is no limit.',
  ),
  rateCachedPerProject: rate(
    'RATE_CACHED_PER_PROJECT',
    'answers a minute',
    6_000_000,
    'The same for all keys of a project together.',
  ),
  rateMaterializedPerKey: rate(
    'RATE_MATERIALIZED_PER_KEY',
    'runs a minute',
    120_000,
    'Runs that one key may have answered from stored tables. 0 is no limit.',
  ),
  rateMaterializedPerProject: rate(
    'RATE_MATERIALIZED_PER_PROJECT',
    'runs a minute',
    240_000,
    'The same for all keys of a project together.',
  ),
  rateInlinePerKey: rate(
    'RATE_INLINE_PER_KEY',
    'runs a minute',
    60_000,
    'Runs that one key may have computed from source data. 0 is no limit.',
  ),
  rateInlinePerProject: rate(
    'RATE_INLINE_PER_PROJECT',
    'runs a minute',
    120_000,
    'The same for all keys of a project together.',
  ),
  rateManagementPerKey: rate(
    'RATE_MANAGEMENT_PER_KEY',
    'requests a minute',
    30_000,
    'Reads and changes of what is saved, and everything else that is no run, by one key. 0 is no limit.',
  ),
  rateManagementPerProject: rate(
    'RATE_MANAGEMENT_PER_PROJECT',
    'requests a minute',
    60_000,
    'The same for all keys of a project together.',
  ),
  authFailuresPerAddress: rate(
    'AUTH_FAILURES_PER_ADDRESS',
    'refused keys a minute',
    600,
    'Past so many from one address a refused key is answered throttled; a good key is always let in. 0 is no limit.',
  ),
} as const;
