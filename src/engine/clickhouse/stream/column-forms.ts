/** Which types a format cannot carry as they are, and what their values become. Pure. */
import type { ClickHouseType, TypeArgument } from '../../../domain/clickhouse-type.ts';

const nested = new Set([
  ...['Array', 'Tuple', 'Nested', 'Map', 'JSON', 'Object', 'Variant', 'Dynamic'],
  ...['Point', 'Ring', 'LineString', 'MultiLineString', 'Polygon', 'MultiPolygon', 'Geometry'],
]);

/** Whether a value is more than one cell holds. */
export function holdsNested(type: ClickHouseType): boolean {
  if (nested.has(type.name)) return true;
  const isWrapper = ['Nullable', 'LowCardinality', 'SimpleAggregateFunction'].includes(type.name);
  return isWrapper && (type.args ?? []).some((arg) => arg.type !== null && holdsNested(arg.type));
}

const text: ClickHouseType = { name: 'String', args: null };
const instant: ClickHouseType = {
  name: 'DateTime64',
  args: ['3', "'UTC'"].map((arg) => ({ label: null, type: null, text: arg })),
};
const leaves: readonly (readonly [RegExp, ClickHouseType])[] = [
  [/^(U?Int(128|256)|UUID|IPv4|IPv6|Enum8|Enum16|Enum|Time|Time64|Nothing)$/, text],
  [/^DateTime$/, instant],
  [/^BFloat16$/, { name: 'Float32', args: null }],
  [/^Interval/, { name: 'Int64', args: null }],
];
/** Of no one type that Arrow and Parquet both have. */
const asJson = /^(JSON|Object|Variant|Dynamic)$/;
const containers = new Set(['Array', 'Nullable', 'LowCardinality', 'Tuple', 'Nested', 'Map']);

/**
 * The form in Arrow and Parquet, the same in both: null when the type goes as it is, `json` when the whole
 * value is written as JSON text.
 */
export function binaryForm(type: ClickHouseType): ClickHouseType | null | 'json' {
  const leaf = leaves.find(([name]) => name.test(type.name));
  if (leaf !== undefined) return leaf[1];
  if (asJson.test(type.name)) return 'json';
  if (type.name === 'SimpleAggregateFunction') {
    const inner = type.args?.[1]?.type ?? null;
    return inner === null ? null : binaryForm(inner);
  }
  if (!containers.has(type.name) || type.args === null) return null;
  return containerForm(type, type.args);
}

function containerForm(
  type: ClickHouseType,
  given: readonly TypeArgument[],
): ClickHouseType | null | 'json' {
  const forms = given.map((arg) => (arg.type === null ? null : binaryForm(arg.type)));
  if (forms.includes('json')) return 'json';
  if (forms.every((form) => form === null)) return null;
  const args = given.map((arg, index) => {
    const form = forms[index];
    return form === null || form === undefined || form === 'json' ? arg : { ...arg, type: form };
  });
  // Not every type may be of low cardinality, and what is written does not depend on it.
  if (type.name === 'LowCardinality') return args[0]?.type ?? null;
  if (type.name !== 'Nested') return { name: type.name, args };
  return { name: 'Array', args: [{ label: null, type: { name: 'Tuple', args }, text: '' }] };
}
