/** The statements that fill a project's table from a file. Pure. */
import { ServiceError } from '../../../errors/service-error.ts';
import { type ClickHouseType, parseClickHouseType } from '../../../sql/clickhouse-type.ts';
import { quoteName, quoteText } from '../../../sql/quote-name.ts';
import type { Column } from '../../query-engine.ts';
import type { CsvShape, LoadFormat } from '../../table-loader.ts';
import type { ExactColumn } from './exact-leaves.ts';
import { exactFromTyped } from './exact-typed.ts';
import { exactFromText } from './exact-values.ts';
import type { ColumnTypes } from './load-request.ts';

/** @throws ServiceError `invalid_input` for a type with anything beyond a type in it, or a key that is not a column. */
export function requireColumns(columns: readonly Column[], orderBy: readonly string[]): void {
  const refuse = (detail: string, attr: string | null = null): never => {
    throw new ServiceError('invalid_input', detail, { attr });
  };
  if (columns.length === 0) refuse('A table must have at least one column.');
  const names = new Set(columns.map((column) => column.name));
  if (names.size !== columns.length) refuse('Two columns have the same name.');
  for (const column of columns) {
    if (column.name === '') refuse('A column has no name.');
    const type = parseClickHouseType(column.type);
    if (!isPlainType(type)) {
      refuse(`The type of ${column.name} is not a ClickHouse type: ${column.type}.`, 'types');
    }
    if (type.name === 'Nested') {
      const members = /\((.*)\)/s.exec(column.type)?.[1] ?? '';
      refuse(
        `The type of ${column.name} is Nested, which makes a column of each member. Give Array(Tuple(${members})).`,
        'types',
      );
    }
  }
  const unknown = orderBy.find((name) => !names.has(name));
  if (unknown !== undefined) {
    refuse(
      `The table is sorted by ${unknown}, which is not a column. It has ${[...names].join(', ')}.`,
      'order_by',
    );
  }
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
  return `${/^\w+$/.test(database) ? database : quoteName(database)}.${quoteName(table)}`;
}

export interface NewTable {
  /** Qualified and quoted. */
  readonly target: string;
  readonly name: string;
  readonly columns: readonly Column[];
  readonly orderBy: readonly string[];
}

export function createTableSql({ target, columns, orderBy }: NewTable): string {
  const definitions = columns.map((column) => `${quoteName(column.name)} ${column.type}`);
  return `CREATE TABLE ${target} (${definitions.join(', ')}) ${mergeTree(orderBy)}`;
}

/** The clauses of a table sorted by these columns; more settings may follow. */
export function mergeTree(orderBy: readonly string[], engine = 'MergeTree'): string {
  const key = orderBy.length === 0 ? 'tuple()' : `(${orderBy.map(quoteName).join(', ')})`;
  return `ENGINE = ${engine} ORDER BY ${key} SETTINGS allow_nullable_key = 1`;
}

/**
 * Reads each value exactly. A value that its column cannot hold fails the statement with the row and column in the
 * engine's message, which `refusedValue` parses.
 *
 * @param fileTypes the types in a typed format, where they are known and may differ from those of the columns.
 */
export function insertSql(
  { target, columns }: NewTable,
  format: LoadFormat,
  fileTypes: ColumnTypes = new Map(),
): string {
  const exact = columns.map((column) => exactColumn(column, format, fileTypes));
  const names = columns.map(({ name }) => quoteName(name));
  const structure = columns.map(({ name }, at) => `${quoteName(name)} ${exact[at]?.readAs ?? ''}`);
  const own = ownPrefix(columns);
  const row = quoteName(`${own}row`);
  const aliases = columns.map((_, at) => quoteName(`${own}v${at}`));
  const values = exact.map(({ value }, at) => `${value} AS ${aliases[at]}`);
  const prepared = exact.flatMap((column, at) =>
    column.prepared === undefined ? [] : [`${column.prepared} AS ${names[at]}`],
  );
  const replaced = prepared.length === 0 ? '' : ` REPLACE (${prepared.join(', ')})`;
  const all = `SELECT *${replaced}, rowNumberInAllBlocks() AS ${row} FROM input(${quoteText(structure.join(', '))})`;
  const where = whereHeld(exact, { aliases, row, first: quoteName(`${own}first`) });
  return `INSERT INTO ${target} (${names.join(', ')}) SELECT ${values.join(', ')} FROM (${all})${where} FORMAT ${format}`;
}

interface OwnNames {
  /** Of the values, by column. */
  readonly aliases: readonly string[];
  readonly row: string;
  readonly first: string;
}

