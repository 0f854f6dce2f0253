/** Formats values of one ClickHouse scalar type as the engine's text, not yet escaped or quoted. */

import {
  decimalParts,
  decimalText,
  exactDigits,
  isDecimal,
  mayHaveLostDigits,
} from '../lib/decimal-text.ts';
import { isUuid } from '../lib/ids.ts';
import { ownValue } from '../lib/own-value.ts';
import { type ClickHouseType, enumMembers, numberArgument, typeToText } from './clickhouse-type.ts';
import {
  clockDecimals,
  clockText,
  dateText,
  dateTimeText,
  isTimeWithoutPlus,
} from './param-time.ts';

/** Its message describes the accepted values; `formatParam` prepends the input's name. */
export class ParamRefusal extends Error {}

/** Enough for 256 bits and leading zeros; parsing more is slow and can only fail. */
const maxIntegerText = 1000;
const INTEGER = /^[+-]?\d+$/;
const decimalPrecision: Readonly<Record<string, number>> = {
  Decimal32: 9,
  Decimal64: 18,
  Decimal128: 38,
  Decimal256: 76,
};

type ToText = (value: unknown, type: ClickHouseType) => string | null;

/** By type name: a function to the text that returns null for an invalid value, and a description of valid values. */
const scalars: Readonly<Record<string, readonly [ToText, (type: ClickHouseType) => string]>> = {
  String: [plainText, () => 'a string'],
  FixedString: [
    fixedString,
    (t) => `a string of at most ${numberArgument(t, 0) ?? 0} bytes (${typeToText(t)})`,
  ],
  Float32: [floatText, floatTakes],
  Float64: [floatText, floatTakes],
  BFloat16: [floatText, floatTakes],
  Bool: [boolText, () => 'true or false'],
  Date: [dateText, () => 'a date as YYYY-MM-DD from 1970-01-01 to 2149-06-06'],
  Date32: [dateText, () => 'a date as YYYY-MM-DD from 1900-01-01 to 2299-12-31'],
  DateTime: [
    dateTimeText,
    () =>
      'a time in ISO 8601 in whole seconds, as in 2001-01-01T00:00:00Z, from 1970 to 2106-02-07T06:28:15Z',
  ],
  DateTime64: [
    dateTimeText,
    (t) =>
      `a time in ISO 8601 with at most ${numberArgument(t, 0) ?? 3} fractional digits, as in 2001-01-01T00:00:00Z, from 1900 to 2299`,
  ],
  Time: [clockText, clockTakes],
  Time64: [clockText, clockTakes],
  UUID: [uuidText, () => 'a UUID as 01234567-89ab-cdef-0123-456789abcdef'],
  IPv4: [(v) => (isIPv4(v) ? v : null), () => 'an IPv4 address, as in 192.0.2.1'],
  IPv6: [(v) => (isIPv6(v) || isIPv4(v) ? v : null), () => 'an IPv6 address, as in 2001:db8::1'],
  Enum: [enumText, enumTakes],
  Enum8: [enumText, enumTakes],
  Enum16: [enumText, enumTakes],
  JSON: [(v) => (v !== null && typeof v === 'object' ? jsonText(v) : null), () => 'an object'],
};

/** JSON that keeps every digit of large whole numbers. */
function jsonText(value: object): string {
  const { rawJSON } = JSON as unknown as { readonly rawJSON: (text: string) => unknown };
  return JSON.stringify(value, (_key, member: unknown) =>
    typeof member === 'bigint' ? rawJSON(String(member)) : member,
  );
}

/** @throws ParamRefusal for an invalid value. */
export function scalarText(type: ClickHouseType, value: unknown): string {
  if (type.name === 'Identifier') {
    throw new ParamRefusal(
      'cannot be the name of a table or a column: write the name in the query.',
    );
  }
  const range = integerRange(type.name);
  if (range !== null) {
    const takes = `must be an integer from ${range.min} to ${range.max} (${type.name}).`;
    return accepted(integerText(value, range), takes);
  }
  if (type.name.startsWith('Decimal')) {
    return accepted(decimalValueText(value, type), `must be ${decimalTakes(type)}.`);
  }
  const scalar = ownValue(scalars, type.name);
  if (scalar === undefined) {
    return accepted(plainText(value), `must be ${typeToText(type)} as a string.`);
  }
  const text = scalar[0](value, type);
  if (text !== null) return text;
  const plus = isTimeWithoutPlus(value) ? ', with + written as %2B in a URL' : '';
  throw new ParamRefusal(`must be ${scalar[1](type)}${plus}.`);
}

function accepted(text: string | null, refusal: string): string {
  if (text === null) throw new ParamRefusal(refusal);
  return text;
}

/** Whether a value of the type is unquoted inside an array. */
export function isBare(type: ClickHouseType): boolean {
  return (
    integerRange(type.name) !== null || /^(Decimal|Float|BFloat|Bool|Interval)/.test(type.name)
  );
}

interface IntegerRange {
  readonly min: bigint;
  readonly max: bigint;
}

