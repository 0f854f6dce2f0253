/** Infers the columns of a data file with a temporary engine, so that no local engine is needed. */
import { randomBytes } from 'node:crypto';
import { access, constants, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Log } from '../../../lib/log.ts';
import { markTempFolder, sweepTempFolders } from '../../../lib/temp-folders.ts';
import { innerType, parseClickHouseType, typeToText } from '../../../sql/clickhouse-type.ts';
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
import { findBadRow } from './find-bad-row.ts';
import { csvSettings } from './load-sql.ts';
import { fileFault } from './send-rows.ts';

interface InferSettings {
  readonly config: LocalEngineLimits;
  readonly log: Log;
}

interface FileToInfer {
  readonly format: LoadFormat;
  readonly filePath: string;
  readonly csv?: CsvShape;
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
  input_format_csv_trim_whitespaces: '0',
  input_format_csv_skip_trailing_empty_lines: '1',
};

type RunQuery = (sql: string, params: EngineParams, csv?: CsvShape) => Promise<Rows>;

/** Infers columns of files until it is closed. */
interface Inference {
  /**
   * Names and types in file order. A column is nullable only if the file has a NULL in it; an empty CSV field is an
   * empty string.
   *
   * @throws ServiceError `invalid_input` for a file that is not of the format.
   */
  columns(file: FileToInfer): Promise<readonly Column[]>;
  close(): Promise<void>;
}

/** The columns of one file, as `Inference` returns them. */
export async function inferColumns(
  request: InferSettings & FileToInfer,
): Promise<readonly Column[]> {
  await requireReadable(request.filePath);
  const inference = await openInference(request);
  try {
    return await inference.columns(request);
  } finally {
    await inference.close();
  }
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
    const query: RunQuery = async (sql, params, csv = {}) => {
      const login = engine.connection.admin;
      const ownSettings = csvSettings(csv);
      const request = { login, sql, params, settings, ownSettings, timeoutMs: SCAN_TIMEOUT_MS };
      return readRows(await client.send(request));
    };
    return {
      async columns(file) {
        await requireReadable(file.filePath);
        return readColumns(file, query);
      },
      async close() {
        client.close();
        await engine.stop();
        await remove();
      },
    };
  } catch (error) {
    await remove();
    throw error;
  }
}

async function requireReadable(path: string): Promise<void> {
  try {
    await access(path, constants.R_OK);
  } catch (error) {
    throw fileFault('The file cannot be read.', String(error));
  }
}

async function readColumns(request: FileToInfer, query: RunQuery): Promise<readonly Column[]> {
  const path = resolve(request.filePath);
  try {
    const { format, csv = {} } = request;
    const run: RunQuery = (sql, params) => query(sql, params, csv);
    const described = await run(`DESCRIBE file({path:String}, ${format})`, { path });
    const columns = toColumns(described).map((column) => withoutEmptyText(column, request));
    return await withoutUnusedNullable({ columns, path, format }, run);
  } catch (error) {
    if (!(error instanceof EngineError)) throw error;
    const reason = safeMessage(error.message, { projectId: 0 });
    const subject = request.shownAs ?? 'The file';
    const { format, csv } = request;
    const row = await findBadRow(path, { format, delimiter: csv?.delimiter ?? ',' });
    if (row !== null) throw fileFault(`${subject}, ${row}.`, error.message);
    throw fileFault(`${subject} could not be read as ${request.format}: ${reason}`, error.message);
  }
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

async function withoutUnusedNullable(
  file: FileColumns,
  query: RunQuery,
): Promise<readonly Column[]> {
  const nullable = file.columns.filter((column) => column.type.startsWith('Nullable('));
  if (nullable.length === 0) return file.columns;
  const structure = file.columns.map((c) => `${quoteName(c.name)} ${c.type}`).join(', ');
  const counts = nullable.map((c) => `countIf(${quoteName(c.name)} IS NULL)`).join(', ');
  const [nulls = []] = await query(
    `SELECT ${counts} FROM file({path:String}, ${file.format}, {structure:String})`,
    { path: file.path, structure: structure.replace(/\\/g, '\\\\') },
  );
  const withNull = new Set(nullable.filter((_c, i) => Number(nulls[i]) > 0).map((c) => c.name));
  return file.columns.map((column) => {
    const type = parseClickHouseType(column.type);
    const isUsed = type.name !== 'Nullable' || withNull.has(column.name);
    return isUsed ? column : { name: column.name, type: typeToText(innerType(type)) };
  });
}
