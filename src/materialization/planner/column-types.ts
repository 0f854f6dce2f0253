/** What the engine's types allow: to be stored, to be sorted by, to be looked up by an index. */
import {
  elementTypes,
  innerType,
  numberArgument,
  parseClickHouseType,
  typeToText,
  withoutWrappers,
} from '../../sql/clickhouse-type.ts';
import type { DescribedColumn } from '../../sql/sql-analysis.ts';
import { refuse } from './refusal.ts';
import { isReservedName } from './stored-columns.ts';

/** Throws Refusal for a result that no table can store. */
export function requireStorable(columns: readonly DescribedColumn[]): void {
  const seen = new Set<string>();
  for (const { name, type } of columns) {
    if (seen.has(name)) {
      refuse(
        `Two columns of the result are called ${name}; give one of them another name with AS.`,
      );
    }
    seen.add(name);
    if (isReservedName(name)) {
      refuse(
        `The name ${name} is reserved for stored tables; give the column another name with AS.`,
      );
    }
    if (/\b(Nothing|Set|Function)\b/.test(type)) {
      refuse(`The column ${name} has no type that a table can hold; give it one with CAST.`);
    }
  }
}

const SORTABLE =
  /^(U?Int\d+|Decimal\d*|String|FixedString|Date(32)?|DateTime(64)?|Bool|Enum\d+|UUID|IPv[46])$/;

/**
 * Whether a table may be sorted by a column of the type. Not by floating point numbers: the index equates 0 and -0,
 * which IN distinguishes, and does not order NaN.
 */
export function isSortable(type: string): boolean {
  return SORTABLE.test(baseOf(type));
}

/** A floating point number, which may be NULL. */
export const FLOAT = /^(Nullable\()?Float(32|64)\)?$/;
const NUMBER = /^(U?Int(8|16|32|64)|Bool)$/;
const TIME = /^(Date(32)?|DateTime(64)?)$/;

/**
 * Whether at most one value of the column equals a given one. Not so for floating point numbers (0 and -0), nor where
 * the comparison rounds or pads.
 */
export function matchesOneValue(columnType: string, givenType: string): boolean {
  const column = baseOf(columnType);
  const given = baseOf(givenType);
  if (NUMBER.test(column)) return /^(U?Int\d+|Bool|Float(32|64)|String)$/.test(given);
  if (TIME.test(column)) return TIME.test(given) || given === 'String';
  if (column === 'String') return given === 'String';
  if (/^(Enum\d+|UUID)$/.test(column)) return given === 'String' || given === column;
  return false;
}

/**
 * Whether the engine's index over the column finds what the comparison finds. Measured: it does not where it has to
 * convert between kinds of time or between scales; DateTime64 < DateTime loses rows.
 */
export function isIndexable(columnType: string, givenType: string): boolean {
  const column = withoutWrappers(parseClickHouseType(columnType));
  const outer = withoutWrappers(parseClickHouseType(givenType));
  if (outer.name === 'Tuple') {
    return elementTypes(outer).every((element) => isIndexable(columnType, typeToText(element)));
  }
  const given = outer.name === 'Array' ? withoutWrappers(innerType(outer)) : outer;
  if (NUMBER.test(column.name)) return /^(U?Int\d+|Bool|Float(32|64))$/.test(given.name);
  // A text that is no member of the enum matches no rows, but is an error for the index.
  if (/^Enum\d+$/.test(column.name)) return false;
  // Of a nullable text the comparison accepts more spellings than the index does.
  const isText = given.name === 'String' && !/\bNullable\b/.test(givenType);
  if (/^(Date(32)?|DateTime|UUID|IPv[46])$/.test(column.name)) {
    return isText || given.name === column.name;
  }
  // A text is bound as a value of the column's own type.
  if (column.name === 'DateTime64' && isText) return true;
  const isSameScale = numberArgument(column, 0) === numberArgument(given, 0);
  return given.name === column.name && (column.name === 'String' || isSameScale);
}

function baseOf(type: string): string {
  return withoutWrappers(parseClickHouseType(type)).name;
}
