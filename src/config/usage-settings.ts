/** What is recorded of runs, and how long it is kept. */
import { setting, wholeNumber } from './setting.ts';

export const usageSettings = {
  slowExecutionMs: setting<number>(
    'SLOW_EXECUTION_MS',
    'milliseconds',
    1000,
    wholeNumber(0, 86_400_000),
    'The plan of an execution on source data that took at least this long at the engine, or failed there, is recorded.',
  ),
  usageMinuteDays: setting<number>(
    'USAGE_MINUTE_DAYS',
    'days',
    30,
    wholeNumber(1, 3650),
    'Older usage by minute is deleted.',
  ),
  usageHourDays: setting<number>(
    'USAGE_HOUR_DAYS',
    'days',
    396,
    wholeNumber(1, 3650),
    'Older usage by hour is deleted; 396 days cover 13 months.',
  ),
  usageDayDays: setting<number>(
    'USAGE_DAY_DAYS',
    'days',
    1827,
    wholeNumber(1, 36_500),
    'Older usage by day is deleted; 1827 days are 5 years.',
  ),
} as const;
