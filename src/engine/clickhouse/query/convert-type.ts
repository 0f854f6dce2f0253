/** Types that values are cast to before output. Pure. */
import { type ClickHouseType, typeToText } from '../../../sql/clickhouse-type.ts';

/** The value cast to the type; unchanged for null. */
export function castTo(value: string, type: ClickHouseType | null): string {
  return type === null ? value : `CAST(${value} AS ${typeToText(type)})`;
}

const containers = new Set(['Array', 'Nullable', 'LowCardinality', 'Tuple', 'Nested', 'Map']);

/** A container with its element types converted, Nested as Array(Tuple); null when no type is converted. */
export function convertContainer(
  type: ClickHouseType,
  convert: (inner: ClickHouseType, index: number) => ClickHouseType | null,
): ClickHouseType | null {
  if (!containers.has(type.name) || type.args === null) return null;
  const args = type.args.map((arg, index) => {
    const converted = arg.type === null ? null : convert(arg.type, index);
    return converted === null ? arg : { ...arg, type: converted };
  });
  if (args.every((arg, index) => arg === type.args?.[index])) return null;
  return type.name === 'Nested' ? arrayOf({ name: 'Tuple', args }) : { name: type.name, args };
}

export function arrayOf(type: ClickHouseType): ClickHouseType {
  return { name: 'Array', args: [{ label: null, type, text: '' }] };
}

const WIDE = /^U?Int(128|256)$/;
const string: ClickHouseType = { name: 'String', args: null };

/** Replaces each wide integer with String; null when there is none. Map keys are strings in JSON anyway. */
export function withWideAsStrings(type: ClickHouseType): ClickHouseType | null {
  if (WIDE.test(type.name)) return string;
  if (type.name === 'Variant') return variantAsStrings(type);
  if (type.name === 'SimpleAggregateFunction') {
    return type.args?.[1]?.type ? withWideAsStrings(type.args[1].type) : null;
  }
  return convertContainer(type, (inner, index) =>
    type.name === 'Map' && index === 0 ? null : withWideAsStrings(inner),
  );
}

/**
 * A Variant that may hold a wide integer is written entirely as strings, since one of its types cannot be replaced
 * alone.
 */
function variantAsStrings({ args }: ClickHouseType): ClickHouseType | null {
  const holdsOne = (args ?? []).some((arg) => arg.type !== null && withWideAsStrings(arg.type));
  if (!holdsOne) return null;
  return { name: 'Nullable', args: [{ label: null, type: string, text: 'String' }] };
}
