/**
 * Converts a file's value to its column's type exactly or not at all. By itself the engine wraps integers that are too
 * large, truncates decimals and times, and moves dates that do not exist. Pure.
 */
import {
  type ClickHouseType,
  elementTypes,
  parseClickHouseType,
  typeToText,
  withoutWrappers,
} from '../../../sql/clickhouse-type.ts';
import { quoteName } from '../../../sql/quote-name.ts';
import type { Column } from '../../query-engine.ts';
import { convertLeaf, type ExactColumn, holdsNull } from './exact-leaves.ts';
import { exactFromNested, isComposite } from './exact-nested.ts';
import { exactFromNestedText } from './nested-text.ts';

const point = 'Tuple(Float64, Float64)';
/** The engine's own definitions of these types. */
const geoTypes: ReadonlyMap<string, string> = new Map([
  ['Point', point],
  ['Ring', `Array(${point})`],
  ['LineString', `Array(${point})`],
  ['MultiLineString', `Array(Array(${point}))`],
  ['Polygon', `Array(Array(${point}))`],
  ['MultiPolygon', `Array(Array(Array(${point})))`],
]);

/** The type without the names that the engine has for others. */
export function plainType(type: ClickHouseType): ClickHouseType {
  if (type.name === 'SimpleAggregateFunction') {
    const [held] = elementTypes(type);
    return held === undefined ? type : plainType(held);
  }
  const own = geoTypes.get(type.name);
  if (own !== undefined && type.args === null) return parseClickHouseType(own);
  if (type.args === null) return type;
  const args = type.args.map((arg) =>
    arg.type === null ? arg : { ...arg, type: plainType(arg.type) },
  );
  return { ...type, args };
}

/** For a text format: the value arrives as it was written. */
export function exactFromText({ name, type }: Column, isCsv: boolean): ExactColumn {
  const own = plainType(parseClickHouseType(type));
  const source = quoteName(name);
  if (isComposite(own)) {
    if (!isCsv) return exactFromNested(own, source);
    const exact = exactFromNestedText(own, source);
    if (exact !== null) return exact;
  }
  const converted = convertLeaf(own, source);
  if (converted === null) return readDirectly({ name, type: typeToText(own) }, isCsv);
  const { value, isExact } = converted;
  return { readAs: 'Nullable(String)', value, isHeld: isExact };
}

/**
 * Types that the engine reads exactly or refuses; an empty field of a CSV would become 0, a missing JSON member the
 * default.
 */
function readDirectly({ name, type }: Column, isCsv: boolean): ExactColumn {
  const source = quoteName(name);
  const mayGap = isCsv
    ? !neverNullable.test(withoutWrappers(parseClickHouseType(type)).name)
    : true;
  const own = parseClickHouseType(type);
  if (!mayGap || holdsNull(own) || (!isCsv && notInNullable.test(own.name)))
    return { readAs: type, value: source, isHeld: null };
  const inner = own.name === 'LowCardinality' ? typeToText(withoutWrappers(own)) : type;
  return { readAs: `Nullable(${inner})`, value: source, isHeld: `isNotNull(${source})` };
}

const neverNullable = /^(?:Array|Map|Tuple|Nested|Variant|Dynamic|JSON|String|FixedString)$/;
const notInNullable = /^(?:Array|Map|Tuple|Nested|Variant|Dynamic|JSON)$/;
