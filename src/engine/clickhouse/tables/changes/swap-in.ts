import { quoteName } from '../../../../sql/quote-name.ts';
import { type AdminSession, asAdmin, readRows, rowSettings } from '../../http/session.ts';
import { projectDatabase } from '../../provision/project-users.ts';
import type { ProjectTable } from './drop-on.ts';

export interface Swapped extends ProjectTable {
  /** The name of the table that takes the place of the one that is there, which gets this name. */
  readonly staging: string;
  readonly changeId: string;
  /** Whether none may be there. */
  readonly isNew?: boolean;
}

const SWAP_MS = 120_000;

/** In one step: who reads the table reads the old rows or the new ones. */
export async function swapIn(
  session: AdminSession,
  { projectId, table, staging, changeId, isNew = false }: Swapped,
): Promise<void> {
  const database = projectDatabase(projectId);
  const [from, to] = [staging, table].map((name) => `${database}.${quoteName(name)}`);
  const sql =
    !isNew && (await hasTable(session, { projectId, table }))
      ? `EXCHANGE TABLES ${from} AND ${to}`
      : `RENAME TABLE ${from} TO ${to}`;
  const { client, connection } = session;
  await client.send({
    login: connection.admin,
    sql,
    settings: rowSettings,
    queryId: changeId,
    timeoutMs: SWAP_MS,
  });
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
