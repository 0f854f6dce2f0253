/** Formats ISO 8601 dates and times as the engine's text. */
import { withoutZerosAtEnd } from '../lib/decimal-text.ts';
import { ownValue } from '../lib/own-value.ts';
import { type ClickHouseType, numberArgument, unquote } from './clickhouse-type.ts';

const DATE = /^(\d{4})-(\d\d)-(\d\d)$/;
const TIME =
  /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:\.(\d+))?)?)?(Z|[+-]\d\d(?::?\d\d)?)?$/i;

const dateRange: Readonly<Record<string, readonly [string, string]>> = {
  Date: ['1970-01-01', '2149-06-06'],
  Date32: ['1900-01-01', '2299-12-31'],
};

/** Null when the value is not a calendar date, or one that the type cannot hold. */
export function dateText(value: unknown, type: ClickHouseType): string | null {
  if (typeof value !== 'string' || !isCalendarDate(value)) return null;
  const [first, last] = ownValue(dateRange, type.name) ?? ['0000-01-01', '9999-12-31'];
  return value >= first && value <= last ? value : null;
}

/** Whether the text is YYYY-MM-DD and names an existing day. */
export function isCalendarDate(text: string): boolean {
  if (!DATE.test(text)) return false;
  const time = Date.parse(`${text}T00:00:00Z`);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
}

/** More than any time zone is ahead of UTC or behind it. */
export const daySeconds = 86_400;

const secondsRange: Readonly<Record<string, readonly [number, number]>> = {
  DateTime: [0, 4_294_967_295],
  DateTime64: [-2_208_988_800, 10_413_791_999],
};

/** An ISO 8601 time, with a `T` or a space before the hours. */
interface TimeParts {
  /** Local date and time, `YYYY-MM-DD hh:mm:ss`. */
  readonly local: string;
  /** Since 1970; UTC when the text has no offset. */
  readonly seconds: number;
  /** Fraction digits of the second, without trailing zeros. */
  readonly decimals: string;
  readonly hasOffset: boolean;
}

/** Null when the text is not a time, or does not exist in the calendar. */
export function timeParts(text: string): TimeParts | null {
  const match = TIME.exec(text.trim());
  if (match === null) return null;
  const [, day = '', hour = '00', minute = '00', second = '00', fraction = '', offset] = match;
  if (!isCalendarDate(day) || Number(hour) > 23 || Number(minute) > 59 || Number(second) > 59) {
    return null;
  }
  const time = `${hour}:${minute}:${second}`;
  const seconds = Date.parse(`${day}T${time}Z`) / 1000 - offsetSeconds(offset);
  const decimals = withoutZerosAtEnd(fraction);
  return { local: `${day} ${time}`, seconds, decimals, hasOffset: offset !== undefined };
}

/** Whether the value is a time with an offset whose `+` a URL has made a space, as in `2001-05-31T12:00:00 02:00`. */
export function isTimeWithoutPlus(value: unknown): boolean {
  return typeof value === 'string' && /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d\S* \d\d:?\d\d$/.test(value);
}

/** PostgreSQL has no year 0, and ISO 8601 writes later years with a sign. */
const firstInstant = Date.parse('0001-01-01T00:00:00Z');
const lastInstant = Date.parse('9999-12-31T23:59:59.999Z');

/** What `instantOf` accepts, for messages. */
export const instantForm = 'in ISO 8601, as in 2001-05-31T12:00:00Z, in the years 1 to 9999 in UTC';

/**
 * The instant of an ISO 8601 date or time, in UTC without an offset; digits after the milliseconds are cut off. Null for
 * any other text, and outside the years 1 to 9999 in UTC.
 */
export function instantOf(text: string): Date | null {
  const parts = timeParts(text);
  if (parts === null) return null;
  const ms = parts.seconds * 1000 + Number(parts.decimals.padEnd(3, '0').slice(0, 3));
  return ms < firstInstant || ms > lastInstant ? null : new Date(ms);
}

