import { isTableTaken } from '../../errors/engine-error.ts';
import { type AdminSession, asAdmin, readRows } from '../../http/session.ts';
import { projectDatabase } from '../../provision/project-users.ts';
import { fullName, type ProjectTable, sendChange } from './project-table.ts';

export interface Swapped extends ProjectTable {
  /** Name of the hidden table. It swaps names with the existing table. */
  readonly staging: string;
  readonly changeId: string;
  /** Whether no table of that name may exist. */
  readonly isNew?: boolean;
}

/** Atomic: a reader of the table sees the old rows or the new ones. */
export async function swapIn(
  session: AdminSession,
  { projectId, table, staging, changeId, isNew = false }: Swapped,
): Promise<void> {
  const from = fullName({ projectId, table: staging });
  const to = fullName({ projectId, table });
  const exchange = () =>
    sendChange(session, { sql: `EXCHANGE TABLES ${from} AND ${to}`, changeId });
  if (!isNew && (await hasTable(session, { projectId, table }))) return exchange();
  try {
    await sendChange(session, { sql: `RENAME TABLE ${from} TO ${to}`, changeId });
  } catch (error) {
    // Somebody may have created it since.
    if (isNew || !isTableTaken(error)) throw error;
    await exchange();
  }
}

export async function hasTable(
  session: AdminSession,
  { projectId, table }: ProjectTable,
): Promise<boolean> {
  const rows = await asAdmin(session, {
    sql: 'SELECT 1 FROM system.tables WHERE database = {database:String} AND name = {table:String}',
    params: { database: projectDatabase(projectId), table },
  });
  return readRows(rows).length > 0;
}
