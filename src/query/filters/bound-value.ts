/** A filter's value as a parameter of its column's type. Pure. */
import { invalidInput, type ServiceError } from '../../errors/service-error.ts';
import {
  type DecimalParts,
  decimalParts,
  exactDigits,
  mayHaveLostDigits,
} from '../../lib/decimal-text.ts';
import { type ClickHouseType, enumMembers, typeToText } from '../../sql/clickhouse-type.ts';
import { timeParts } from '../../sql/param-time.ts';
import { formatParam } from '../../sql/param-value.ts';
import { isBeyondNanoseconds, isTimeType, toTimeParam } from '../../sql/time-text.ts';
import { type ExactNumber, fitNumber, isExactNumber, wholeDigits } from './exact-number.ts';
import type { FilterValue, PropertyFilter } from './parse-filters.ts';

/** A value with the type of its parameter. */
export interface BoundValue {
  readonly type: string;
  readonly value: FilterValue;
}

/** Types whose values callers write as variables of the type. The others are compared by their texts. */
const WRITTEN =
  /^(?:String|FixedString|Enum8|Enum16|Bool|UUID|IPv4|IPv6|Float32|Float64|BFloat16|Time|Time64)$/;
/** Types whose values the engine compares with texts in the same way. */
const AS_TEXT = /^(?:FixedString|Enum8|Enum16)$/;

export function isTyped(type: ClickHouseType): boolean {
  return isTimeType(type) || isExactNumber(type) || WRITTEN.test(type.name);
}

export function boundType(type: ClickHouseType): string {
  return AS_TEXT.test(type.name) ? 'String' : typeToText(type);
}

/** Null for a value that no row can have: a time that no type of the engine can hold, or a number between two of the type. */
export function boundValue(
  filter: PropertyFilter,
  type: ClickHouseType,
  value: FilterValue,
): BoundValue | null {
  if (isTimeType(type)) return boundTime(filter, type, value);
  if (isExactNumber(type)) {
    const number = exactNumber(filter, type, value);
    return number.isBetween ? null : number;
  }
  if (type.name.startsWith('Enum')) requireMember(filter, type, value);
  // Its values are bound as texts of any length.
  if (type.name === 'FixedString') formatParam(typeToText(type), value, `${filter.attr}.value`);
  return { type: boundType(type), value };
}

/** Without the names of the members: they may be those of a column that the query does not return. */
function requireMember(filter: PropertyFilter, type: ClickHouseType, value: FilterValue): void {
  if (typeof value === 'string' && enumMembers(type).includes(value)) return;
  throw refused(filter, `must be a member of the enum of the column "${filter.key}".`);
}

function boundTime(
  filter: PropertyFilter,
  type: ClickHouseType,
  value: FilterValue,
): BoundValue | null {
  const text = String(value);
  if (isBeyondNanoseconds(text, type)) return null;
  const time = toTimeParam(text, type);
  if (typeof time !== 'string')
    return { type: time.type, value: time.type.startsWith('DateTime') ? text : time.text };
  if (time === 'other' && timeParts(text) !== null) return null;
  throw refused(
    filter,
    `must be a date or a time in ISO 8601 with at most 9 fractional digits, as in 2001-01-01 or 2001-01-01T00:00:00Z: ${typeOfColumn(filter, type)}.`,
  );
}

export function exactNumber(
  filter: PropertyFilter,
  type: ClickHouseType,
  value: FilterValue,
): ExactNumber {
  const number = fitNumber(type, digitsOf(filter, type, value));
  if (number === null) {
    throw refused(
      filter,
      `must be a number of at most ${wholeDigits(type)} digits before the point: ${typeOfColumn(filter, type)}.`,
    );
  }
  return number;
}

/** All digits of a number. Throws for other values. */
export function digitsOf(
  filter: PropertyFilter,
  type: ClickHouseType,
  value: FilterValue,
): DecimalParts {
  const parts = typeof value === 'boolean' ? null : decimalParts(String(value));
  if (parts === null) throw refused(filter, `must be a number: ${typeOfColumn(filter, type)}.`);
  if (typeof value === 'number') requireAllDigits(filter, value);
  return parts;
}

function requireAllDigits(filter: PropertyFilter, value: number): void {
  if (!mayHaveLostDigits(value)) return;
  throw refused(
    filter,
    `must be a string to keep its digits: a JSON number has ${exactDigits} of them.`,
  );
}

export function refused({ attr }: PropertyFilter, what: string): ServiceError {
  return invalidInput(`${attr}.value`, `${attr}.value ${what}`);
}

export function typeOfColumn({ key }: PropertyFilter, type: ClickHouseType): string {
  return `the column "${key}" is of type ${typeToText(type)}`;
}
