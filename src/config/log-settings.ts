/** Log settings. */
import { z } from 'zod';
import { setting, wholeNumber } from './setting.ts';

export type LogRuns = 'failures' | 'all';

export const logSettings = {
  accessLogEvery: setting<number>(
    'ACCESS_LOG_EVERY',
    'requests',
    100,
    wholeNumber(1, 1_000_000),
    'One in this many fast, successful requests of each operation is logged; failures and slow requests always are.',
  ),
  logRuns: setting<LogRuns>(
    'LOG_RUNS',
    'failures or all',
    'failures',
    z.enum(['failures', 'all'], 'is neither failures nor all'),
    'Which runs of endpoints are always logged. With failures, successful runs are sampled like other requests.',
  ),
  metricsEndpoints: setting<number>(
    'METRICS_ENDPOINTS',
    'endpoints',
    0,
    wholeNumber(0, 500),
    'Number of endpoints, those that are run most, with their own metrics; all others share one series.',
  ),
  slowRequestMs: setting<number>(
    'SLOW_REQUEST_MS',
    'milliseconds',
    1000,
    wholeNumber(0, 3_600_000),
    'A request that takes this long or longer is always logged.',
  ),
} as const;
