/** The database of a project that no engine of this process has opened, as a command has to do beside a service. */
import type { Log } from '../../../lib/log.ts';
import { asService } from '../errors/translate-error.ts';
import type { EngineConnection } from '../http/connection.ts';
import { onEachNode, onEveryNode } from '../http/each-node.ts';
import type { EngineClient } from '../http/http-client.ts';
import { openClient } from '../http/open-client.ts';
import { readRows, rowSettings } from '../http/session.ts';
import { projectDatabase } from './project-users.ts';
import { createDatabaseSql } from './provision-sql.ts';

interface Reached {
  readonly connection: EngineConnection;
  readonly log: Log;
}

const timeoutMs = 30_000;

/**
 * How many tables the database has, at the node where it has most. Creates nothing.
 *
 * @throws ServiceError `engine_unavailable`
 */
export function countTables(reached: Reached, projectId: number): Promise<number> {
  const sql = 'SELECT count() FROM system.tables WHERE database = {database:String}';
  const request = { sql, params: { database: projectDatabase(projectId) }, settings: rowSettings };
  const login = reached.connection.admin;
  const counted = withClient(reached, async (client) => {
    const counts = await onEachNode({ client }, async () => {
      const [[count] = []] = readRows(await client.send({ ...request, login, timeoutMs }));
      return Number(count);
    });
    return Math.max(...counts);
  });
  return asService(counted);
}

/** Only the database: the users of a server's own engine are in a file that the server maintains. */
export async function createDatabase(reached: Reached, projectId: number): Promise<void> {
  const sql = createDatabaseSql(projectId);
  const login = reached.connection.admin;
  await withClient(reached, (client) =>
    onEveryNode({ client }, () => client.send({ login, sql, timeoutMs })),
  );
}

async function withClient<T>(
  { connection, log }: Reached,
  work: (client: EngineClient) => Promise<T>,
): Promise<T> {
  const client = openClient(connection, { log });
  try {
    return await work(client);
  } finally {
    client.close();
  }
}
