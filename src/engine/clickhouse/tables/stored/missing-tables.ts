/** Finds stored tables that some node of a single-address engine lacks. */
import { storedTablePrefix } from '../../../../model/materialization-state.ts';
import type { StoredTableName } from '../../../node-completion.ts';
import { asAdmin, readRows, type Session } from '../../http/session.ts';
import { ofAllNodes } from '../../topology/on-cluster.ts';
import { requireStored } from './stored-names.ts';

interface Lookup {
  readonly session: Session;
  readonly provision: (projectId: number) => Promise<void>;
}

/** Projects whose database is missing on a node are provisioned again: its machine was replaced. */
export async function findMissingTables(
  { session, provision }: Lookup,
  tables: readonly StoredTableName[],
): Promise<readonly StoredTableName[]> {
  if (tables.length === 0) return [];
  const of = (table: string) => ofAllNodes(session.connection, table);
  const [[all] = []] = readRows(
    await asAdmin(session, { sql: `SELECT count() FROM ${of('system.one')}` }),
  );
  const sql = `SELECT database, name, count() FROM ${of('system.tables')} WHERE startsWith(name, '${storedTablePrefix}') GROUP BY database, name
    UNION ALL SELECT name, '', count() FROM ${of('system.databases')} GROUP BY name`;
  const everywhere = new Set(
    readRows(await asAdmin(session, { sql }))
      .filter(([, , nodes]) => Number(nodes) >= Number(all))
      .map(([database, name]) => JSON.stringify([database, name])),
  );
  const has = (projectId: number, table: string) =>
    everywhere.has(JSON.stringify([requireStored(session, projectId), table]));
  const lacking = tables.filter(({ projectId, table }) => !has(projectId, table));
  for (const projectId of new Set(lacking.map((table) => table.projectId)))
    if (!has(projectId, '')) await provision(projectId);
  return lacking;
}
