import { invalidInput } from '../errors/service-error.ts';
import { isCalendarDate } from '../sql/param-time.ts';

const RELATIVE = /^-(\d{1,4})([hdwmy])$/;
const DATE = /^\d{4}-\d{2}-\d{2}$/;
const DATE_TIME = /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:?\d{2})?$/;

/**
 * The instant of a date that a caller wrote: an ISO date or date-time (UTC without an offset), or a relative one such
 * as `-7d` (h, d, w, m, y). Relative dates are truncated to the hour for `h` and to the day for others, so that a
 * result can be cached for that long.
 */
export function resolveDate(value: string, now: Date, attr: string): Date {
  const date = toDate(value, now, attr);
  const year = date.getUTCFullYear();
  if (year >= 1900 && year <= 2299) return date;
  throw invalidInput(attr, 'A date must be in the years 1900 to 2299.');
}

function toDate(value: string, now: Date, attr: string): Date {
  const relative = RELATIVE.exec(value);
  if (relative !== null) return countBack(now, Number(relative[1]), relative[2] ?? 'd');
  if ((DATE.test(value) || DATE_TIME.test(value)) && isCalendarDate(value.slice(0, 10))) {
    const iso = DATE.test(value) ? `${value}T00:00:00Z` : withOffset(value.replace(' ', 'T'));
    const date = new Date(iso);
    if (!Number.isNaN(date.getTime())) return date;
  }
  throw invalidInput(
    attr,
    'A date must be in ISO 8601 (2001-05-31 or 2001-05-31T12:00:00Z) or relative (-7d, -12h, -1m).',
  );
}

/** The end of a date range. */
export interface DateEnd {
  readonly at: Date;
  /** Whether the range includes `at`. */
  readonly isIncluded: boolean;
}

/** The end for a `date_to`: a day is included completely, so the range ends before the next one. */
export function resolveDateEnd(value: string, now: Date, attr: string): DateEnd {
  const date = resolveDate(value, now, attr);
  if (!DATE.test(value)) return { at: date, isIncluded: true };
  return { at: new Date(date.getTime() + 24 * 3_600_000), isIncluded: false };
}

function withOffset(dateTime: string): string {
  return /(Z|[+-]\d{2}:?\d{2})$/.test(dateTime) ? dateTime : `${dateTime}Z`;
}

function countBack(now: Date, count: number, unit: string): Date {
  const date = new Date(now);
  if (unit === 'h') {
    date.setUTCMinutes(0, 0, 0);
    date.setUTCHours(date.getUTCHours() - count);
    return date;
  }
  date.setUTCHours(0, 0, 0, 0);
  if (unit === 'd') date.setUTCDate(date.getUTCDate() - count);
  if (unit === 'w') date.setUTCDate(date.getUTCDate() - 7 * count);
  if (unit === 'm') return monthsBefore(date, count);
  return unit === 'y' ? monthsBefore(date, 12 * count) : date;
}

/** The same day and time that many months earlier, capped at the last day of that month. */
export function monthsBefore(date: Date, months: number): Date {
  const earlier = new Date(date);
  earlier.setUTCMonth(date.getUTCMonth() - months);
  if (earlier.getUTCDate() !== date.getUTCDate()) earlier.setUTCDate(0);
  return earlier;
}
