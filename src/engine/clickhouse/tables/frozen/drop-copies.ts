/** Names and drops the copies that a sync reads. */
import { EngineError } from '../../errors/engine-error.ts';
import { asAdmin, readRows, type Session, toTexts } from '../../http/session.ts';
import { qualified } from '../../load/load-sql.ts';
import { projectDatabase } from '../../provision/project-users.ts';
import { clusterOf } from '../../topology/on-cluster.ts';

/** The name of a copy. A copy whose sync died is found by this name. */
export function copyName(table: string, index: number): string {
  return `${copyPrefix(table)}${index}`;
}

function copyPrefix(table: string): string {
  return `${table}_source_`;
}

const UNKNOWN_DATABASE = 81;

/** Runs as the administrator, who created them. Idempotent, even when the project is gone. */
export async function dropCopies(
  session: Session,
  { projectId, table }: { readonly projectId: number; readonly table: string },
): Promise<void> {
  // None are created for these projects: see freezeTables.
  if (session.place(projectId).isBound || clusterOf(session.connection) !== null) return;
  const response = await asAdmin(session, {
    sql: 'SELECT name FROM system.tables WHERE database = {database:String} AND startsWith(name, {prefix:String})',
    params: { database: projectDatabase(projectId), prefix: copyPrefix(table) },
  });
  for (const copy of toTexts(readRows(response))) await dropCopy(session, { projectId, copy });
}

/**
 * Synchronous, so that it does not keep rows on disk that its source has deleted. Exempt from the size limit for drops,
 * because it is not a project's table.
 */
export async function dropCopy(
  session: Session,
  { projectId, copy }: { readonly projectId: number; readonly copy: string },
): Promise<void> {
  const name = qualified(projectDatabase(projectId), copy);
  try {
    const sql = `DROP TABLE IF EXISTS ${name} SYNC SETTINGS max_table_size_to_drop = 0`;
    await asAdmin(session, { sql });
  } catch (error) {
    if (!(error instanceof EngineError) || error.code !== UNKNOWN_DATABASE) throw error;
  }
}
