/** What a project's database holds. */
import { storedTablePrefix } from '../../../model/materialization-state.ts';
import type { EngineTable, TableColumn } from '../../engine-table.ts';
import type { EngineResponse } from '../http/http-client.ts';
import {
  asAdmin,
  asReader,
  readRows,
  type Session,
  type Statement,
  toTexts,
} from '../http/session.ts';
import { projectDatabase } from '../provision/project-users.ts';

/** Prefix of the tables of an unfinished load, which are hidden. */
export const UNFINISHED_PREFIX = '_load_';

const TABLES = `
SELECT name, comment, total_rows, total_bytes
FROM system.tables
WHERE database = {database:String} AND NOT startsWith(name, '${UNFINISHED_PREFIX}') AND NOT startsWith(name, '_tmp_')
  AND NOT startsWith(name, '${storedTablePrefix}')
ORDER BY name`;

const COLUMNS = `
SELECT table, name, type, comment
FROM system.columns
WHERE database = {database:String}
ORDER BY table, position`;

/** Names of the project's tables; empty when it has no database. */
export async function tableNames(session: Session, projectId: number): Promise<readonly string[]> {
  const params = { database: projectDatabase(projectId) };
  return toTexts(readRows(await asAdmin(session, { sql: TABLES, params })));
}

/** Sends a statement of the service, with the rights of one of its users. */
type Send = (statement: Statement) => Promise<EngineResponse>;

/** By name; empty when the project has no database. */
export function projectTables(
  session: Session,
  projectId: number,
): Promise<readonly EngineTable[]> {
  return listTables((statement) => asAdmin(session, statement), projectId);
}

/** The engine shows a user no table and no column that the user has no grant for. */
export async function readableTables(
  session: Session,
  projectId: number,
): Promise<readonly EngineTable[]> {
  const tables = await listTables(
    (statement) => asReader(session, projectId, statement),
    projectId,
  );
  return tables.filter(({ columns }) => columns.length > 0);
}

async function listTables(send: Send, projectId: number): Promise<readonly EngineTable[]> {
  const params = { database: projectDatabase(projectId) };
  // One after the other: a project's reader may be limited to one query at a time.
  const tables = readRows(await send({ sql: TABLES, params }));
  const columns = readRows(await send({ sql: COLUMNS, params }));
  const byTable = new Map<string, TableColumn[]>();
  for (const [table, name, type, comment] of columns) {
    const own = byTable.get(String(table)) ?? [];
    own.push({ name: String(name), type: String(type), comment: String(comment) });
    byTable.set(String(table), own);
  }
  return tables.map(([name, comment, rows, bytes]) => ({
    name: String(name),
    comment: String(comment),
    rows: toCount(rows),
    bytes: toCount(bytes),
    columns: byTable.get(String(name)) ?? [],
  }));
}

function toCount(value: unknown): number | null {
  return value === null || value === undefined ? null : Number(value);
}
