/** The SQL text for a saved query whose rows are written in a format other than JSON. Pure. */
import { invalidInput, type ServiceError } from '../../../errors/service-error.ts';
import type { StreamFormat } from '../../../model/result-format.ts';
import { type ClickHouseType, parseClickHouseType } from '../../../sql/clickhouse-type.ts';
import { quoteName } from '../../../sql/quote-name.ts';
import type { Column } from '../../query-engine.ts';
import { castTo, withJsonTypes } from '../query/convert-type.ts';
import { numberColumns } from '../query/numbered-columns.ts';
import { binaryEncoding, holdsEmptyTuple, isOneCell } from './column-encodings.ts';

export interface StreamStatement {
  readonly text: string;
  /** Names are unique; types are those of the query. */
  readonly columns: readonly Column[];
}

/** What to write of a query: its columns with their value expressions, and the clauses that they are read from. */
export interface StreamedRows {
  readonly columns: readonly Column[];
  readonly values: readonly string[];
  /** FROM and everything after it. */
  readonly clauses: string;
}

/**
 * The query becomes a subquery with numbered columns. Each column is selected in an encoding that the format can carry,
 * under a unique name: an object would lose one of two columns of the same name, and Parquet refuses them.
 *
 * @param statement one SELECT without a closing semicolon; it may end with a comment.
 * @throws ServiceError `invalid_input` for a column that the format cannot carry.
 */
export function streamStatement(
  statement: string,
  columns: readonly Column[],
  format: StreamFormat,
): StreamStatement {
  const { names, from } = numberColumns(statement, columns);
  return toStreamStatement({ columns, values: names, clauses: `FROM ${from}` }, format);
}

/** @throws ServiceError `invalid_input` for a column that the format cannot carry. */
export function toStreamStatement(
  { columns, values, clauses }: StreamedRows,
  format: StreamFormat,
): StreamStatement {
  const unique = uniqueNames(columns, format);
  const selected = columns.map((column, index) => {
    const value = encoded(values[index] ?? '', column, format);
    return `${value} AS ${quoteName(unique[index] ?? '')}`;
  });
  return {
    text: `SELECT ${selected.join(', ')} ${clauses}`,
    columns: columns.map(({ type }, index) => ({ name: unique[index] ?? '', type })),
  };
}

function encoded(value: string, column: Column, format: StreamFormat): string {
  const type = parseClickHouseType(column.type);
  switch (format) {
    case 'ndjson':
      return castTo(value, withJsonTypes(type));
    case 'csv':
      // Nested values are written as JSON; the engine would write SQL literals, or one column per element.
      return isOneCell(type) ? value : asJsonText(value, type);
    default: {
      if (format === 'parquet' && holdsEmptyTuple(type)) throw emptyTuple(column);
      const encoding = binaryEncoding(type);
      return encoding === 'json' ? asJsonText(value, type) : castTo(value, encoding);
    }
  }
}

function asJsonText(value: string, type: ClickHouseType): string {
  const json = `toJSONString(${castTo(value, withJsonTypes(type))})`;
  // The engine turns null into an empty string for a Dynamic that holds LowCardinality strings.
  return type.name === 'Dynamic' ? `if(isNull(${value}), NULL, ${json})` : json;
}

function emptyTuple({ name }: Column): ServiceError {
  return invalidInput(
    'format',
    `The column ${name} contains empty tuples, which Parquet cannot represent. Request another format.`,
  );
}

/** Appends the first number that makes a repeated name unique. */
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

/** Longer paths are not checked against names of nested values. */
const LONGEST_PARENT = 256;

function nestedNames(columns: readonly Column[]): ReadonlySet<string> {
  const nested = columns.filter(({ type }) => !isOneCell(parseClickHouseType(type)));
  return new Set(nested.map(({ name }) => name));
}

/** Parquet readers address nested values by paths such as `t.x`, and would confuse a column of that name with one. */
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
