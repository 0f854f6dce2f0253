import { parseByType } from '../sql/param-value.ts';
import type { ShapeEnum, TypeRef } from './shape.ts';

interface Target {
  readonly type: TypeRef;
  readonly enums: readonly ShapeEnum[];
}

/**
 * A variable's default as a value of its argument's type: `"10"` becomes 10 for an Int. Whole numbers that a double
 * cannot hold are strings of digits, and so is every HugeInt. Undefined when the type cannot represent the value
 * exactly.
 */
export function conformDefault(value: unknown, { type, enums }: Target): unknown {
  if (value === null || value === undefined) return null;
  if ('list' in type) return conformList(value, { type: type.list, enums });
  const members = enums.find(({ name }) => name === type.name)?.members;
  if (members !== undefined) return members.find((member) => member === value);
  switch (type.name) {
    case 'Int':
      return toInt(value);
    case 'BigInt':
      return toDigits(value);
    case 'HugeInt':
      return toDigits(value)?.toString();
    case 'Float':
      return toFloat(value);
    case 'Boolean': {
      const read = parseByType('Bool', textOf(value) ?? '');
      return typeof read === 'boolean' ? read : undefined;
    }
    case 'JSON':
      return withoutBigInts(value);
    default:
      return textOf(value);
  }
}

/**
 * Whether a conformed, non-null default can be written in a schema. Objects cannot: libraries could not print them
 * again.
 */
export function isWritable(value: unknown, isItem = false): boolean {
  if (Array.isArray(value)) return value.every((item) => isWritable(item, true));
  if (value === null || value === undefined) return isItem;
  return typeof value !== 'object';
}

function conformList(value: unknown, items: Target): unknown {
  const list: unknown = typeof value === 'string' ? parseByType('Array(String)', value) : value;
  if (!Array.isArray(list)) return undefined;
  const conformed = list.map((item: unknown) => conformDefault(item, items));
  const isWrong = (item: unknown): boolean =>
    item === undefined || (item === null && items.type.nonNull);
  return conformed.some(isWrong) ? undefined : conformed;
}

/** A scalar as text; undefined when it is not a scalar. */
function textOf(value: unknown): string | undefined {
  return typeof value === 'object' ? undefined : String(value as string | number | boolean);
}

function toDigits(value: unknown): number | string | undefined {
  const text = textOf(value)?.trim() ?? '';
  if (typeof value === 'number') return Number.isSafeInteger(value) ? value : undefined;
  if (!/^[+-]?\d+$/.test(text)) return undefined;
  const number = Number(text);
  return Number.isSafeInteger(number) ? number : text.replace(/^\+/, '');
}

function toInt(value: unknown): number | undefined {
  const number = toDigits(value);
  return typeof number === 'number' && (number | 0) === number ? number : undefined;
}

function toFloat(value: unknown): number | undefined {
  const text = textOf(value)?.trim() ?? '';
  const number = typeof value === 'number' ? value : Number(text === '' ? Number.NaN : text);
  // Libraries print it without its sign.
  if (Object.is(number, -0)) return undefined;
  if (typeof value === 'number') return value;
  const isLong = Number.isInteger(number) && !Number.isSafeInteger(number);
  return Number.isFinite(number) && !isLong ? number : undefined;
}

function withoutBigInts(value: unknown): unknown {
  if (typeof value === 'bigint') return value.toString();
  if (Array.isArray(value)) return value.map(withoutBigInts);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, withoutBigInts(member)]),
  );
}
