/**
 * Describes queries as if another table replaced an existing one, or as if that table were dropped. Changes nothing at
 * the engine.
 */
import { randomBytes } from 'node:crypto';
import { quoteName } from '../../../sql/quote-name.ts';
import { requireTableName } from '../../../sql/table-name.ts';
import type { Column, EngineStatement } from '../../query-engine.ts';
import type { TableTrial, TrialTable } from '../../table-loader.ts';
import { withReadable } from '../analysis.ts';
import { translateError } from '../errors/translate-error.ts';
import {
  type AdminSession,
  asAdmin,
  readRows,
  rowSettings,
  toColumns,
  toTexts,
} from '../http/session.ts';
import { projectDatabase } from '../provision/project-users.ts';

const TIMEOUT_MS = 60_000;
const SESSION_SECONDS = 60;

/**
 * A temporary table of an engine session hides the project's table of the same name. Texts were checked when they were
 * saved; here they are described, not run.
 */
export async function openTableTrial(
  session: AdminSession,
  { projectId, table, columns }: TrialTable,
): Promise<TableTrial> {
  requireTableName(table);
  const database = projectDatabase(projectId);
  const own = {
    session_id: randomBytes(16).toString('hex'),
    session_timeout: `${SESSION_SECONDS}`,
  };
  const send = async (
    sql: string,
    { params = {}, isTrial = false }: Partial<EngineStatement> & { readonly isTrial?: boolean },
  ) => {
    const settings = { ...rowSettings, session_timezone: 'UTC', ...(isTrial ? own : {}) };
    const login = { ...session.connection.admin, database };
    return readRows(
      await session.client.send({ login, sql, params, settings, timeoutMs: TIMEOUT_MS }),
    );
  };
  const describe = async ({ sql, params }: EngineStatement, isTrial: boolean) => {
    try {
      return toColumns(
        await withReadable({ sql, params }, (text, values) =>
          send(`DESCRIBE (\n${text}\n)`, { params: values, isTrial }),
        ),
      );
    } catch (error) {
      throw translateError(error, { fault: 'invalid_query', projectId, sql, bytesBefore: 11 });
    }
  };
  if (columns !== null) await send(temporary(table, columns), { isTrial: true });
  return {
    columnsNow: (statement) => describe(statement, false),
    columnsThen: (statement) => describe(statement, true),
    async readsTable({ sql, params }) {
      const lines = toTexts(
        await withReadable({ sql, params }, (text, values) =>
          send(`EXPLAIN QUERY TREE passes = 1\n${text}`, { params: values }),
        ),
      );
      const name = `table_name: ${database}.${table}`;
      return lines.some((line) => line.endsWith(name) || line.includes(`${name},`));
    },
    async close() {
      if (columns === null) return;
      await send(`DROP TEMPORARY TABLE IF EXISTS ${quoteName(table)}`, { isTrial: true });
    },
  };
}

function temporary(table: string, columns: readonly Column[]): string {
  const all = columns.map(({ name, type }) => `${quoteName(name)} ${type}`).join(', ');
  return `CREATE TEMPORARY TABLE ${quoteName(table)} (${all}) ENGINE = MergeTree ORDER BY tuple()`;
}

export async function dropTableOf(
  session: AdminSession,
  { projectId, table }: Omit<TrialTable, 'columns'>,
): Promise<void> {
  requireTableName(table);
  const target = `${projectDatabase(projectId)}.${quoteName(table)}`;
  await asAdmin(session, { sql: `DROP TABLE IF EXISTS ${target} SYNC` });
}
