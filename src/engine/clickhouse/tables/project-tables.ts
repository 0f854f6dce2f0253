/** What the databases of a project hold. */
import { storedTablePrefix } from '../../../model/materialization-state.ts';
import { formatParam } from '../../../sql/param-value.ts';
import type { EngineTable, TableColumn } from '../../engine-table.ts';
import type { ProjectPlace } from '../../project-place.ts';
import { EngineError } from '../errors/engine-error.ts';
import type { EngineResponse } from '../http/http-client.ts';
import { asAdmin, asReader, readRows, type Session, type Statement } from '../http/session.ts';
import { qualified } from '../load/load-sql.ts';

/** Prefix of the tables of an unfinished load, which are hidden. */
export const UNFINISHED_PREFIX = '_load_';

const TABLES = `
SELECT database, name, comment, total_rows, total_bytes, engine
FROM system.tables
WHERE database IN {databases:Array(String)} AND NOT startsWith(name, '${UNFINISHED_PREFIX}') AND NOT startsWith(name, '_tmp_')
  AND NOT startsWith(name, '${storedTablePrefix}')
ORDER BY indexOf({databases:Array(String)}, database), name`;

const COLUMNS = `
SELECT database, table, name, type, comment
FROM system.columns
WHERE database IN {databases:Array(String)}
ORDER BY database, table, position`;

function paramsOf({ databases }: ProjectPlace) {
  return { databases: formatParam('Array(String)', databases, 'databases') };
}

/** Names of the project's tables as queries write them; empty when it has no database. */
export async function tableNames(session: Session, projectId: number): Promise<readonly string[]> {
  const place = session.place(projectId);
  const rows = readRows(await asAdmin(session, { sql: TABLES, params: paramsOf(place) }));
  return rows.flatMap(([database, name]) => toName(place, String(database), String(name)) ?? []);
}

/**
 * A table of the first database by its own name, any other with its database, so that a name always means the same table.
 * Null for one that queries cannot name.
 */
function toName(
  { databases, isBound }: ProjectPlace,
  database: string,
  table: string,
): string | null {
  if (isBound && table.includes('.')) return null;
  return database === databases[0] ? table : `${database}.${table}`;
}

/** Sends a statement of the service, with the rights of one of its users. */
type Send = (statement: Statement) => Promise<EngineResponse>;

interface Listing {
  readonly place: ProjectPlace;
  readonly send: Send;
}

/** By name; empty when the project has no database. */
export function projectTables(
  session: Session,
  projectId: number,
): Promise<readonly EngineTable[]> {
  const place = session.place(projectId);
  return listTables({ place, send: (statement) => asAdmin(session, statement) });
}

/** The engine shows a user no table and no column that the user has no grant for. */
export async function readableTables(
  session: Session,
  projectId: number,
): Promise<readonly EngineTable[]> {
  const place = session.place(projectId);
  const send: Send = (statement) => asReader(session, projectId, statement);
  const tables = await listTables({ place, send });
  return tables.filter(({ columns }) => columns.length > 0);
}

async function listTables(listing: Listing): Promise<readonly EngineTable[]> {
  const { place, send } = listing;
  const params = paramsOf(place);
  // One after the other: a project's reader may be limited to one query at a time.
  const tables = readRows(await send({ sql: TABLES, params }));
  const columns = readRows(await send({ sql: COLUMNS, params }));
  const keyOf = (database: unknown, table: unknown) => JSON.stringify([database, table]);
  const byTable = new Map<string, TableColumn[]>();
  for (const [database, table, name, type, comment] of columns) {
    const key = keyOf(database, table);
    const own = byTable.get(key) ?? [];
    own.push({ name: String(name), type: String(type), comment: String(comment) });
    byTable.set(key, own);
  }
  const deadline = performance.now() + COUNT_MS;
  const found: EngineTable[] = [];
  for (const [database, own, comment, rows, bytes, engine] of tables) {
    const name = toName(place, String(database), String(own));
    if (name === null) continue;
    const isCounted = engine !== 'Distributed' || performance.now() > deadline;
    const table = { database: String(database), table: String(own) };
    found.push({
      name,
      ...(name === own ? {} : { database: table.database }),
      comment: String(comment),
      rows: isCounted ? countOf(engine, rows) : await countRows(listing, table),
      bytes: toCount(bytes),
      columns: byTable.get(keyOf(database, own)) ?? [],
    });
  }
  return found;
}

/** For all tables together that have to be asked for their rows. */
const COUNT_MS = 5000;
const COUNT_SECONDS = 2;

/** Of a table whose rows are in others, of which the engine’s catalogue says nothing or 0. Null where they cannot be counted soon. */
async function countRows(
  { send }: Listing,
  { database, table }: { readonly database: string; readonly table: string },
): Promise<number | null> {
  const source = qualified(database, table);
  const sql = `SELECT toString(count()) FROM ${source} SETTINGS max_execution_time = ${COUNT_SECONDS}`;
  try {
    return toCount(readRows(await send({ sql }))[0]?.[0]);
  } catch (error) {
    if (error instanceof EngineError) return null;
    throw error;
  }
}

function countOf(engine: unknown, rows: unknown): number | null {
  return engine === 'Distributed' ? null : toCount(rows);
}

function toCount(value: unknown): number | null {
  return value === null || value === undefined ? null : Number(value);
}