/**
 * Seconds since 1970, which no time zone of a type or a server changes. A text without an offset is in UTC, or in the
 * type's own time zone if it has one.
 */
export function dateTimeText(value: unknown, type: ClickHouseType): string | null {
  const parts = typeof value === 'string' ? timeParts(value) : null;
  if (parts === null) return null;
  const { local, seconds, decimals, hasOffset } = parts;
  const isDateTime64 = type.name === 'DateTime64';
  if (decimals.length > (isDateTime64 ? (numberArgument(type, 0) ?? 3) : 0)) return null;
  const [first, last] = ownValue(secondsRange, type.name) ?? [0, 0];
  if (seconds < first - daySeconds || seconds > last + daySeconds) return null;
  const zone = (type.args ?? [])[isDateTime64 ? 1 : 0];
  const isLocal = zone !== undefined && !hasOffset;
  const instant = isLocal ? seconds - zoneOffset(seconds, zone.text) : seconds;
  if (instant < first || instant > last) return null;
  // Near the ends of the range, the engine would not read the local time.
  if (isLocal && (seconds < first || seconds > last)) return unixText(instant, decimals);
  if (isLocal) return `${local}${decimals === '' ? '' : `.${decimals}`}`;
  // The engine loses the sign of the last second before 1970, which has no whole part.
  if (seconds === -1 && decimals !== '') return `${wallClock(seconds, zone?.text)}.${decimals}`;
  return unixText(seconds, decimals);
}

/** Local date and time in a time zone, which is quoted as in the type; UTC without one. */
function wallClock(seconds: number, quotedZone: string | undefined): string {
  const at = new Date(seconds * 1000);
  try {
    return at.toLocaleString('sv-SE', { timeZone: unquote(quotedZone ?? 'UTC') });
  } catch (error) {
    // Of the zones that the engine knows, only Factory is unknown here; it is UTC.
    if (error instanceof RangeError) return at.toLocaleString('sv-SE', { timeZone: 'UTC' });
    throw error;
  }
}

/** Seconds by which the local time of a zone is ahead of UTC. */
function zoneOffset(seconds: number, quotedZone: string): number {
  return Date.parse(`${wallClock(seconds, quotedZone).replace(' ', 'T')}Z`) / 1000 - seconds;
}

function offsetSeconds(offset: string | undefined): number {
  if (offset === undefined || /^z$/i.test(offset)) return 0;
  const digits = offset.slice(1).replace(':', '').padEnd(4, '0');
  const seconds = Number(digits.slice(0, 2)) * 3600 + Number(digits.slice(2)) * 60;
  return offset.startsWith('-') ? -seconds : seconds;
}

/** At least ten digits: the engine parses a shorter text as a year. */
function unixText(seconds: number, decimals: string): string {
  if (decimals === '') {
    const digits = String(Math.abs(seconds)).padStart(10, '0');
    return seconds < 0 ? `-${digits}` : digits;
  }
  if (seconds >= 0) return `${String(seconds).padStart(10, '0')}.${decimals}`;
  const scale = 10n ** BigInt(decimals.length);
  const ticks = -(BigInt(seconds) * scale + BigInt(decimals));
  const whole = String(ticks / scale).padStart(10, '0');
  const part = String(ticks % scale).padStart(decimals.length, '0');
  return `-${whole}.${part}`;
}

const CLOCK = /^-?\d{1,3}:[0-5]\d:[0-5]\d(?:\.(\d{1,9}))?$/;

/** A time of day or a duration for Time and Time64; null for another text, or one with more decimals than the type. */
export function clockText(value: unknown, type: ClickHouseType): string | null {
  const match = typeof value === 'string' ? CLOCK.exec(value.trim()) : null;
  if (match === null) return null;
  const decimals = withoutZerosAtEnd(match[1] ?? '').length;
  return decimals > clockDecimals(type) ? null : match[0];
}

export function clockDecimals(type: ClickHouseType): number {
  return type.name === 'Time64' ? (numberArgument(type, 0) ?? 3) : 0;
}
