/** Whether a table that exists can take the rows of a load. */
import { invalidInput, ServiceError } from '../../../errors/service-error.ts';
import { parseClickHouseType, typeToText } from '../../../sql/clickhouse-type.ts';
import type { Column } from '../../query-engine.ts';
import { sharedBy } from '../tables/shares.ts';
import { type ExistingColumn, type Load, run } from './load-on-node.ts';
import type { LoadRequest } from './load-request.ts';

/** A view or another kind of table would be lost, or cannot take parts. */
export async function requireOwnTable(load: Load): Promise<void> {
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

/**
 * For a table that each node holds completely.
 *
 * @throws ServiceError `invalid_input` for a table that replicates its own rows, or is sharded over the nodes.
 */
export async function requireWhole(load: Load): Promise<void> {
  const { database, request } = load;
  const refuse = (why: string) => invalidInput('table', `${request.table} ${why}`);
  const rows = await run(
    load,
    `SELECT database = {database:String} AND name = {table:String}, name, engine, engine_full FROM system.tables
      WHERE (database = {database:String} AND name = {table:String}) OR engine = 'Distributed'`,
    { database, table: request.table },
  );
  for (const [isTarget, name, kind, engineFull] of rows) {
    const engine = String(kind);
    if (Number(isTarget) === 1 && /^(?:Replicated|Shared)/.test(engine))
      throw refuse(
        `is a ${engine}, which replicates its rows itself: load them directly in the engine.`,
      );
    if (Number(isTarget) === 1 && request.mode === 'append' && engine !== 'MergeTree')
      throw refuse(
        `is a ${engine}, whose rows each node merges at a different time: append them directly in the engine.`,
      );
    const shared = sharedBy({ engine, engineFull: String(engineFull) });
    if (shared !== null && shared.database === database && shared.table === request.table)
      throw refuse(
        `is a shard of ${String(name)}, with different rows on each node: load them directly in the engine.`,
      );
  }
}

export function requireMode(
  request: LoadRequest,
  existing: readonly ExistingColumn[] | null,
): void {
  const { table, mode, columns, source } = request;
  if (mode === 'create' && existing !== null) throw tableTaken(table);
  if (mode !== 'append') return;
  if (existing === null) {
    throw invalidInput(
      'table',
      `The table ${table} does not exist, so rows cannot be appended to it.`,
    );
  }
  // Data without rows may have the columns of the table instead of its own.
  const hasRows = !Array.isArray(source) || source.length > 0;
  const computed = existing.filter(({ isComputed }) => isComputed).map(({ name }) => name);
  const given = columns.find(({ name }) => computed.includes(name));
  if (given !== undefined && hasRows) {
    throw invalidInput(
      null,
      `The rows cannot be appended to ${table}: its column ${given.name} is computed from the others. Leave it out.`,
    );
  }
  const mismatch = firstMismatch(columns, existing);
  if (mismatch !== null) {
    throw invalidInput(null, `The rows cannot be appended to ${table}: ${mismatch}.`);
  }
}

/** For `create`, when there is a table of that name. */
export function tableTaken(table: string): ServiceError {
  return new ServiceError('unique', `The table ${table} already exists.`, { attr: 'table' });
}

function firstMismatch(
  given: readonly Column[],
  existing: readonly ExistingColumn[],
): string | null {
  const types = new Map(existing.map((column) => [column.name, column.type]));
  for (const { name, type } of given) {
    const own = types.get(name);
    if (own === undefined) return `it has no column ${name}`;
    const written = typeToText(parseClickHouseType(type));
    if (own !== written && own !== `Nullable(${written})`) {
      return `its column ${name} is ${own}, but that of the file is ${type}`;
    }
  }
  const names = new Set(given.map((column) => column.name));
  const missing = existing.find(({ name, isComputed }) => !isComputed && !names.has(name));
  return missing === undefined ? null : `the file has no column ${missing.name}`;
}
