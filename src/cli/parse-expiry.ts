import { lastExpiry } from '../access/create-key.ts';
import { instantOf } from '../sql/param-time.ts';
import { UsageError } from './usage-error.ts';

const daysOf: Readonly<Record<string, number>> = { w: 7, d: 1, h: 1 / 24, m: 1 / 1440 };
const dayMs = 86_400_000;

/** `30d`, `12h`, `90m`, `2w` from now, or an ISO 8601 date or time. Throws a UsageError for anything else. */
export function parseExpiry(given: string, now: Date): Date {
  const span = /^(\d{1,6})([wdhm])$/.exec(given.trim());
  const days = Number(span?.[1]) * (daysOf[span?.[2] ?? ''] ?? Number.NaN);
  const expiry = span === null ? instantOf(given) : new Date(now.getTime() + days * dayMs);
  if (expiry !== null && expiry > lastExpiry) {
    throw new UsageError(
      `"${given}" is after the year 9999. For a key that does not expire, leave out --expires.`,
    );
  }
  if (expiry !== null) return expiry;
  throw new UsageError(
    `"${given}" is not an expiry. --expires takes a duration such as 30d, 12h or 90m, or a date such as 2030-01-31.`,
  );
}
