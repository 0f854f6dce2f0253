/** Values of sort keys as texts that outlive a run: exact, or null where no text is. Pure. */

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

/** Of the texts of one row together; a cursor has to fit into a URL. */
const maxBytes = 1500;

const exact =
  /^(U?Int(8|16|32|64|128|256)|Float64|Decimal(32|64|128|256)?|Bool|String|FixedString|Date|Date32|DateTime|DateTime64|UUID|IPv4|IPv6|Enum8|Enum16)$/;

/** A value that is bound where rows are compared with it. */
export interface SortBound {
  /** The operand: a parameter, or an expression of one. */
  readonly operand: string;
  /** As the engine parses it. */
  readonly text: string;
}

/**
 * The value in a row's JSON as a text; undefined when the text is not exact: bytes that are not UTF-8 became U+FFFD, and
 * NaN and infinities null.
 *
 * @param json with numbers as the engine wrote them.
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

/** Null when one of them has no exact text, or they are too long. */
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

/** Whether two rows' values of a key are equal in the order. */
export function areEqualKeys(type: string, first: unknown, second: unknown): boolean {
  if (first === null || second === null) return first === second;
  return isFloat(valueTypeOf(type)) ? Number(first) === Number(second) : first === second;
}

/** @throws ServiceError `invalid_input` for a text that is no value of the type. */
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
