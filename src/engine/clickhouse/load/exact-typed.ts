/** Converts a value that has a type in its file, as of Arrow or Parquet, exactly or not at all. Pure. */
import { ServiceError } from '../../../errors/service-error.ts';
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
import { convertWithin, isAlike, isComposite } from './exact-nested.ts';

/** A value is accepted when converting it back gives the same value. */
export function exactFromTyped({ name, type }: Column, fileType: string): ExactColumn {
  const source = quoteName(name);
  const from = parseClickHouseType(fileType);
  const isShown = holdsLongTime(from)
    ? convertWithin(from, source, { leaf: shownLeaf }).isExact
    : null;
  if (fileType === type) return { readAs: fileType, value: source, isHeld: isShown };
  const own = parseClickHouseType(type);
  if (withoutWrappers(own).name === 'JSON' && withoutWrappers(from).name === 'String')
    return parsedJson(own, { source, fileType });
  if (!isAlike(withoutWrappers(from), withoutWrappers(own)))
    throw new ServiceError(
      'invalid_input',
      `The column ${name} of the data has the type ${fileType}, which cannot be loaded as ${type}; leave the type out, or give one whose lists, tuples and maps are those of the data.`,
    );
  const { value, isExact } = convertWithin(from, source, { leaf: exactLeaf, to: own });
  const isHeld = isShown === null ? isExact : `${isExact} AND ${isShown}`;
  return {
    readAs: fileType,
    value: isComposite(from) ? `CAST(${value}, ${quoteText(type)})` : value,
    isHeld,
  };
}

function exactLeaf(from: ClickHouseType, source: string, to: ClickHouseType): Conversion {
  const value = convert(source, withoutWrappers(from), withoutWrappers(to));
  const back = typeToText(withoutWrappers(from));
  const isEmpty = holdsNull(to) ? `isNull(${source})` : '0';
  const isSame = `ifNull(accurateCastOrNull(${value}, ${quoteText(back)}) = ${source}, 0)`;
  return { value, isExact: `(${isEmpty} OR ${isSame})` };
}

/** Texts that are JSON, as the engine's type JSON holds them. */
function parsedJson(
  own: ClickHouseType,
  { source, fileType }: { readonly source: string; readonly fileType: string },
): ExactColumn {
  const json = quoteText(typeToText(withoutWrappers(own)));
  const parsed = `CAST(ifNull(${source}, '{}'), ${json})`;
  return holdsNull(own)
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

/** With more, the years end before 9999. */
const maxLongDecimals = 7;

function isLongTime(type: ClickHouseType): boolean {
  return type.name === 'DateTime64' && (numberArgument(type, 0) ?? 3) <= maxLongDecimals;
}

/** The seconds since 1970 at the begin of the year 0 and at the end of 9999. The engine shows other times as some of these years. */
const [firstSecond, endSecond] = ['-62167219200', '253402300800'];

function shownLeaf(type: ClickHouseType, source: string): Conversion {
  // A cast to an integer would round times before 1970 up.
  const seconds = `toDecimal128(${source}, ${maxLongDecimals})`;
  const isExact = isLongTime(withoutWrappers(type))
    ? `ifNull(${seconds} >= ${firstSecond} AND ${seconds} < ${endSecond}, 1)`
    : '1';
  return { value: source, isExact };
}