/**
 * One list with each value written once: the engine's time for conditions joined by AND, and for repeated expressions,
 * grows with the square of their number.
 */
function whereHeld(columns: readonly ExactColumn[], { aliases, row, first }: OwnNames): string {
  const checked = columns.flatMap(({ isHeld, value }, at) =>
    isHeld === null ? [] : [{ isHeld: isHeld.replaceAll(value, aliases[at] ?? value), at }],
  );
  if (checked.length === 0) return '';
  const held = checked.map(({ isHeld }) => isHeld).join(', ');
  const column = `[${checked.map(({ at }) => at).join(', ')}][${first}]`;
  const isHeld = `(arrayFirstIndex(_x -> NOT ifNull(_x, 0), [${held}]) AS ${first}) = 0`;
  return ` WHERE ${isHeld} OR toUInt8(concat('@row ', toString(${row} + 1), ' column ', toString(${column}), '@'))`;
}

/** For names in the statement that must not be those of columns. */
function ownPrefix(columns: readonly Column[]): string {
  let prefix = '_';
  while (columns.some(({ name }) => name.startsWith(prefix))) prefix += '_';
  return prefix;
}

function exactColumn(column: Column, format: LoadFormat, fileTypes: ColumnTypes): ExactColumn {
  if (isTextFormat(format)) return exactFromText(column, format === 'CSVWithNames');
  return exactFromTyped(column, fileTypes.get(column.name) ?? column.type);
}

export function isTextFormat(format: LoadFormat): boolean {
  return format === 'CSVWithNames' || format === 'JSONEachRow';
}

/** The row, from 1, and the column position of a value that its column cannot hold. */
export function refusedValue(
  message: string,
): { readonly row: number; readonly column: number } | null {
  const found = /@row (\d+) column (\d+)@/.exec(message);
  return found === null ? null : { row: Number(found[1]), column: Number(found[2]) };
}

/** For tables of thousands of columns, each of which adds some hundred bytes to a statement. */
export const wideSettings = {
  max_query_size: '16777216',
  max_ast_elements: '5000000',
  max_expanded_ast_elements: '5000000',
} as const;

/** A load must not change values: no NULL becomes a default, no white space is trimmed. Times may be ISO 8601. */
const loadSettings: Readonly<Record<string, string>> = {
  // By default, older servers may miss the nearest number by one.
  precise_float_parsing: '1',
  input_format_null_as_default: '0',
  insert_null_as_default: '0',
  date_time_input_format: 'best_effort',
  // Otherwise a time without an offset is one of the server's zone.
  session_timezone: 'UTC',
  input_format_skip_unknown_fields: '0',
  input_format_json_ignore_unknown_keys_in_named_tuple: '0',
  input_format_with_names_use_header: '1',
  input_format_csv_empty_as_default: '1',
  input_format_csv_trim_whitespaces: '0',
  // Otherwise the elements of a tuple are fields of their own.
  input_format_csv_deserialize_separate_columns_into_tuple: '0',
  input_format_csv_skip_trailing_empty_lines: '1',
  // Otherwise the engine may report the wrong row.
  input_format_parallel_parsing: '0',
  max_insert_threads: '1',
};

/**
 * The setting of an engine that parses texts that a Parquet file says to be JSON, which rounds numbers, loses NULLs and
 * refuses arrays. Off, they are texts as written.
 */
export const PARSES_JSON = 'input_format_parquet_enable_json_parsing';

/** Of a statement that no limit of the engine comes near. */
const SHORT = 100_000;

/** @param sql the statement of the load. */
export function settingsOf(sql: string, csv: CsvShape = {}): Readonly<Record<string, string>> {
  // The engine waits for that many bytes of rows before it reads any, so that a load has no progress.
  const wide = sql.length > SHORT ? wideSettings : {};
  return { ...loadSettings, ...wide, ...csvSettings(csv) };
}

/** Otherwise the engine skips white space around a field, even where it is the delimiter. */
const spaceSettings = { input_format_csv_allow_whitespace_or_tab_as_delimiter: '1' } as const;

/** The settings that column inference needs as well. */
export function csvSettings({ delimiter, nullAs }: CsvShape): Readonly<Record<string, string>> {
  return {
    ...(delimiter === undefined ? {} : { format_csv_delimiter: delimiter }),
    ...(delimiter === '\t' || delimiter === ' ' ? spaceSettings : {}),
    ...(nullAs === undefined ? {} : { format_csv_null_representation: nullAs }),
  };
}
