/** The service under trial: its own process and metadata database, and the operator's servers as its engine. */
import path from 'node:path';
import { settings } from '../../../src/config/config.ts';
import { openLog } from '../../../src/config/open-log.ts';
import { openEmbeddedPostgres } from '../../../src/store/embedded-postgres.ts';
import { applyMigrations } from '../../../src/store/migrate.ts';
import { findMigrationsDir } from '../../../src/store/migrations-folder.ts';
import { callGraphQL, callRest } from '../../cli/support/calls.ts';
import { querydock, querydockJson, startServer, tempFolder } from '../../cli/support/processes.ts';
import { withClient } from '../../support/test-server.ts';
import type { ClusterOptions } from './options.ts';

export interface AcceptanceService {
  rest<Body = Readonly<Record<string, unknown>>>(
    method: string,
    path: string,
    body?: object,
  ): Promise<{ readonly status: number; readonly body: Body }>;
  graphql(document: string): Promise<Readonly<Record<string, unknown>>>;
  stop(): Promise<void>;
}

const known: ReadonlySet<string> = new Set(Object.values(settings).map(({ env }) => env));

/** Settings that name nodes and clusters, of those that this version has. */
export function clusterSettings({ nodes, cluster }: ClusterOptions): Record<string, string> {
  const given = {
    CLICKHOUSE_NODES: nodes.join(','),
    CLICKHOUSE_CLUSTER: cluster ?? '',
  };
  return Object.fromEntries(
    Object.entries(given).filter(([name, value]) => known.has(name) && value !== ''),
  );
}

/** Throws with the service's own words when it does not start or has no place for the project. */
export async function openAcceptanceService(
  options: ClusterOptions,
  { projectId, secret }: { readonly projectId: number; readonly secret: string },
): Promise<AcceptanceService> {
  const folder = await tempFolder();
  const postgres = await openEmbeddedPostgres({
    dir: path.join(folder.dir, 'postgres'),
    log: openLog('silent'),
  });
  const close = async () => {
    await postgres.stop();
    await folder.remove();
  };
  try {
    await applyMigrations(postgres.connection, findMigrationsDir());
    await nextProject(postgres.databaseUrl, projectId);
    const env = {
      DATA_DIR: path.join(folder.dir, 'data'),
      DATABASE_URL: postgres.databaseUrl,
      CLICKHOUSE_URL: options.url,
      CLICKHOUSE_USER_SECRET: secret,
      SHUTDOWN_SECONDS: '1',
      DRAIN_SECONDS: '0',
      ...clusterSettings(options),
    };
    return await openService(env, close);
  } catch (error) {
    await close();
    throw error;
  }
}

/** So that the project has a database of its own at servers that may have those of other deployments. */
function nextProject(databaseUrl: string, id: number): Promise<unknown> {
  return withClient(databaseUrl, (client) =>
    client.query("SELECT setval(pg_get_serial_sequence('project', 'id'), $1, false)", [id]),
  );
}

async function openService(
  env: Readonly<Record<string, string>>,
  close: () => Promise<void>,
): Promise<AcceptanceService> {
  const server = await startServer('start', env);
  try {
    // An operator may have made its database, and an earlier trial may have left tables.
    const command = ['project', 'create', 'acceptance', '--use-tables', '--json'];
    const created = await querydock(command, env);
    // Without its database or users, the project is created with a note.
    if (created.code !== 0 || created.stderr.includes('could not be created'))
      throw new Error(created.stderr.trim().replaceAll('\n', ' '));
    const { id } = JSON.parse(created.stdout) as { readonly id: number };
    const words = ['key', 'create', '--project', String(id), '--scope', 'endpoint:write'];
    const { key } = await querydockJson<{ key: string }>(words, env);
    const caller = { url: server.url, projectId: id, key };
    return {
      rest: (method, tail, body) => callRest(caller, { method, path: tail, body }),
      async graphql(document) {
        const { data, errors } = await callGraphQL<Record<string, unknown>>(caller, document);
        if (data === undefined) throw new Error(errors?.[0]?.message ?? 'no data');
        return data;
      },
      async stop() {
        await server.end('SIGTERM');
        await close();
      },
    };
  } catch (error) {
    await server.end('SIGTERM');
    throw error;
  }
}
