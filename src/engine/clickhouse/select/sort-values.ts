/** Values of sort keys as exact texts that can be stored in a cursor; null where there is no exact text. Pure. */

import { ServiceError } from '../../../errors/service-error.ts';
import {
  type ClickHouseType,
  isNullable,
  parseClickHouseType,
  typeToText,
} from '../../../sql/clickhouse-type.ts';
import { formatParam } from '../../../sql/param-value.ts';
import { valueTypeOf } from '../../../sql/value-type.ts';
import type { Column } from '../../query-engine.ts';
import { isFloat } from './sort-keys.ts';

/** Maximum bytes of one row's texts together; a cursor has to fit into a URL. */
const maxBytes = 1500;

const exact =
  /^(U?Int(8|16|32|64|128|256)|Float64|Decimal(32|64|128|256)?|Bool|String|FixedString|Date|Date32|DateTime|DateTime64|UUID|IPv4|IPv6|Enum8|Enum16)$/;

/** A parameter that rows are compared with. */
export interface SortBound {
  /** The SQL operand: a parameter, or an expression of one. */
  readonly operand: string;
  /** The value as the engine parses it. */
  readonly text: string;
}

/**
 * The text of a value from a row's JSON; undefined when it would be inexact: bytes that are not UTF-8 became U+FFFD,
 * NaN and infinities became null.
 *
 * @param json numbers must be as the engine wrote them.
 */
function sortValueOf(type: string, json: unknown): string | null | undefined {
  const value = valueTypeOf(type);
  if (!exact.test(value.name)) return undefined;
  if (json === null) return isFloat(value) ? undefined : null;
  const text = String(json as string | number | bigint);
  if (text.includes('\uFFFD')) return undefined;
  try {
    boundOf(type, text, '');
    return text;
  } catch {
    return undefined;
  }
}

/** Null when a value has no exact text, or they are too long. */
export function sortValuesOf(
  columns: readonly Column[],
  row: readonly unknown[],
): readonly (string | null)[] | null {
  const values: (string | null)[] = [];
  let bytes = 0;
  for (const [index, { type }] of columns.entries()) {
    const value = sortValueOf(type, row[index]);
    if (value === undefined) return null;
    bytes += value === null ? 4 : Buffer.byteLength(value);
    values.push(value);
  }
  return bytes > maxBytes ? null : values;
}

/** Whether two rows' values of a key sort as equal. */
export function areEqualKeys(type: string, first: unknown, second: unknown): boolean {
  if (first === null || second === null) return first === second;
  return isFloat(valueTypeOf(type)) ? Number(first) === Number(second) : first === second;
}

/** @throws ServiceError `invalid_input` for a text that is not a value of the type. */
export function boundOf(type: string, text: string, param: string): SortBound {
  const value = valueTypeOf(type);
  if (value.name === 'Float64') {
    // The engine's parser of decimal fractions may be off by one bit.
    return { operand: `reinterpretAsFloat64({${param}:UInt64})`, text: bitsOf(text) };
  }
  const name = typeToText(value);
  return {
    operand: `{${param}:${name}}`,
    text: formatParam(name, readBack(value, text), 'cursor'),
  };
}

export function hasNull(type: string): boolean {
  const tree = parseClickHouseType(type);
  const stored = tree.name === 'SimpleAggregateFunction' ? tree.args?.[1]?.type : null;
  return isNullable(stored ?? tree);
}

function readBack({ name }: ClickHouseType, text: string): unknown {
  return name === 'Bool' ? text === 'true' || (text === 'false' ? false : text) : text;
}

function bitsOf(text: string): string {
  const number = text === '' ? Number.NaN : Number(text);
  if (!Number.isFinite(number)) throw new ServiceError('invalid_input', 'no finite number');
  const bytes = Buffer.alloc(8);
  bytes.writeDoubleLE(number);
  return String(bytes.readBigUInt64LE());
}