function integerRange(name: string): IntegerRange | null {
  const match = /^(U?)Int(8|16|32|64|128|256)$/.exec(name);
  if (match === null) return /^Interval[A-Z]/.test(name) ? integerRange('Int64') : null;
  const bits = BigInt(match[2] ?? '64');
  return match[1] === 'U'
    ? { min: 0n, max: (1n << bits) - 1n }
    : { min: -(1n << (bits - 1n)), max: (1n << (bits - 1n)) - 1n };
}

/** A number beyond 2^53 lost digits when JSON was parsed, so only text is accepted. */
function integerText(value: unknown, range: IntegerRange): string | null {
  const text = typeof value === 'string' ? value.trim() : wholeNumberText(value);
  if (text === null || text.length > maxIntegerText || !INTEGER.test(text)) return null;
  const exact = BigInt(text.startsWith('+') ? text.slice(1) : text);
  return exact >= range.min && exact <= range.max ? exact.toString() : null;
}

function wholeNumberText(value: unknown): string | null {
  if (typeof value === 'bigint') return value.toString();
  return Number.isSafeInteger(value) ? BigInt(value as number).toString() : null;
}

/** Larger numbers would become infinite. */
const largestFloat: Readonly<Record<string, number>> = {
  BFloat16: 3.3895313892515355e38,
  Float32: 3.4028234663852886e38,
  Float64: Number.MAX_VALUE,
};

function floatText(value: unknown, type: ClickHouseType): string | null {
  const given = typeof value === 'string' ? value.trim() : numberText(value);
  const text = Object.is(value, -0) ? '-0' : given;
  if (text !== null && /^[+-]?(nan|inf|infinity)$/i.test(text)) return text.toLowerCase();
  if (text === null || !isDecimal(text)) return null;
  const largest = ownValue(largestFloat, type.name) ?? Number.MAX_VALUE;
  return Math.abs(Number(text)) <= largest ? text : null;
}

function numberText(value: unknown): string | null {
  if (typeof value === 'bigint') return value.toString();
  return typeof value === 'number' && Number.isFinite(value) ? String(value) : null;
}

function floatTakes({ name }: ClickHouseType): string {
  return `a number that a ${name} can hold`;
}

function clockTakes(type: ClickHouseType): string {
  const decimals = clockDecimals(type);
  const digits = decimals === 0 ? '' : ` with at most ${decimals} fractional digits`;
  return `a time as hh:mm:ss${digits}, from -999:59:59 to 999:59:59`;
}

function decimalShape(type: ClickHouseType): { precision: number; scale: number } {
  const fixed = ownValue(decimalPrecision, type.name);
  if (fixed !== undefined) return { precision: fixed, scale: numberArgument(type, 0) ?? 0 };
  return { precision: numberArgument(type, 0) ?? 10, scale: numberArgument(type, 1) ?? 0 };
}

function decimalTakes(type: ClickHouseType): string {
  const { precision, scale } = decimalShape(type);
  return `a decimal number of at most ${precision - scale} digits before and ${scale} after the decimal point, preferably as a string`;
}

function requireExactNumber(value: unknown): void {
  if (typeof value !== 'number' || !mayHaveLostDigits(value)) return;
  throw new ParamRefusal(
    `must be a string to keep its digits: a JSON number has ${exactDigits} of them.`,
  );
}

function decimalValueText(value: unknown, type: ClickHouseType): string | null {
  const isNumber = typeof value === 'number' || typeof value === 'bigint';
  const parts = decimalParts(typeof value === 'string' || isNumber ? String(value) : '');
  if (parts === null) return null;
  const { whole, fraction } = parts;
  const { precision, scale } = decimalShape(type);
  if (whole.length > precision - scale || fraction.length > scale) return null;
  requireExactNumber(value);
  return decimalText(parts);
}

function boolText(value: unknown): string | null {
  if (value === true || value === 1 || value === 'true' || value === '1') return 'true';
  if (value === false || value === 0 || value === 'false' || value === '0') return 'false';
  return null;
}

/** Accepts a number or a boolean for a string, as its JSON text. */
function plainText(value: unknown): string | null {
  if (typeof value === 'string') return value;
  return typeof value === 'boolean' ? String(value) : numberText(value);
}

function fixedString(value: unknown, type: ClickHouseType): string | null {
  const text = plainText(value);
  if (text === null || Buffer.byteLength(text) > (numberArgument(type, 0) ?? 0)) return null;
  return text;
}

function enumText(value: unknown, type: ClickHouseType): string | null {
  return typeof value === 'string' && enumMembers(type).includes(value) ? value : null;
}

function enumTakes(type: ClickHouseType): string {
  return `one of ${enumMembers(type)
    .map((member) => JSON.stringify(member))
    .join(', ')}`;
}

function uuidText(value: unknown): string | null {
  return typeof value === 'string' && isUuid(value) ? value : null;
}

function isIPv4(value: unknown): value is string {
  if (typeof value !== 'string') return false;
  const parts = value.split('.');
  return (
    parts.length === 4 &&
    parts.every((part) => /^(?:0|[1-9]\d{0,2})$/.test(part) && Number(part) < 256)
  );
}

function isIPv6(value: unknown): value is string {
  return typeof value === 'string' && value.includes(':') && URL.canParse(`http://[${value}]/`);
}
