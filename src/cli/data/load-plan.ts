/** Validates the options of a load, and infers the columns of its data. */
import { requireDelimiter } from '../../engine/clickhouse/load/delimiter.ts';
import { fitToTable } from '../../engine/clickhouse/load/fit-to-table.ts';
import { withGivenTypes } from '../../engine/clickhouse/load/given-types.ts';
import { openInference } from '../../engine/clickhouse/load/infer-columns.ts';
import type { ColumnTypes } from '../../engine/clickhouse/load/load-request.ts';
import { isTextFormat } from '../../engine/clickhouse/load/load-sql.ts';
import { columnsWithoutRows, NoRowsError } from '../../engine/clickhouse/load/no-rows.ts';
import {
  engineFormatOf,
  type FormatName,
  isText,
  parseDelimiter,
} from '../../engine/load-formats.ts';
import type { Column } from '../../engine/query-engine.ts';
import type { CsvShape, LoadFormat, LoadMode } from '../../engine/table-loader.ts';
import { encodingNames, parseEncoding } from '../../lib/decode-text.ts';
import { requireTableName } from '../../sql/table-name.ts';
import type { Session } from '../session.ts';
import { UsageError } from '../usage-error.ts';
import { type DataSource, findDataSources, formatOf } from './data-files.ts';
import { type FileColumns, mergeColumns, parseColumnTypes } from './fit-columns.ts';
import type { PlainFile } from './spool.ts';

export interface LoadOptions {
  readonly project: string;
  readonly table: string;
  readonly format?: string;
  readonly delimiter?: string;
  readonly encoding?: string;
  readonly nullAs?: string;
  readonly column?: readonly string[];
  readonly orderBy?: string;
  readonly append?: true;
  readonly replace?: true;
  readonly force?: true;
  readonly json?: true;
}

export interface LoadPlan {
  readonly sources: readonly DataSource[];
  readonly format: FormatName;
  readonly encoding: string;
  readonly csv: CsvShape;
  readonly types: ReadonlyMap<string, string>;
  readonly mode: LoadMode;
  readonly orderBy: readonly string[];
}

/** Validates everything that needs neither server nor data. Throws a UsageError. */
export async function planLoad(given: readonly string[], options: LoadOptions): Promise<LoadPlan> {
  if (options.append && options.replace)
    throw new UsageError('Give --append or --replace, not both.');
  if (options.append && options.orderBy !== undefined) {
    throw new UsageError(
      'The sort order of an existing table cannot be changed: omit --order-by with --append.',
    );
  }
  requireTableName(options.table);
  const sources = await findDataSources(given);
  const format = formatOf(sources, options.format);
  const orderBy = (options.orderBy ?? '').split(',').map((name) => name.trim());
  return {
    sources,
    format,
    ...textOptions(format, options),
    types: parseColumnTypes(options.column ?? []),
    mode: options.append ? 'append' : options.replace ? 'replace' : 'create',
    orderBy: orderBy.filter((name) => name !== ''),
  };
}

function textOptions(format: FormatName, { delimiter, encoding, nullAs }: LoadOptions) {
  const isCsv = format === 'csv' || format === 'tsv';
  if (!isCsv && (delimiter !== undefined || nullAs !== undefined))
    throw new UsageError('--delimiter and --null-as apply only to CSV and TSV.');
  if (!isText(format) && encoding !== undefined)
    throw new UsageError('--encoding applies only to CSV, TSV, NDJSON and JSON.');
  const parsed = parseEncoding(encoding ?? 'utf-8');
  if (parsed === null)
    throw new UsageError(
      `"${encoding}" is not a supported encoding. --encoding takes ${encodingNames}.`,
    );
  return { encoding: parsed, csv: { delimiter: delimiterOf(format, delimiter), nullAs } };
}

function delimiterOf(format: FormatName, given: string | undefined): string | undefined {
  const delimiter = parseDelimiter(format, given);
  if (delimiter !== null) return delimiter;
  throw new UsageError("--delimiter takes one character, as in --delimiter ';', or tab.");
}

export interface FoundColumns {
  readonly format: LoadFormat;
  readonly columns: readonly Column[];
  /** The types of each file of a typed format, by its path. */
  readonly fileTypes?: ReadonlyMap<string, ColumnTypes>;
}

/** Throws for data that is not of the format, and when files do not match each other or an existing table. */
export async function findColumns(
  session: Session,
  {
    plan,
    files,
    existing,
  }: {
    readonly plan: LoadPlan;
    readonly files: readonly PlainFile[];
    /** Null when there is no such table. */
    readonly existing: readonly Column[] | null;
  },
): Promise<FoundColumns> {
  const formats = new Set(files.map(({ head }) => engineFormatOf(plan.format, head)));
  const [format = 'CSVWithNames'] = formats;
  if (formats.size > 1)
    throw new UsageError(
      'Arrow files and Arrow streams cannot be loaded together. Load them separately.',
    );
  const { found, empty } = await inferAll(session, { plan, files, format });
  const given = [...plan.types].map(([name, type]) => ({ name, type }));
  const known = found.length > 0 ? mergeColumns(found) : (existing ?? given);
  const others = empty.map(({ file, error }) => ({
    file,
    columns: columnsOfEmpty(error, { known, mode: found.length > 0 ? 'append' : plan.mode }),
  }));
  const own = mergeColumns([...found, ...others]);
  const fitted =
    plan.mode === 'append' && existing !== null ? fitToTable(own, existing, format) : own;
  const columns = withGivenTypes(fitted, plan.types, (name, names) => {
    const has = `the data has no such column. It has ${names.join(', ')}.`;
    return new UsageError(`--column ${name}: ${has}`);
  });
  if (isTextFormat(format)) return { format, columns };
  const fileTypes = new Map(found.map((file) => [file.path, typesOf(file)]));
  return { format, columns, fileTypes };
}

function columnsOfEmpty(...given: Parameters<typeof columnsWithoutRows>): readonly Column[] {
  try {
    return columnsWithoutRows(...given);
  } catch (error) {
    if (!(error instanceof NoRowsError)) throw error;
    throw new UsageError(
      `${error.subject} has no rows, so the types of its columns are not known. Give each with --column, or load it into a table that exists, or with at least one row.`,
      { cause: error },
    );
  }
}

function typesOf({ columns }: FileColumns): ColumnTypes {
  return new Map(columns.map(({ name, type }) => [name, type]));
}

async function inferAll(
  session: Session,
  {
    plan,
    files,
    format,
  }: {
    readonly plan: LoadPlan;
    readonly files: readonly PlainFile[];
    readonly format: LoadFormat;
  },
) {
  const { delimiter } = plan.csv;
  if (format === 'CSVWithNames')
    for (const { head, name } of files)
      requireDelimiter(head, { delimiter, name, remedy: 'Give its delimiter with --delimiter' });
  const given = [...plan.types.keys()];
  const inference = await openInference(session);
  try {
    const found: (FileColumns & Pick<PlainFile, 'path'>)[] = [];
    const empty: { readonly file: string; readonly error: NoRowsError }[] = [];
    for (const { path, name } of files) {
      const file = { format, filePath: path, csv: plan.csv, given, shownAs: name };
      try {
        found.push({ file: name, path, columns: await inference.columns(file) });
      } catch (error) {
        if (!(error instanceof NoRowsError)) throw error;
        empty.push({ file: name, error });
      }
    }
    return { found, empty };
  } finally {
    await inference.close();
  }
}
