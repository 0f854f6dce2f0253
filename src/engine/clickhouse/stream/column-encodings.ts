/** Types that a format cannot carry as they are, and what they are converted to. Pure. */
import { type ClickHouseType, elementTypes } from '../../../sql/clickhouse-type.ts';
import { isOneValue } from '../../../sql/value-type.ts';
import { arrayOf, convertContainer } from '../query/convert-type.ts';
import { isGeometry } from '../query/result-types.ts';

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
/** Types without a counterpart in both Arrow and Parquet; a QBit is an array that no other array may contain. */
const asJson = /^(JSON|Object|Variant|Dynamic|Geometry|QBit)$/;
/** How many array levels contain a shape's points. Under their own type names Parquet would write them as WKB. */
const depthOfPoints: Readonly<Record<string, number>> = {
  Point: 0,
  Ring: 1,
  LineString: 1,
  MultiLineString: 2,
  Polygon: 2,
  MultiPolygon: 3,
};

/**
 * The type written to both Arrow and Parquet: null when unchanged, `json` when the whole value is written as JSON text.
 */
export function binaryEncoding(type: ClickHouseType): ClickHouseType | null | 'json' {
  if (type.name !== 'QBit') return innerEncoding(type);
  const element = { name: type.args?.[0]?.text ?? '', args: null };
  const encoding = innerEncoding(element);
  return arrayOf(encoding === null || encoding === 'json' ? element : encoding);
}

function innerEncoding(type: ClickHouseType): ClickHouseType | null | 'json' {
  const leaf = leaves.find(([name]) => name.test(type.name));
  if (leaf !== undefined) return leaf[1];
  if (asJson.test(type.name)) return 'json';
  if (isGeometry(type.name)) return shape(depthOfPoints[type.name] ?? 0);
  if (type.name === 'SimpleAggregateFunction') {
    // Without this, a Bool inside the container is written as a number.
    const inner = type.args?.[1]?.type ?? null;
    return inner === null ? null : (innerEncoding(inner) ?? inner);
  }
  return containerEncoding(type);
}

function containerEncoding(type: ClickHouseType): ClickHouseType | null | 'json' {
  let holdsJson = hasNestedKeys(type);
  const converted = convertContainer(type, (inner) => {
    const encoding = innerEncoding(inner);
    if (encoding !== 'json') return encoding;
    holdsJson = true;
    return null;
  });
  if (holdsJson) return 'json';
  // Not every type supports LowCardinality, and the output does not depend on it.
  return converted?.name === 'LowCardinality' ? (converted.args?.[0]?.type ?? null) : converted;
}

/** Parquet readers do not accept arrays as keys. */
function hasNestedKeys(type: ClickHouseType): boolean {
  const key = type.name === 'Map' ? type.args?.[0]?.type : null;
  return key !== null && key !== undefined && !isOneCell(key);
}

function shape(depth: number): ClickHouseType {
  const point = [float, float].map((type) => ({ label: null, type, text: type.name }));
  return depth === 0 ? { name: 'Tuple', args: point } : arrayOf(shape(depth - 1));
}
