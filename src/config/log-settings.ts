/** Settings of what is written to the log. */
import { setting, wholeNumber } from './setting.ts';

export const logSettings = {
  accessLogEvery: setting<number>(
    'ACCESS_LOG_EVERY',
    'requests',
    100,
    wholeNumber(1, 1_000_000),
    'One in so many quick and successful requests of an operation has a line in the log; failures and slow ones have theirs always.',
  ),
  slowRequestMs: setting<number>(
    'SLOW_REQUEST_MS',
    'milliseconds',
    1000,
    wholeNumber(0, 3_600_000),
    'A request that takes so long or longer is always logged.',
  ),
} as const;
