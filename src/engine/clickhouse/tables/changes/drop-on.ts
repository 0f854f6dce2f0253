import { quoteName } from '../../../../sql/quote-name.ts';
import { EngineError } from '../../errors/engine-error.ts';
import { type AdminSession, asAdmin } from '../../http/session.ts';
import { projectDatabase } from '../../provision/project-users.ts';

export interface ProjectTable {
  readonly projectId: number;
  readonly table: string;
}

const UNKNOWN_DATABASE = 81;

/** Idempotent, also for a project that is gone. */
export async function dropOn(
  session: AdminSession,
  { projectId, table }: ProjectTable,
): Promise<void> {
  const sql = `DROP TABLE IF EXISTS ${projectDatabase(projectId)}.${quoteName(table)} SYNC`;
  try {
    await asAdmin(session, { sql });
  } catch (error) {
    if (!(error instanceof EngineError && error.code === UNKNOWN_DATABASE)) throw error;
  }
}
