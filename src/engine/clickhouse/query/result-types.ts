/** The types whose values the service writes, and why the others are refused. Pure. */
import {
  type ClickHouseType,
  elementTypes,
  mayHoldState,
  parseClickHouseType,
} from '../../../sql/clickhouse-type.ts';
import { isOneValue } from '../../../sql/value-type.ts';
import type { Column } from '../../query-engine.ts';

const geometry = /^(Point|Ring|LineString|MultiLineString|Polygon|MultiPolygon)$/;
const nested =
  /^(Array|Tuple|Nested|Map|JSON|Object|Variant|Dynamic|QBit|Geometry|Nullable|LowCardinality|SimpleAggregateFunction)$/;

/** Whether the type is points in arrays of any depth. */
export function isGeometry(name: string): boolean {
  return geometry.test(name);
}

/**
 * Why a result with these columns cannot be written in any format; null when it can. An unlisted type is refused: the
 * engine would write it somehow, but nobody has checked that a reader gets the same value back.
 */
export function refusalOfColumns(columns: readonly Column[]): string | null {
  for (const { name, type } of columns) {
    const culprit = findUnwritable(parseClickHouseType(type));
    if (culprit === 'AggregateFunction') {
      return `The column ${name} is or contains the state of an aggregate function, which is meaningless outside the engine: select the final value instead, as in finalizeAggregation(${name}).`;
    }
    if (culprit !== null) {
      return `The column ${name} has the type ${culprit}, which cannot be returned: convert it, as in toString(${name}).`;
    }
  }
  return null;
}

function findUnwritable(type: ClickHouseType): string | null {
  // JSON paths have types as well, which the type parser leaves as text.
  if (/^(JSON|Object)$/.test(type.name)) return findInPaths(type);
  const isListed =
    [geometry, nested].some((names) => names.test(type.name)) || isOneValue(type.name);
  if (!isListed) return type.name;
  return (
    elementTypes(type)
      .map(findUnwritable)
      .find((name) => name !== null) ?? null
  );
}

function findInPaths(type: ClickHouseType): string | null {
  return (type.args ?? []).some(({ text }) => mayHoldState(text)) ? 'AggregateFunction' : null;
}
