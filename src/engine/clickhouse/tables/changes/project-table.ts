/** Tables of a project on one node, and the statements of changes. */
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

/** Under the id of the change, by which whoever takes it over ends what is still running. */
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
