/** An initial value for a variable without a default, so that the documented example runs unchanged. */
import { ownValue } from '../lib/own-value.ts';
import type { Variable } from '../query/variables.ts';
import {
  type ClickHouseType,
  elementTypes,
  enumMembers,
  innerType,
  parseClickHouseType,
  unquote,
} from '../sql/clickhouse-type.ts';
import { integerBits, isDecimal, isFloat } from './json-schema-of-type.ts';

/** "IATA code, such as SFO": the author's example is better than any generated one. */
const NAMED = /\b(?:such as|for example|e\.g\.|example:)\s*["'“`]?([\w][\w:+/-]*)/i;

/** For a text variable, the example in its description, else one by type. */
export function exampleOf({ type, description }: Variable): unknown {
  if (type === 'Number') return 1;
  if (type === 'Boolean') return true;
  if (type === 'List') return ['example'];
  const parsed = parseClickHouseType(type);
  const named = NAMED.exec(description)?.[1];
  return named !== undefined && isText(parsed) ? named : exampleOfType(parsed);
}

function isText(type: ClickHouseType): boolean {
  if (/^(Nullable|LowCardinality)$/.test(type.name)) return isText(innerType(type));
  return type.name === 'String';
}

const scalars: Readonly<Record<string, unknown>> = {
  Bool: true,
  Date: '2024-01-01',
  Date32: '2024-01-01',
  DateTime: '2024-01-01T00:00:00Z',
  DateTime32: '2024-01-01T00:00:00Z',
  DateTime64: '2024-01-01T00:00:00Z',
  Time: '12:00:00',
  Time64: '12:00:00',
  UUID: '00000000-0000-4000-8000-000000000000',
  FixedString: 'a',
  IPv4: '127.0.0.1',
  IPv6: '::1',
  JSON: {},
  Point: [0, 0],
};

type ToExample = (type: ClickHouseType) => unknown;

const constructors: Readonly<Record<string, ToExample>> = {
  Nullable: (type) => exampleOfType(innerType(type)),
  LowCardinality: (type) => exampleOfType(innerType(type)),
  Array: (type) => [exampleOfType(innerType(type))],
  Nested: (type) => [tupleExample(type)],
  Tuple: tupleExample,
  Map: (type) => mapExample(elementTypes(type)),
};

function exampleOfType(type: ClickHouseType): unknown {
  if (isFloat(type) || integerBits(type) !== null) return 1;
  if (isDecimal(type)) return '1';
  if (/^Enum(8|16)?$/.test(type.name)) return enumMembers(type)[0] ?? '';
  const scalar = ownValue(scalars, type.name);
  return scalar ?? ownValue(constructors, type.name)?.(type) ?? 'example';
}

function tupleExample(type: ClickHouseType): unknown {
  const parts = (type.args ?? []).map((arg) => ({
    label: arg.label,
    value: arg.type === null ? 'example' : exampleOfType(arg.type),
  }));
  const isLabelled = parts.length > 0 && parts.every(({ label }) => label !== null);
  if (!isLabelled) return parts.map(({ value }) => value);
  return Object.fromEntries(parts.map(({ label, value }) => [unquote(label ?? ''), value]));
}

function mapExample([key, value]: readonly ClickHouseType[]): unknown {
  if (key === undefined || value === undefined) return {};
  return { [String(exampleOfType(key))]: exampleOfType(value) };
}
