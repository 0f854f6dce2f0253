/** Splits a value into its floating point numbers and everything else, as expressions of the engine. Pure. */
import {
  type ClickHouseType,
  elementTypes,
  innerType,
  parseClickHouseType,
} from '../../../sql/clickhouse-type.ts';

/** Two values are equal when their `exact` parts are, and their `floats`, one by one. */
export interface Parts {
  /** What must be identical, including the number of floats; null for nothing. */
  readonly exact: string | null;
  /** An Array(Float64); null when there are no floats. */
  readonly floats: string | null;
}

const FLOAT = /^B?Float(16|32|64)$/;

/** @param value an expression of the type. A type that cannot be split is exact. */
export function splitFloats(type: string, value: string): Parts {
  return split(parseClickHouseType(type), value, 0);
}

function split(type: ClickHouseType, value: string, depth: number): Parts {
  if (FLOAT.test(type.name)) return { exact: null, floats: `[CAST(${value}, 'Float64')]` };
  if (type.name === 'LowCardinality') return split(innerType(type), value, depth);
  if (type.name === 'Nullable') return splitNullable(type, value);
  if (type.name === 'Tuple') return splitTuple(elementTypes(type), value, depth);
  if (type.name === 'Array') return splitArray(innerType(type), value, depth);
  if (type.name === 'Nested') return splitArray({ ...type, name: 'Tuple' }, value, depth);
  if (type.name === 'Map') return splitMap(elementTypes(type), value, depth);
  const held = type.args?.[1]?.type;
  if (type.name === 'SimpleAggregateFunction' && held) return split(held, value, depth);
  return { exact: value, floats: null };
}

function splitNullable(type: ClickHouseType, value: string): Parts {
  if (!FLOAT.test(innerType(type).name)) return { exact: value, floats: null };
  return {
    exact: `isNull(${value})`,
    floats: `[ifNull(CAST(${value}, 'Nullable(Float64)'), 0)]`,
  };
}

function splitTuple(types: readonly ClickHouseType[], value: string, depth: number): Parts {
  const parts = types.map((type, at) => split(type, `tupleElement(${value}, ${at + 1})`, depth));
  return joined(parts, value);
}

/** @param whole the value that the parts belong to. */
function joined(parts: readonly Parts[], whole: string): Parts {
  const floats = parts.flatMap((part) => part.floats ?? []);
  if (floats.length === 0) return { exact: whole, floats: null };
  const exact = parts.flatMap((part) => part.exact ?? []);
  return {
    exact: exact.length === 0 ? null : `tuple(${exact.join(', ')})`,
    floats: floats.length === 1 ? (floats[0] ?? null) : `arrayConcat(${floats.join(', ')})`,
  };
}

function splitArray(element: ClickHouseType, value: string, depth: number): Parts {
  const name = `e${depth}`;
  const { exact, floats } = split(element, name, depth + 1);
  if (floats === null) return { exact: value, floats: null };
  return {
    exact: exact === null ? `length(${value})` : `arrayMap(${name} -> ${exact}, ${value})`,
    floats: `arrayFlatten(arrayMap(${name} -> ${floats}, ${value}))`,
  };
}

function splitMap(types: readonly ClickHouseType[], value: string, depth: number): Parts {
  const [key, item] = types;
  if (key === undefined || item === undefined) return { exact: value, floats: null };
  const keys = splitArray(key, `mapKeys(${value})`, depth);
  return joined([keys, splitArray(item, `mapValues(${value})`, depth)], value);
}
