/**
 * Texts that a query compares with dates and times, as typed parameters. The engine parses such a text in several ways:
 * a comparison of columns accepts ISO 8601 and drops decimals that the column's type lacks; IN and its indexes only
 * accept `YYYY-MM-DD hh:mm:ss`. A value of the column's own type means the same to all of them. Pure.
 */
import {
  type ClickHouseType,
  numberArgument,
  parseClickHouseType,
  typeToText,
} from './clickhouse-type.ts';
import { dateText, dateTimeText, daySeconds, isCalendarDate, timeParts } from './param-time.ts';

export interface TimeParam {
  readonly type: string;
  /** The text as `formatParam` writes it, without quotes. */
  readonly text: string;
}

/**
 * Why a text has no value here: it is not an ISO 8601 time, or is beyond the engine's range; or it has too many
 * decimals.
 */
export type UnreadTime = 'other' | 'too many decimals';

/** The engine's precision is nanoseconds. */
const MAX_DECIMALS = 9;

export function isTimeType({ name }: ClickHouseType): boolean {
  return /^(Date|Date32|DateTime|DateTime64)$/.test(name);
}

/** How many digits of a second a date or time has. */
export function decimalsOf(type: ClickHouseType): number {
  return type.name === 'DateTime64' ? (numberArgument(type, 0) ?? 3) : 0;
}

/**
 * The text as a value of the compared type or, where that type cannot hold it, of a larger one: a time with more
 * decimals, or one other than midnight for a date. A text without an offset is in the type's time zone, else in UTC.
 *
 * @param type must satisfy `isTimeType`.
 */
export function toTimeParam(text: string, type: ClickHouseType): TimeParam | UnreadTime {
  const parts = timeParts(text);
  if (parts === null) return 'other';
  if (parts.decimals.length > MAX_DECIMALS) return 'too many decimals';
  const own = type.name.startsWith('DateTime') ? timeOf(text, type) : dayText(text, type);
  if (own !== null) return { type: typeToText(type), text: own };
  const wide = parseClickHouseType(`DateTime64(${parts.decimals.length}, ${zoneOf(type)})`);
  const widened = timeOf(text, wide);
  return widened === null ? 'other' : { type: typeToText(wide), text: widened };
}

/** The last second that 64-bit nanoseconds can represent, in the year 2262. */
const LAST_OF_NANOSECONDS = 9_223_372_035;

function timeOf(text: string, type: ClickHouseType): string | null {
  return isLaterThan(LAST_OF_NANOSECONDS - daySeconds, text, type)
    ? null
    : dateTimeText(text, type);
}

/** Whether the time is later than a DateTime64(9) can be in any time zone. The engine cannot compare the two. */
export function isBeyondNanoseconds(text: string, type: ClickHouseType): boolean {
  return isLaterThan(LAST_OF_NANOSECONDS + daySeconds, text, type);
}

function isLaterThan(last: number, text: string, type: ClickHouseType): boolean {
  const isNanoseconds = type.name === 'DateTime64' && numberArgument(type, 0) === MAX_DECIMALS;
  return isNanoseconds && (timeParts(text)?.seconds ?? 0) > last;
}

/** A day, or midnight UTC as its start; null for any other time. */
function dayText(text: string, type: ClickHouseType): string | null {
  if (isCalendarDate(text.trim())) return dateText(text.trim(), type);
  const parts = timeParts(text);
  if (parts === null || parts.decimals !== '' || parts.seconds % daySeconds !== 0) return null;
  return dateText(new Date(parts.seconds * 1000).toISOString().slice(0, 10), type);
}

function zoneOf(type: ClickHouseType): string {
  const at = type.name === 'DateTime64' ? 1 : 0;
  const zone = type.name.startsWith('DateTime') ? type.args?.[at]?.text : undefined;
  return zone ?? "'UTC'";
}

/** Describes valid texts, for messages. */
export function describeTimes(type: ClickHouseType): string {
  const scale = decimalsOf(type);
  const decimals = scale === 0 ? '' : `.${'0'.repeat(Math.min(scale, 3))}`;
  return `a date or a time in ISO 8601 with at most ${MAX_DECIMALS} fractional digits, such as 2001-01-01, 2001-01-01T00:00:00${decimals}Z, 2001-01-01T00:00:00+02:00 or 2001-01-01 00:00:00, or seconds since 1970`;
}
