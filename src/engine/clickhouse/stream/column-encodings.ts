/** Which types a format cannot carry as they are, and what their values become. Pure. */
import {
  type ClickHouseType,
  elementTypes,
  type TypeArgument,
} from '../../../sql/clickhouse-type.ts';
import { isGeometry, isOneValue } from '../query/result-types.ts';

const wrappers: ReadonlySet<string> = new Set([
  'Nullable',
  'LowCardinality',
  'SimpleAggregateFunction',
]);

/** Whether a value fits one cell of CSV. */
export function isOneCell(type: ClickHouseType): boolean {
  return wrappers.has(type.name) ? elementTypes(type).every(isOneCell) : isOneValue(type.name);
}

export function holdsEmptyTuple(type: ClickHouseType): boolean {
  if (type.name === 'Tuple' && elementTypes(type).length === 0) return true;
  return elementTypes(type).some(holdsEmptyTuple);
}

const text: ClickHouseType = { name: 'String', args: null };
const float: ClickHouseType = { name: 'Float64', args: null };
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
/** Of no one type that Arrow and Parquet both have; a QBit is an array of its own, which no other array may hold. */
const asJson = /^(JSON|Object|Variant|Dynamic|Geometry|QBit)$/;
const containers = new Set(['Array', 'Nullable', 'LowCardinality', 'Tuple', 'Nested', 'Map']);
/** How deep the points of a shape lie in arrays. Under their own names Parquet would write them as WKB. */
const depthOfPoints: Readonly<Record<string, number>> = {
  Point: 0,
  Ring: 1,
  LineString: 1,
  MultiLineString: 2,
  Polygon: 2,
  MultiPolygon: 3,
};

/**
 * The form in Arrow and Parquet, the same in both: null when the type goes as it is, `json` when the whole
 * value is written as JSON text.
 */
export function binaryForm(type: ClickHouseType): ClickHouseType | null | 'json' {
  if (type.name !== 'QBit') return innerForm(type);
  const element = { name: type.args?.[0]?.text ?? '', args: null };
  const form = innerForm(element);
  return arrayOf(form === null || form === 'json' ? element : form);
}

function innerForm(type: ClickHouseType): ClickHouseType | null | 'json' {
  const leaf = leaves.find(([name]) => name.test(type.name));
  if (leaf !== undefined) return leaf[1];
  if (asJson.test(type.name)) return 'json';
  if (isGeometry(type.name)) return shape(depthOfPoints[type.name] ?? 0);
  if (type.name === 'SimpleAggregateFunction') {
    // Under this name a Bool inside a container is written as a number.
    const inner = type.args?.[1]?.type ?? null;
    return inner === null ? null : (innerForm(inner) ?? inner);
  }
  if (!containers.has(type.name) || type.args === null) return null;
  return containerForm(type, type.args);
}

function containerForm(
  type: ClickHouseType,
  given: readonly TypeArgument[],
): ClickHouseType | null | 'json' {
  const forms = given.map((arg) => (arg.type === null ? null : innerForm(arg.type)));
  if (forms.includes('json') || hasNestedKeys(type)) return 'json';
  if (forms.every((form) => form === null)) return null;
  const args = given.map((arg, index) => {
    const form = forms[index];
    return form === null || form === undefined || form === 'json' ? arg : { ...arg, type: form };
  });
  // Not every type may be of low cardinality, and what is written does not depend on it.
  if (type.name === 'LowCardinality') return args[0]?.type ?? null;
  return type.name === 'Nested' ? arrayOf({ name: 'Tuple', args }) : { name: type.name, args };
}

/** Readers of Parquet take no arrays for keys. */
function hasNestedKeys(type: ClickHouseType): boolean {
  const key = type.name === 'Map' ? type.args?.[0]?.type : null;
  return key !== null && key !== undefined && !isOneCell(key);
}

function shape(depth: number): ClickHouseType {
  const point = [float, float].map((type) => ({ label: null, type, text: type.name }));
  return depth === 0 ? { name: 'Tuple', args: point } : arrayOf(shape(depth - 1));
}

function arrayOf(type: ClickHouseType): ClickHouseType {
  return { name: 'Array', args: [{ label: null, type, text: '' }] };
}
