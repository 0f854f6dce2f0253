/** The types whose values the service writes, and why the others are refused. Pure. */
import {
  type ClickHouseType,
  elementTypes,
  parseClickHouseType,
} from '../../../sql/clickhouse-type.ts';
import type { Column } from '../../query-engine.ts';

const oneValue =
  /^(U?Int(8|16|32|64|128|256)|Float(32|64)|BFloat16|Decimal(32|64|128|256)?|Bool|String|FixedString|Date|Date32|DateTime|DateTime32|DateTime64|Time|Time64|UUID|IPv4|IPv6|Enum|Enum8|Enum16|Nothing|Interval[A-Z][a-z]+)$/;
const geometry = /^(Point|Ring|LineString|MultiLineString|Polygon|MultiPolygon)$/;
const nested =
  /^(Array|Tuple|Nested|Map|JSON|Object|Variant|Dynamic|QBit|Geometry|Nullable|LowCardinality|SimpleAggregateFunction)$/;

/** Whether a value is one number, text or time. */
export function isOneValue(name: string): boolean {
  return oneValue.test(name);
}

/** Whether the type is points in arrays, whatever their depth. */
export function isGeometry(name: string): boolean {
  return geometry.test(name);
}

/**
 * Why a result with these columns cannot be written in any format; null when it can. A type that nobody has judged
 * is refused: the engine would write it somehow, and nobody knows whether a reader gets it back.
 */
export function refusalOfColumns(columns: readonly Column[]): string | null {
  for (const { name, type } of columns) {
    const culprit = findUnwritable(parseClickHouseType(type));
    if (culprit === 'AggregateFunction') {
      return `The column ${name} is or holds the state of an aggregate function, which means nothing outside the engine: select the finished value instead, as finalizeAggregation(${name}).`;
    }
    if (culprit !== null) {
      return `The column ${name} has the type ${culprit}, which cannot be returned: convert it, as with toString(${name}).`;
    }
  }
  return null;
}

function findUnwritable(type: ClickHouseType): string | null {
  // The paths of JSON have types, too, which are not read as such.
  if (/^(JSON|Object)$/.test(type.name)) return findInPaths(type);
  const isKnown = [oneValue, geometry, nested].some((names) => names.test(type.name));
  if (!isKnown) return type.name;
  return elementTypes(type).map(findUnwritable).find(isFound) ?? null;
}

function findInPaths(type: ClickHouseType): string | null {
  return (type.args ?? []).some(({ text }) => mayHoldState(text)) ? 'AggregateFunction' : null;
}

/** From the text of a type alone: true also of an enum that has a member of this name. */
export function mayHoldState(type: string): boolean {
  return /\bAggregateFunction\(/.test(type);
}

function isFound(name: string | null): boolean {
  return name !== null;
}
