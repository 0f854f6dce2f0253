/** Values next to those of the data and at the limits of types, as JSON by engine type. Pure. */
import {
  type ClickHouseType,
  elementTypes,
  enumMembers,
  numberArgument,
  parseClickHouseType,
  typeToText,
  withoutWrappers,
} from '../../sql/clickhouse-type.ts';

/** The next higher or lower value; null if the type has none. */
export function nextValue(type: string, value: unknown, step: 1 | -1): unknown {
  const { name } = withoutWrappers(parseClickHouseType(type));
  if (value === null || value === undefined) return null;
  const text = String(value as string | number | boolean);
  if (/^U?Int/.test(name)) return String(BigInt(text) + BigInt(step));
  if (/^(B?Float|Decimal)/.test(name)) return nextNumber(Number(value), step);
  if (/^(Date|Date32)$/.test(name)) return movedTime(text, 86_400_000 * step)?.slice(0, 10) ?? null;
  if (name.startsWith('DateTime')) return movedTime(text, 1000 * step);
  if (/^(Fixed)?String$/.test(name)) return step > 0 ? `${text}~` : '';
  return null;
}

function nextNumber(value: number, step: number): number | null {
  return Number.isFinite(value) ? Math.trunc(value) + step : null;
}

function movedTime(text: string, byMs: number): string | null {
  const time = Date.parse(/[zZ]|[+-]\d\d:?\d\d$/.test(text) ? text : `${text.replace(' ', 'T')}Z`);
  if (Number.isNaN(time) || Math.abs(time + byMs) > 8.64e15) return null;
  return new Date(time + byMs).toISOString();
}

/** Values at the limits of a type and some in between, simplest first. */
export function boundaryValues(type: string): readonly unknown[] {
  const tree = withoutWrappers(parseClickHouseType(type));
  const { name } = tree;
  const bits = /^(U?)Int(\d+)$/.exec(name);
  if (bits !== null) return wholeNumbers(bits[1] === 'U', Number(bits[2]));
  if (/^B?Float/.test(name)) return [0, -1, 1.5, 1000];
  if (name.startsWith('Decimal')) return [0, -1, 1, numberArgument(tree, 1) === 0 ? 7 : '0.5'];
  if (name === 'Bool') return [false, true];
  if (/^Date(32)?$/.test(name)) return ['1970-01-01', '2001-01-01', '2149-06-06'];
  if (name.startsWith('DateTime'))
    return ['1970-01-01T00:00:00Z', '2001-01-01T00:00:00Z', '2106-02-07T06:28:15Z'];
  if (/^(Fixed)?String$/.test(name)) return ['', 'a', '%', '0'];
  if (name.startsWith('Enum')) return enumMembers(tree);
  if (name === 'UUID') return ['00000000-0000-0000-0000-000000000000'];
  if (name === 'IPv4') return ['127.0.0.1', '0.0.0.0', '255.255.255.255'];
  if (name === 'IPv6') return ['::1', '::'];
  if (name === 'Array') return [[]];
  if (name === 'Map') return [{}];
  return name === 'Tuple' ? tuples(tree) : [];
}

/** Of the simplest values of its elements. */
function tuples(tree: ClickHouseType): readonly unknown[] {
  const elements = elementTypes(tree).map((each) => boundaryValues(typeToText(each)));
  return elements.every((values) => values.length > 0) ? [elements.map(([first]) => first)] : [];
}

function wholeNumbers(isUnsigned: boolean, bits: number): readonly unknown[] {
  const highest = 2n ** BigInt(isUnsigned ? bits : bits - 1) - 1n;
  const lowest = isUnsigned ? 0n : -highest - 1n;
  return [0, ...(isUnsigned ? [] : [-1]), 1, 7, String(highest), String(lowest)];
}

/** Approximate order by number or text, sufficient to sort the two ends of a range. */
export function compareValues(one: unknown, other: unknown): number {
  const [a, b] = [Number(one), Number(other)];
  if (!Number.isNaN(a) && !Number.isNaN(b)) return a - b;
  const [x, y] = [JSON.stringify(one), JSON.stringify(other)];
  return x < y ? -1 : Number(x > y);
}
