/** Infers the columns of a data file with a temporary engine, so that no local engine is needed. */
import { randomBytes } from 'node:crypto';
import { access, constants, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { ServiceError } from '../../../errors/service-error.ts';
import type { Log } from '../../../lib/log.ts';
import { markTempFolder, sweepTempFolders } from '../../../lib/temp-folders.ts';
import { innerType, parseClickHouseType, typeToText } from '../../../sql/clickhouse-type.ts';
import { formatParam } from '../../../sql/param-value.ts';
import { quoteName } from '../../../sql/quote-name.ts';
import type { LocalEngineLimits } from '../../embedded/config-files.ts';
import { openEmbeddedEngine } from '../../embedded/embedded-engine.ts';
import type { Column, EngineParams } from '../../query-engine.ts';
import type { CsvShape, LoadFormat } from '../../table-loader.ts';
import { EngineError } from '../errors/engine-error.ts';
import { safeMessage } from '../errors/safe-message.ts';
import { openEngineClient } from '../http/http-client.ts';
import type { Settings } from '../http/request-message.ts';
import { type Rows, readRows, rowSettings, toColumns } from '../http/session.ts';
import { factsOfColumns } from './column-facts.ts';
import { findBadRow } from './find-bad-row.ts';
import { csvSettings, isTextFormat, PARSES_JSON, wideSettings } from './load-sql.ts';
import { findLostInArrow, findLostInParquet } from './lost-values.ts';
import { findNoRows, NoRowsError } from './no-rows.ts';
import { withPlainDictionaries } from './plain-dictionary.ts';
import { hasNoNames, whyUnreadable } from './row-fault.ts';
import { fileFault } from './send-rows.ts';
import { doubtful } from './written-types.ts';

export interface InferSettings {
  readonly config: LocalEngineLimits;
  readonly log: Log;
}

export interface FileToInfer {
  readonly format: LoadFormat;
  readonly filePath: string;
  readonly csv?: CsvShape;
  /** Columns whose types are given, so that any values of theirs are accepted here. */
  readonly given?: readonly string[];
  /** The file's name in errors; absent for none. */
  readonly shownAs?: string;
}

const SCAN_TIMEOUT_MS = 600_000;
const settings: Settings = {
  ...rowSettings,
  print_pretty_type_names: '0',
  schema_inference_make_columns_nullable: '1',
  // Reads the whole file, not just its first rows.
  input_format_max_rows_to_read_for_schema_inference: '1000000000',
  input_format_max_bytes_to_read_for_schema_inference: '1000000000',
  input_format_try_infer_exponent_floats: '1',
  input_format_csv_trim_whitespaces: '0',
  input_format_csv_skip_trailing_empty_lines: '1',
  ...wideSettings,
  // Folders such as `zip=5` in the path are no columns.
  use_hive_partitioning: '0',
};

type RunQuery = (sql: string, params: EngineParams, more?: Settings) => Promise<Rows>;

/** Infers columns of files until it is closed. */
export interface Inference {
  /**
   * Names and types in file order. A column is nullable only if the file has a NULL in it; an empty CSV field is an
   * empty string.
   *
   * @throws ServiceError `invalid_input` for a file that is not of the format; NoRowsError for one without rows.
   */
  columns(file: FileToInfer): Promise<readonly Column[]>;
  close(): Promise<void>;
}

/** @throws ServiceError `engine_unavailable` when no engine can be started here. */
export async function openInference({ config, log }: InferSettings): Promise<Inference> {
  sweepTempFolders({ parent: tmpdir(), name: /^querydock-infer-\w{6}$/ });
  const dir = await mkdtemp(join(tmpdir(), 'querydock-infer-'));
  markTempFolder(dir);
  const remove = () => rm(dir, { recursive: true, force: true });
  try {
    const secret = randomBytes(16).toString('hex');
    // The file may be readable only for the caller of the command.
    const engine = await openEmbeddedEngine({
      dir,
      config,
      log,
      secret,
      highestProjectId: 0,
      runAs: 'self',
    });
    const client = openEngineClient({ url: engine.connection.url });
    const queryBy =
      ({ csv = {}, format }: FileToInfer): RunQuery =>
      async (sql, params, more) => {
        const login = engine.connection.admin;
        const ofFormat = format === 'Parquet' ? { [PARSES_JSON]: '0' } : {};
        const ownSettings = { ...csvSettings(csv), ...ofFormat, ...more };
        const request = { login, sql, params, settings, ownSettings, timeoutMs: SCAN_TIMEOUT_MS };
        return readRows(await client.send(request));
      };
    let links = 0;
    return {
      async columns(file) {
        await requireReadable(file.filePath);
        // The engine takes a path with any of `*?{}` for a pattern.
        const link = join(dir, `file-${++links}`);
        await symlink(resolve(file.filePath), link);
        return readColumns({ ...file, filePath: link }, queryBy(file));
      },
      async close() {
        client.close();
        await engine.stop();
        await remove();
      },
    };
  } catch (error) {
    await remove();
    throw isNotInstalled(error) ? withoutEngine(error) : error;
  }
}

function isNotInstalled(error: unknown): error is ServiceError {
  return error instanceof ServiceError && /which is not installed/.test(error.internal ?? '');
}

/** Where the service is installed for an engine elsewhere, as in a container image without it. */
function withoutEngine({ internal }: ServiceError): ServiceError {
  return fileFault(
    'No data can be loaded here: the types of columns are detected by the local ClickHouse, an optional package that is not installed. Install it, or fill the table at your ClickHouse server.',
    internal ?? '',
  );
}

export async function requireReadable(path: string): Promise<void> {
  try {
    await access(path, constants.R_OK);
  } catch (error) {
    throw fileFault('The file cannot be read.', String(error));
  }
}

async function readColumns(request: FileToInfer, query: RunQuery): Promise<readonly Column[]> {
  const { filePath: path, format, csv = {}, given = [] } = request;
  const subject = request.shownAs ?? 'The file';
  const lostInArrow = await findLostInArrow({ path, format });
  if (lostInArrow !== null) throw fileFault(`${subject} ${lostInArrow}`, '');
  try {
    const found = toColumns(await describe({ path, format, given }, query));
    const described = found.map(withPlainDictionaries);
    const leaves = () => readLeaves(path, query);
    const lost = format === 'Parquet' ? await findLostInParquet(described, leaves) : null;
    if (lost !== null) throw fileFault(`${subject} ${lost}`, '');
    const inferred = await asWritten({ columns: described, path, format }, query);
    const columns = inferred.map((column) => withoutEmptyText(column, request));
    return await withoutUnusedNullable({ columns, path, format }, query);
  } catch (error) {
    if (!(error instanceof EngineError)) throw error;
    const empty = await findNoRows({ path, format }, () => readHeader(path, query));
    if (empty?.names?.some((name) => name.includes('\r')))
      throw fileFault(`${subject} ends its lines with CR. End each with LF or CRLF.`, '');
    if (empty !== null) throw new NoRowsError(subject, empty);
    const rowFormat = { format, delimiter: csv.delimiter ?? ',' };
    const row = hasNoNames(error.message) ? null : await findBadRow(path, rowFormat);
    if (row !== null) throw fileFault(`${subject}, ${row}.`, error.message);
    const reason = safeMessage(error.message, { projectId: 0 });
    throw fileFault(`${subject} ${whyUnreadable(format, reason)}`, error.message);
  }
}

interface InferredFile {
  readonly path: string;
  readonly format: LoadFormat;
}

/** Infers once more where the engine does not take what it reads. */
async function describe(
  { path, format, given }: InferredFile & { readonly given: readonly string[] },
  query: RunQuery,
): Promise<Rows> {
  const sql = `DESCRIBE file({path:String}, ${format})`;
  try {
    return await query(sql, { path });
  } catch (error) {
    const more = { ...moreSettings[format], ...asTexts(format, given) };
    if (Object.keys(more).length === 0 || !(error instanceof EngineError)) throw error;
    return await query(sql, { path }, more).catch(() => {
      throw error;
    });
  }
}

function asTexts(format: LoadFormat, names: readonly string[]): Settings {
  if (!isTextFormat(format) || names.length === 0) return {};
  const hints = names.map((name) => `${quoteName(name)} Nullable(String)`).join(', ');
  return { schema_inference_hints: hints };
}

const moreSettings: Partial<Record<LoadFormat, Settings>> = {
  // An integer of more than 64 bits is not taken for another number.
  JSONEachRow: { input_format_try_infer_integers: '0' },
  // Blank lines at the end are rows of fewer columns. What is wrong with other lines, the load finds.
  CSVWithNames: { input_format_csv_allow_variable_number_of_columns: '1' },
};

/** The first two rows, as texts, of a CSV as one without a header. None if it cannot be read so. */
async function readHeader(path: string, query: RunQuery): Promise<Rows> {
  const asText = { input_format_csv_use_best_effort_in_schema_inference: '0' };
  try {
    return await query('SELECT * FROM file({path:String}, CSV) LIMIT 2', { path }, asText);
  } catch {
    return [[], []];
  }
}

/** The paths of all leaves of a Parquet file, of which the engine describes only those that it reads. */
function readLeaves(path: string, query: RunQuery): Promise<Rows> {
  const sql = 'SELECT arrayJoin(columns.path) FROM file({path:String}, ParquetMetadata)';
  return query(sql, { path });
}

/** Without --null-as an empty field of a CSV is an empty string, not NULL. */
function withoutEmptyText(column: Column, { format, csv }: FileToInfer): Column {
  const isKept = format === 'CSVWithNames' && csv?.nullAs === undefined;
  const isText = isKept && column.type === 'Nullable(String)';
  return isText ? { name: column.name, type: 'String' } : column;
}

interface FileColumns {
  readonly columns: readonly Column[];
  readonly path: string;
  readonly format: LoadFormat;
}

/** The columns of a text file with types that keep every value. */
async function asWritten(file: FileColumns, query: RunQuery): Promise<readonly Column[]> {
  const { columns, format } = file;
  const found = isTextFormat(format) ? columns.map((column) => doubtful(column, format)) : [];
  const doubts = found.filter((doubt) => doubt !== null);
  if (doubts.length === 0) return columns;
  const texts = columns.map((column, at) => ({
    ...column,
    type: found[at]?.readAs ?? column.type,
  }));
  const { items, read } = factsOfColumns(doubts);
  const [row = []] = await selectFrom({ ...file, columns: texts }, items, query);
  const facts = read(row);
  const types = new Map(
    doubts.map((doubt, at) => [doubt.column.name, doubt.typeAsWritten(facts[at] ?? [])]),
  );
  return columns.map((column) => ({ ...column, type: types.get(column.name) ?? column.type }));
}

/** Reads the whole file by the given columns. */
function selectFrom(
  { columns, path, format }: FileColumns,
  items: readonly string[],
  query: RunQuery,
): Promise<Rows> {
  const structure = columns.map((c) => `${quoteName(c.name)} ${c.type}`).join(', ');
  const sql = `SELECT ${items.join(', ')} FROM file({path:String}, ${format}, {structure:String})`;
  return query(sql, { path, structure: formatParam('String', structure, 'structure') });
}

async function withoutUnusedNullable(
  file: FileColumns,
  query: RunQuery,
): Promise<readonly Column[]> {
  const nullable = file.columns.filter((column) => column.type.startsWith('Nullable('));
  if (nullable.length === 0) return file.columns;
  const areNull = nullable.map((column) => `isNull(${quoteName(column.name)})`);
  const [row = []] = await selectFrom(file, [`sumForEach([${areNull.join(', ')}])`], query);
  // Empty without rows.
  const nulls = row[0] as readonly unknown[];
  const withNull = new Set(nullable.filter((_c, i) => Number(nulls[i]) > 0).map((c) => c.name));
  return file.columns.map((column) => {
    const type = parseClickHouseType(column.type);
    const isUsed = type.name !== 'Nullable' || withNull.has(column.name);
    return isUsed ? column : { name: column.name, type: typeToText(innerType(type)) };
  });
}
