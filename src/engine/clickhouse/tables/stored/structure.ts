import type { StoredTableName } from '../../../node-completion.ts';
import type { Column } from '../../../query-engine.ts';
import { unavailable } from '../../errors/failures.ts';
import { asWriter, readRows, rowSettings, type Session, toColumns } from '../../http/session.ts';
import { qualified } from '../../load/load-sql.ts';
import { typeSettings } from './make-table.ts';
import { requireStored } from './stored-names.ts';

export interface Structure {
  readonly columns: readonly Column[];
  /** Creates an empty table with the same structure. */
  readonly create: (name: string) => Promise<unknown>;
}

/** @throws ServiceError `engine_unavailable` when the table does not exist. */
export async function structureOf(
  session: Session,
  { projectId, table }: StoredTableName,
): Promise<Structure> {
  const database = requireStored(session, projectId);
  const read = async (sql: string) =>
    readRows(
      await asWriter(session, projectId, {
        sql,
        params: { database, table },
        settings: { ...rowSettings, show_table_uuid_in_table_create_query_if_not_nil: '0' },
      }),
    );
  const [row] = await read(
    'SELECT create_table_query FROM system.tables WHERE database = {database:String} AND name = {table:String}',
  );
  // Starts after the table's name, which contains no parenthesis.
  const definition = /\(.*$/s.exec(String(row?.[0]).slice(database.length))?.[0];
  if (definition === undefined) throw unavailable(`${database}.${table} is not there`);
  const columns = await read(
    'SELECT name, type FROM system.columns WHERE database = {database:String} AND table = {table:String} ORDER BY position',
  );
  return {
    columns: toColumns(columns),
    create: (name) =>
      asWriter(session, projectId, {
        sql: `CREATE TABLE ${qualified(database, name)} ${definition}`,
        settings: typeSettings,
      }),
  };
}
