import type { TableLoader } from '../../table-loader.ts';
import { asService } from '../errors/translate-error.ts';
import type { EngineConnection } from '../http/connection.ts';
import { openEngineClient } from '../http/http-client.ts';
import type { AdminSession } from '../http/session.ts';
import { dropTableOf, openTableTrial } from './table-trial.ts';

export function openTableLoader(connection: EngineConnection): TableLoader {
  const client = openEngineClient({ url: connection.url });
  const session: AdminSession = { client, connection };
  return {
    openTrial: (trial) => asService(openTableTrial(session, trial)),
    drop: (projectId, table) => asService(dropTableOf(session, { projectId, table })),
    close: () => client.close(),
  };
}
