/** The statements that fill a project's table from a file. Pure. */
import { ServiceError } from '../../../errors/service-error.ts';
import { type ClickHouseType, parseClickHouseType } from '../../../sql/clickhouse-type.ts';
import { quoteName, quoteText } from '../../../sql/quote-name.ts';
import type { Column } from '../../query-engine.ts';

export type LoadFormat = 'Parquet' | 'CSVWithNames' | 'JSONEachRow' | 'Arrow';

const TABLE_NAME = /^[A-Za-z][A-Za-z0-9_]{0,127}$/;

/** @throws ServiceError `invalid_input` for a name that no table of a project may have. */
export function requireTableName(name: string): void {
  if (TABLE_NAME.test(name)) return;
  throw new ServiceError(
    'invalid_input',
    'A table’s name begins with a letter and has letters, digits and underscores only, 128 at most.',
    { attr: 'table' },
  );
}

/** @throws ServiceError `invalid_input` for a type that is more than a type, or a key that is no column. */
export function requireColumns(columns: readonly Column[], orderBy: readonly string[]): void {
  const refuse = (detail: string): never => {
    throw new ServiceError('invalid_input', detail, { attr: 'columns' });
  };
  if (columns.length === 0) refuse('A table has one column at least.');
  const names = new Set(columns.map((column) => column.name));
  if (names.size !== columns.length) refuse('Two columns have the same name.');
  for (const column of columns) {
    if (column.name === '') refuse('A column has no name.');
    if (!isPlainType(parseClickHouseType(column.type))) {
      refuse(`The type of ${column.name} is not a ClickHouse type: ${column.type}.`);
    }
  }
  const unknown = orderBy.find((name) => !names.has(name));
  if (unknown !== undefined) refuse(`The table is sorted by ${unknown}, which is not a column.`);
}

/** Rejects anything that could inject a DEFAULT or another clause into the statement. */
function isPlainType(type: ClickHouseType): boolean {
  if (!/^[A-Za-z][A-Za-z0-9]*$/.test(type.name)) return false;
  return (type.args ?? []).every((arg) => {
    if (arg.type !== null) return isPlainType(arg.type);
    return /^(?:-?\d+|[A-Za-z]\w*|'(?:[^'\\]|\\.)*'(?:\s*=\s*-?\d+)?)$/.test(arg.text);
  });
}

export function qualified(database: string, table: string): string {
  return `${database}.${quoteName(table)}`;
}

export interface NewTable {
  /** Qualified and quoted. */
  readonly target: string;
  readonly columns: readonly Column[];
  readonly orderBy: readonly string[];
}

export function createTableSql({ target, columns, orderBy }: NewTable): string {
  const definitions = columns.map((column) => `${quoteName(column.name)} ${column.type}`);
  return `CREATE TABLE ${target} (${definitions.join(', ')}) ${mergeTree(orderBy)}`;
}

/** The clauses of a table that is sorted by these columns; more settings may follow. */
export function mergeTree(orderBy: readonly string[]): string {
  const key = orderBy.length === 0 ? 'tuple()' : `(${orderBy.map(quoteName).join(', ')})`;
  return `ENGINE = MergeTree ORDER BY ${key} SETTINGS allow_nullable_key = 1`;
}

/**
 * Parses a CSV's numbers and dates as nullable first, so that an empty field is refused where the column has no NULL:
 * otherwise the engine would turn it into 0.
 */
export function insertSql(table: NewTable, format: LoadFormat): string {
  const names = table.columns.map((column) => quoteName(column.name)).join(', ');
  const structure = table.columns
    .map((column) => `${quoteName(column.name)} ${readAs(column.type, format)}`)
    .join(', ');
  return `INSERT INTO ${table.target} (${names}) SELECT ${names} FROM input(${quoteText(structure)}) FORMAT ${format}`;
}

const neverNullable =
  /^(?:Nullable|LowCardinality|Array|Map|Tuple|Nested|Variant|Dynamic|JSON|String|FixedString)$/;

function readAs(type: string, format: LoadFormat): string {
  const isExact = format !== 'CSVWithNames' || neverNullable.test(parseClickHouseType(type).name);
  return isExact ? type : `Nullable(${type})`;
}

/** A load must not change values: no NULL becomes a default. Times may be ISO 8601. */
export const loadSettings: Readonly<Record<string, string>> = {
  input_format_null_as_default: '0',
  insert_null_as_default: '0',
  date_time_input_format: 'best_effort',
  input_format_skip_unknown_fields: '0',
  input_format_with_names_use_header: '1',
  input_format_csv_empty_as_default: '1',
};
