/** How long what was counted of runs is kept. */
import { setting, wholeNumber } from './setting.ts';

export const usageSettings = {
  usageMinuteDays: setting<number>(
    'USAGE_MINUTE_DAYS',
    'days',
    30,
    wholeNumber(1, 3650),
    'Usage by minute is kept for so long.',
  ),
  usageHourDays: setting<number>(
    'USAGE_HOUR_DAYS',
    'days',
    396,
    wholeNumber(1, 3650),
    'Usage by hour is kept for so long: 13 months.',
  ),
  usageDayDays: setting<number>(
    'USAGE_DAY_DAYS',
    'days',
    1827,
    wholeNumber(1, 36_500),
    'Usage by day is kept for so long: 5 years.',
  ),
} as const;
