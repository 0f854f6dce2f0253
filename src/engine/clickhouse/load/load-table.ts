/**
 * Fills a project's table from a file, completely or not at all: rows are written to a hidden table, which then replaces
 * the target in one step.
 */
import { randomBytes } from 'node:crypto';
import { invalidInput, ServiceError } from '../../../errors/service-error.ts';
import { requireTableName } from '../../../sql/table-name.ts';
import type { Column } from '../../query-engine.ts';
import { translateError } from '../errors/translate-error.ts';
import { type TimeZones, whyNotType } from '../guard/rules/types.ts';
import { openTimeZones } from '../guard/rules/variable-rules.ts';
import { openEngineClient } from '../http/http-client.ts';
import { toTexts } from '../http/session.ts';
import { projectDatabase } from '../provision/project-users.ts';
import { UNFINISHED_PREFIX } from '../tables/catalogue.ts';
import { countRows, dropAbandoned, existingColumns, type Load, run } from './load-on-node.ts';
import { loadOnNodes } from './load-on-nodes.ts';
import type { LoadRequest } from './load-request.ts';
import { createTableSql, qualified, requireColumns } from './load-sql.ts';
import { sendRows } from './send-rows.ts';

/**
 * @returns how many rows were loaded.
 * @throws ServiceError `invalid_input` when names, types, the file or an existing table do not fit,
 * `unique` when `create` finds a table of that name, and the codes of an engine that is unavailable.
 */
export async function loadTable(request: LoadRequest): Promise<{ readonly rows: number }> {
  requireTableName(request.table);
  requireColumns(request.columns, request.orderBy ?? []);
  const database = projectDatabase(request.projectId);
  const suffix = randomBytes(6).toString('hex');
  const { url, nodes = [url] } = request.connection;
  const loads = [...nodes].sort().map(
    (node): Load => ({
      request,
      client: openEngineClient({ url: node }),
      database,
      target: qualified(database, request.table),
      staging: {
        target: qualified(database, `${UNFINISHED_PREFIX}${suffix}`),
        columns: request.columns,
        orderBy: request.orderBy ?? [],
      },
    }),
  );
  const [load, ...others] = loads;
  if (load === undefined) throw new Error('an engine has an address');
  try {
    requireLoadable(request.columns, await openTimeZones(load.client, request.connection)());
    return others.length === 0 ? await fillAndSwap(load) : await loadOnNodes([load, ...others]);
  } catch (error) {
    throw translateError(error, {
      fault: 'query_failed',
      projectId: request.projectId,
      isOwnData: true,
    });
  } finally {
    for (const { client } of loads) client.close();
  }
}

/** Refuses types that bytes of a file may not become: states of aggregate functions, and times of unknown zones. */
function requireLoadable(columns: readonly Column[], zones: TimeZones): void {
  for (const { name, type } of columns) {
    const reason = whyNotType(type, zones);
    if (reason === null) continue;
    throw invalidInput('columns', `The type of the column ${name} is not accepted: ${reason}.`);
  }
}

async function fillAndSwap(load: Load): Promise<{ readonly rows: number }> {
  await dropAbandoned(load);
  const existing = await existingColumns(load);
  requireMode(load.request, existing);
  if (existing !== null) await requireOwnTable(load);
  const isAppend = load.request.mode === 'append';
  try {
    // The same order, partitions and settings, so that its parts can be attached.
    await run(
      load,
      isAppend
        ? `CREATE TABLE ${load.staging.target} AS ${load.target}`
        : createTableSql(load.staging),
    );
    await sendRows({ request: load.request, client: load.client, staging: load.staging });
    const rows = await countRows(load);
    await load.request.beforeSwap?.({ rows });
    // From here on the load is carried out, whether or not its caller is still there: a part of it must not stay behind.
    await swap({ ...load, request: { ...load.request, signal: undefined } }, existing !== null);
    return { rows };
  } finally {
    await run(load, `DROP TABLE IF EXISTS ${load.staging.target} SYNC`);
  }
}

/** A view or a table of another kind would be lost, or cannot take parts. */
async function requireOwnTable(load: Load): Promise<void> {
  const [row] = await run(
    load,
    'SELECT engine FROM system.tables WHERE database = {database:String} AND name = {table:String}',
    { database: load.database, table: load.request.table },
  );
  const engine = row === undefined ? '' : String(row[0]);
  if (engine.endsWith('MergeTree')) return;
  throw invalidInput(
    'table',
    `${load.request.table} is a ${engine}. Rows are loaded only into tables of the MergeTree family.`,
  );
}

function requireMode(request: LoadRequest, existing: readonly Column[] | null): void {
  const { table, mode } = request;
  if (mode === 'create' && existing !== null) {
    throw new ServiceError('unique', `A table named ${table} exists already.`, { attr: 'table' });
  }
  if (mode !== 'append') return;
  if (existing === null) {
    throw invalidInput('table', `There is no table named ${table} to append to.`);
  }
  const mismatch = firstMismatch(request.columns, existing);
  if (mismatch !== null) {
    throw invalidInput('columns', `The rows cannot be appended to ${table}: ${mismatch}.`);
  }
}

function firstMismatch(given: readonly Column[], existing: readonly Column[]): string | null {
  const types = new Map(existing.map((column) => [column.name, column.type]));
  for (const { name, type } of given) {
    const own = types.get(name);
    if (own === undefined) return `it has no column ${name}`;
    if (own !== type && own !== `Nullable(${type})`) {
      return `its column ${name} is ${own}, the file’s is ${type}`;
    }
  }
  const names = new Set(given.map((column) => column.name));
  const missing = existing.find((column) => !names.has(column.name));
  return missing === undefined ? null : `the file has no column ${missing.name}`;
}

async function swap(load: Load, exists: boolean): Promise<void> {
  const { staging, target, request } = load;
  if (request.mode === 'append') await attachParts(load);
  else if (exists) await run(load, `EXCHANGE TABLES ${staging.target} AND ${target}`);
  else await run(load, `RENAME TABLE ${staging.target} TO ${target}`);
}

/** One statement per partition; a table made by a load has one. */
async function attachParts(load: Load): Promise<void> {
  const table = load.staging.target.slice(load.database.length + 2, -1);
  const partitions = await run(
    load,
    'SELECT DISTINCT partition_id FROM system.parts WHERE database = {database:String} AND table = {table:String} AND active ORDER BY partition_id',
    { database: load.database, table },
  );
  for (const id of toTexts(partitions)) {
    await run(
      load,
      `ALTER TABLE ${load.target} ATTACH PARTITION ID '${id}' FROM ${load.staging.target}`,
    );
  }
}
