import type { Log } from '../../../lib/log.ts';
import { requireTableName } from '../../../sql/table-name.ts';
import type { TableLoader, TableTrial, TrialTable } from '../../table-loader.ts';
import { asService } from '../errors/translate-error.ts';
import type { EngineConnection } from '../http/connection.ts';
import { openEngineClient } from '../http/http-client.ts';
import { dropOnNodes } from '../tables/changes/drop-table.ts';
import { openTableNodes } from '../tables/changes/table-nodes.ts';
import { dropTableOf, openTableTrial } from './table-trial.ts';

export function openTableLoader(connection: EngineConnection, log: Log): TableLoader {
  const client = openEngineClient({ url: connection.url });
  const nodes = openTableNodes(connection);

  /** Pinned to one node, because a temporary table exists only there. */
  async function openTrial(trial: TrialTable): Promise<TableTrial> {
    const [session = { client, connection }] = (await nodes?.upToDate()) ?? [];
    return openTableTrial(session, trial);
  }

  async function drop(projectId: number, table: string): Promise<void> {
    requireTableName(table);
    if (nodes === null) await dropTableOf({ client, connection }, { projectId, table });
    else await dropOnNodes({ nodes, log }, { projectId, table });
  }

  return {
    openTrial: (trial) => asService(openTrial(trial)),
    drop: (projectId, table) => asService(drop(projectId, table)),
    close() {
      client.close();
      nodes?.close();
    },
  };
}
