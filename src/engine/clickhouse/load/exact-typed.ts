/** Converts a value that has a type in its file, as of Arrow or Parquet, exactly or not at all. Pure. */
import {
  type ClickHouseType,
  elementTypes,
  numberArgument,
  parseClickHouseType,
  typeToText,
  withoutWrappers,
} from '../../../sql/clickhouse-type.ts';
import { quoteName, quoteText } from '../../../sql/quote-name.ts';
import type { Column } from '../../query-engine.ts';
import { type Conversion, type ExactColumn, holdsNull } from './exact-leaves.ts';
import { convertWithin } from './exact-nested.ts';

/** A value is accepted when converting it back gives the same value. */
export function exactFromTyped({ name, type }: Column, fileType: string): ExactColumn {
  const source = quoteName(name);
  const from = parseClickHouseType(fileType);
  const isShown = holdsLongTime(from) ? convertWithin(from, source, shownLeaf).isExact : null;
  if (fileType === type) return { readAs: fileType, value: source, isHeld: isShown };
  const own = parseClickHouseType(type);
  if (withoutWrappers(own).name === 'JSON' && withoutWrappers(from).name === 'String')
    return parsedJson({ name, type }, fileType);
  const value = convert(source, withoutWrappers(from), withoutWrappers(own));
  const back = typeToText(withoutWrappers(from));
  const isEmpty = holdsNull(own) ? `isNull(${source})` : '0';
  const isExact = `ifNull(accurateCastOrNull(${value}, ${quoteText(back)}) = ${source}, 0)`;
  const isHeld = `(${isEmpty} OR ${isExact})${isShown === null ? '' : ` AND ${isShown}`}`;
  return { readAs: fileType, value, isHeld };
}

/** Texts that are JSON, as the engine's type JSON holds them. */
function parsedJson({ name, type }: Column, fileType: string): ExactColumn {
  const source = quoteName(name);
  const parsed = `CAST(ifNull(${source}, '{}'), ${quoteText(typeToText(withoutWrappers(parseClickHouseType(type))))})`;
  return holdsNull(parseClickHouseType(type))
    ? { readAs: fileType, value: `if(isNull(${source}), NULL, ${parsed})`, isHeld: null }
    : { readAs: fileType, value: parsed, isHeld: `isNotNull(${source})` };
}

function convert(source: string, from: ClickHouseType, to: ClickHouseType): string {
  // A cast drops zero bytes at the end.
  if (from.name === 'FixedString' && to.name === 'String') return `concat(${source}, '')`;
  return `accurateCastOrNull(${source}, ${quoteText(typeToText(to))})`;
}

/** Whether it has times of so few decimals that they may be beyond those that the engine shows. */
function holdsLongTime(type: ClickHouseType): boolean {
  return isLongTime(type) || elementTypes(type).some(holdsLongTime);
}

function isLongTime(type: ClickHouseType): boolean {
  return type.name === 'DateTime64' && (numberArgument(type, 0) ?? 3) < 8;
}

/** The first and the last second, since 1970, of the years 0 to 9999. The engine shows others as one of these. */
const shownSeconds = '-62167219200 AND 253402300799';

function shownLeaf(type: ClickHouseType, source: string): Conversion {
  const isExact = isLongTime(withoutWrappers(type))
    ? `ifNull(toInt64(${source}) BETWEEN ${shownSeconds}, 1)`
    : '1';
  return { value: source, isExact };
}
