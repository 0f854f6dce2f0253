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

/**
 * The type whose values the engine writes as JSON that keeps them: String for each wide integer, and an array for each
 * QBit, in which the engine would write `nan`. Null when there is none. Map keys are strings in JSON anyway.
 */
export function withJsonTypes(type: ClickHouseType): ClickHouseType | null {
  if (WIDE.test(type.name)) return string;
  if (type.name === 'QBit') return arrayOf({ name: type.args?.[0]?.text ?? '', args: null });
  if (type.name === 'Variant') return variantAsStrings(type);
  if (type.name === 'SimpleAggregateFunction') {
    return type.args?.[1]?.type ? withJsonTypes(type.args[1].type) : null;
  }
  return convertContainer(type, (inner, index) =>
    (type.name === 'Map' && index === 0) || (type.name === 'Array' && inner.name === 'QBit')
      ? null
      : withJsonTypes(inner),
  );
}

/**
 * A Variant that may hold a wide integer is written entirely as strings, since one of its types cannot be replaced
 * alone.
 */
function variantAsStrings({ args }: ClickHouseType): ClickHouseType | null {
  const holdsOne = (args ?? []).some(
    ({ type }) => type !== null && type.name !== 'QBit' && withJsonTypes(type) !== null,
  );
  if (!holdsOne) return null;
  return { name: 'Nullable', args: [{ label: null, type: string, text: 'String' }] };
}
