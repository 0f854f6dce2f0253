import { digestSql } from '../../compare/difference-sql.ts';
import { type AdminSession, readRows, rowSettings } from '../../http/session.ts';

/** Long timeout, because all rows are read. */
const DIGEST_MS = 3_600_000;

/** The number of rows that a digest covers. */
export function rowsOf(digest: string | undefined): number {
  const [rows]: unknown[] = JSON.parse(digest ?? '[0]') as unknown[];
  return Number(rows);
}

/** A table's row count and a hash of all its rows. @param table qualified and quoted. */
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
