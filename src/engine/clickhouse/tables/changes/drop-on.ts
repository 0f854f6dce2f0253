import { EngineError } from '../../errors/engine-error.ts';
import { type AdminSession, asAdmin } from '../../http/session.ts';
import { fullName, type ProjectTable } from './project-table.ts';

const UNKNOWN_DATABASE = 81;

/** Idempotent, even when the project is gone. */
export async function dropOn(session: AdminSession, table: ProjectTable): Promise<void> {
  const sql = `DROP TABLE IF EXISTS ${fullName(table)} SYNC`;
  try {
    await asAdmin(session, { sql });
  } catch (error) {
    if (!(error instanceof EngineError && error.code === UNKNOWN_DATABASE)) throw error;
  }
}
