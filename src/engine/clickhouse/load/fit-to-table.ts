/** The columns of data that is appended to a table. Pure. */
import { parseClickHouseType } from '../../../sql/clickhouse-type.ts';
import type { Column } from '../../query-engine.ts';
import type { LoadFormat } from '../../table-loader.ts';
import { holdsInJson } from './fit-nested.ts';
import { isTextFormat } from './load-sql.ts';

/**
 * Takes the types of an existing table where they hold every value of the file's, so that rows can be appended. Text
 * values are read as the column's type, or the load refuses them; a column that does not fit keeps its own type, which
 * the load then refuses by name.
 */
export function fitToTable(
  columns: readonly Column[],
  table: readonly Column[],
  format: LoadFormat,
): readonly Column[] {
  return columns.map((column) => {
    const existing = table.find(({ name }) => name === column.name)?.type;
    const fits = existing !== undefined && holds(existing, column.type, format);
    return fits ? { name: column.name, type: existing } : column;
  });
}

function holds(wide: string, narrow: string, format: LoadFormat): boolean {
  const [outer, inner] = [bareType(wide), bareType(narrow)];
  if (inner.isNullable && !outer.isNullable) return false;
  if (outer.type === inner.type) return true;
  if (format === 'JSONEachRow')
    return holdsInJson(parseClickHouseType(outer.type), parseClickHouseType(inner.type));
  // The engine infers a text from most tuples.
  if (isTextFormat(format) && ofOneField.test(outer.type))
    return nested.test(inner.type) || inner.type === 'String';
  if (isTextFormat(format)) return !nested.test(inner.type) && !nested.test(outer.type);
  return holdsTyped(outer.type, inner.type);
}

function holdsTyped(outer: string, inner: string): boolean {
  const isJsonText = /^JSON\b/.test(outer) && inner === 'String';
  return isJsonText || (outer === 'Float64' && inner === 'Int64');
}

const nested = /^(Array|Tuple|Map|JSON|Object)\b/;
const ofOneField = /^(Array|Tuple|Map)\b/;

interface BareType {
  readonly type: string;
  readonly isNullable: boolean;
}

/** The type without Nullable, and without LowCardinality, which only affects storage. */
export function bareType(type: string): BareType {
  const unwrapped = /^LowCardinality\((.*)\)$/.exec(type)?.[1] ?? type;
  const inner = /^Nullable\((.*)\)$/.exec(unwrapped)?.[1];
  return { type: inner ?? unwrapped, isNullable: inner !== undefined };
}
