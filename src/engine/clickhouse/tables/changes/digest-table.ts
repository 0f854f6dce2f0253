import { digestSql } from '../../compare/difference-sql.ts';
import { type AdminSession, readRows, rowSettings } from '../../http/session.ts';

/** All rows are read. */
const DIGEST_MS = 3_600_000;

/** The number of rows that a digest is of. */
export function rowsOf(digest: string | undefined): number {
  const [rows]: unknown[] = JSON.parse(digest ?? '[0]') as unknown[];
  return Number(rows);
}

/** The number of rows of a table and a hash of all of them. @param table qualified and quoted. */
export async function digestTable(
  { client, connection }: AdminSession,
  table: string,
): Promise<string> {
  const sql = digestSql(`SELECT * FROM ${table}`, null);
  const login = connection.admin;
  const repeatable = true;
  const request = { login, sql, settings: rowSettings, timeoutMs: DIGEST_MS, repeatable };
  return JSON.stringify(readRows(await client.send(request))[0] ?? []);
}
