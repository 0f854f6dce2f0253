/** What a project's database holds. */
import { storedTablePrefix } from '../../../model/materialization-state.ts';
import type { Column, EngineTable } from '../../query-engine.ts';
import { asAdmin, readRows, type Session, toTexts } from '../http/session.ts';
import { projectDatabase } from '../provision/project-users.ts';

/** Prefix of the tables of an unfinished load, which are hidden. */
export const UNFINISHED_PREFIX = '_load_';

const TABLES = `
SELECT name, ifNull(total_rows, 0), ifNull(total_bytes, 0)
FROM system.tables
WHERE database = {database:String} AND NOT startsWith(name, '${UNFINISHED_PREFIX}') AND NOT startsWith(name, '_tmp_')
  AND NOT startsWith(name, '${storedTablePrefix}')
ORDER BY name`;

const COLUMNS = `
SELECT table, name, type
FROM system.columns
WHERE database = {database:String}
ORDER BY table, position`;

/** Names of the project's tables; empty when it has no database. */
export async function tableNames(session: Session, projectId: number): Promise<readonly string[]> {
  const params = { database: projectDatabase(projectId) };
  return toTexts(readRows(await asAdmin(session, { sql: TABLES, params })));
}

/** By name; empty when the project has no database. */
export async function projectTables(
  session: Session,
  projectId: number,
): Promise<readonly EngineTable[]> {
  const params = { database: projectDatabase(projectId) };
  const [tables, columns] = await Promise.all([
    asAdmin(session, { sql: TABLES, params }),
    asAdmin(session, { sql: COLUMNS, params }),
  ]);
  const byTable = new Map<string, Column[]>();
  for (const [table, name, type] of readRows(columns)) {
    const own = byTable.get(String(table)) ?? [];
    own.push({ name: String(name), type: String(type) });
    byTable.set(String(table), own);
  }
  return readRows(tables).map(([name, rows, bytes]) => ({
    name: String(name),
    rows: Number(rows),
    bytes: Number(bytes),
    columns: byTable.get(String(name)) ?? [],
  }));
}
