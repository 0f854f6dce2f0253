/** Settings of what is written to the log. */
import { z } from 'zod';
import { setting, wholeNumber } from './setting.ts';

export type LogRuns = 'failures' | 'all';

export const logSettings = {
  accessLogEvery: setting<number>(
    'ACCESS_LOG_EVERY',
    'requests',
    100,
    wholeNumber(1, 1_000_000),
    'One in so many quick and successful requests of an operation has a line in the log; failures and slow ones have theirs always.',
  ),
  logRuns: setting<LogRuns>(
    'LOG_RUNS',
    'failures or all',
    'failures',
    z.enum(['failures', 'all']),
    'Which runs of endpoints always have a line in the log. Those that are not failures are sampled as other requests are.',
  ),
  metricsEndpoints: setting<number>(
    'METRICS_ENDPOINTS',
    'endpoints',
    0,
    wholeNumber(0, 500),
    'So many endpoints, those that are run most, have metrics of their own; the others are one series together.',
  ),
  slowRequestMs: setting<number>(
    'SLOW_REQUEST_MS',
    'milliseconds',
    1000,
    wholeNumber(0, 3_600_000),
    'A request that takes so long or longer is always logged.',
  ),
} as const;
