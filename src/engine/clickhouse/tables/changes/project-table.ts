/** A project's tables on one node, and the statements of table changes. */
import { quoteName } from '../../../../sql/quote-name.ts';
import { type AdminSession, asAdmin, readRows, rowSettings } from '../../http/session.ts';
import { projectDatabase } from '../../provision/project-users.ts';

export interface ProjectTable {
  readonly projectId: number;
  readonly table: string;
}

/** Qualified and quoted. */
export function fullName({ projectId, table }: ProjectTable): string {
  return `${projectDatabase(projectId)}.${quoteName(table)}`;
}

/** @param name qualified and quoted. */
export async function countRowsOf(session: AdminSession, name: string): Promise<number> {
  const [row] = readRows(await asAdmin(session, { sql: `SELECT count() FROM ${name}` }));
  return Number(row?.[0]);
}

const CHANGE_MS = 120_000;

/** Sent under the change's id, so that a process taking the change over can cancel what is still running. */
export async function sendChange(
  { client, connection }: AdminSession,
  { sql, changeId }: { readonly sql: string; readonly changeId: string },
): Promise<void> {
  await client.send({
    login: connection.admin,
    sql,
    settings: rowSettings,
    queryId: changeId,
    timeoutMs: CHANGE_MS,
  });
}
