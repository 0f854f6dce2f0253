/** The text that is sent for a saved query whose rows are written in another format than JSON. Pure. */
import { invalidInput, type ServiceError } from '../../../errors/service-error.ts';
import type { StreamFormat } from '../../../model/result-format.ts';
import { type ClickHouseType, parseClickHouseType } from '../../../sql/clickhouse-type.ts';
import { quoteName } from '../../../sql/quote-name.ts';
import type { Column } from '../../query-engine.ts';
import { numberColumns } from '../query/numbered-columns.ts';
import { castTo, stringForm } from '../query/plan-statement.ts';
import { binaryForm, holdsEmptyTuple, isOneCell } from './column-encodings.ts';

export interface StreamStatement {
  readonly text: string;
  /** Each name is there once; types are those of the query. */
  readonly columns: readonly Column[];
}

/**
 * The query becomes a subquery whose columns are numbered, and each is selected in the form that the format can
 * carry, under a name that is there once: two columns of one name are lost in an object, and refused by Parquet.
 *
 * @param statement one SELECT without a closing semicolon; it may end with a comment.
 * @throws ServiceError `invalid_input` for a column that the format cannot carry.
 */
export function streamStatement(
  statement: string,
  columns: readonly Column[],
  format: StreamFormat,
): StreamStatement {
  const unique = uniqueNames(columns, format);
  const { names, from } = numberColumns(statement, columns);
  const selected = columns.map((column, index) => {
    const value = writtenAs(names[index] ?? '', column, format);
    return `${value} AS ${quoteName(unique[index] ?? '')}`;
  });
  return {
    text: `SELECT ${selected.join(', ')} FROM ${from}`,
    columns: columns.map(({ type }, index) => ({ name: unique[index] ?? '', type })),
  };
}

function writtenAs(value: string, column: Column, format: StreamFormat): string {
  const type = parseClickHouseType(column.type);
  switch (format) {
    case 'ndjson':
      return castTo(value, stringForm(type));
    case 'csv':
      // What is nested is written as in JSON; the engine's own form is its SQL, or a column for each element.
      return isOneCell(type) ? value : asJsonText(value, type);
    default: {
      if (format === 'parquet' && holdsEmptyTuple(type)) throw emptyTuple(column);
      const form = binaryForm(type);
      return form === 'json' ? asJsonText(value, type) : castTo(value, form);
    }
  }
}

function asJsonText(value: string, type: ClickHouseType): string {
  const json = `toJSONString(${castTo(value, stringForm(type))})`;
  // Of a Dynamic that holds texts of low cardinality the engine makes an empty text of null.
  return type.name === 'Dynamic' ? `if(isNull(${value}), NULL, ${json})` : json;
}

function emptyTuple({ name }: Column): ServiceError {
  return invalidInput(
    'format',
    `The column ${name} has tuples without elements, which Parquet cannot hold. Ask for another format.`,
  );
}

/** A name that was there before gets the first number behind it that makes it a new one. */
function uniqueNames(columns: readonly Column[], format: StreamFormat): readonly string[] {
  const given = new Set(columns.map(({ name }) => name));
  const parents = format === 'parquet' ? nestedNames(columns) : new Set<string>();
  const taken = new Set<string>();
  const lastNumbers = new Map<string, number>();
  return columns.map(({ name }) => {
    let unique = name;
    let n = lastNumbers.get(name) ?? 1;
    while (unique === name ? taken.has(name) || isPart(name, parents) : given.has(unique)) {
      n += 1;
      unique = `${name}_${n}`;
    }
    lastNumbers.set(name, n);
    taken.add(unique);
    return unique;
  });
}

/** Nobody calls a value inside of another by a longer path. */
const LONGEST_PARENT = 256;

function nestedNames(columns: readonly Column[]): ReadonlySet<string> {
  const nested = columns.filter(({ type }) => !isOneCell(parseClickHouseType(type)));
  return new Set(nested.map(({ name }) => name));
}

/** Readers of Parquet call what is inside of `t` by paths, `t.x`, and would take a column of that name for it. */
function isPart(name: string, parents: ReadonlySet<string>): boolean {
  if (parents.size === 0) return false;
  for (
    let at = name.indexOf('.');
    at !== -1 && at <= LONGEST_PARENT;
    at = name.indexOf('.', at + 1)
  ) {
    if (parents.has(name.slice(0, at))) return true;
  }
  return false;
}
