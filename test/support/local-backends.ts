/** A PostgreSQL and an engine of their own, for processes of the service that are started, killed and started again. */
import path from 'node:path';
import { readConfig } from '../../src/config/config.ts';
import { openLog } from '../../src/config/open-log.ts';
import {
  type EmbeddedEngine,
  openEmbeddedEngine,
} from '../../src/engine/embedded/embedded-engine.ts';
import { type EmbeddedPostgres, openEmbeddedPostgres } from '../../src/store/embedded-postgres.ts';

export interface LocalBackends {
  readonly postgres: EmbeddedPostgres;
  readonly engine: EmbeddedEngine;
  /** By which a process of the service finds them. */
  readonly env: {
    readonly DATABASE_URL: string;
    readonly CLICKHOUSE_URL: string;
    readonly CLICKHOUSE_USER_SECRET: string;
  };
}

const secret = 'of the local backends';

/** Their data is in `dir`. The caller stops both. */
export async function openLocalBackends(dir: string): Promise<LocalBackends> {
  const log = openLog('silent');
  const postgres = await openEmbeddedPostgres({ dir: path.join(dir, 'postgres'), log });
  const engine = await openEmbeddedEngine({
    dir: path.join(dir, 'engine'),
    config: readConfig({}),
    log,
    secret,
    highestProjectId: 4,
  });
  const url = new URL(engine.connection.url);
  url.username = engine.connection.admin.user;
  url.password = engine.connection.admin.password;
  const env = {
    DATABASE_URL: postgres.databaseUrl,
    CLICKHOUSE_URL: url.href,
    CLICKHOUSE_USER_SECRET: secret,
  };
  return { postgres, engine, env };
}
