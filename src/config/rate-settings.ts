/** Rate limit settings. All are per minute; 0 disables a limit. */
import { setting, wholeNumber } from './setting.ts';

const most = 1_000_000_000;

export const rateSettings = {
  ratePerKey: setting<number>(
    'RATE_PER_KEY',
    'requests a minute',
    3_000_000,
    wholeNumber(0, most),
    'Requests that one key may make, including runs; further ones fail with throttled. 0: no limit.',
  ),
  ratePerProject: setting<number>(
    'RATE_PER_PROJECT',
    'requests a minute',
    6_000_000,
    wholeNumber(0, most),
    'The same for all keys of a project together.',
  ),
  authFailuresPerAddress: setting<number>(
    'AUTH_FAILURES_PER_ADDRESS',
    'refused keys a minute',
    600,
    wholeNumber(0, most),
    'After this many from one address, refused keys fail with throttled; a valid key is always accepted. 0: no limit.',
  ),
} as const;
