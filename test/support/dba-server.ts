/**
 * A ClickHouse of somebody else: databases, users and grants that its administrator has made, here by its configuration. The
 * service has no administrator's login to it.
 */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { openLog } from '../../src/config/open-log.ts';
import type { UserSetting } from '../../src/engine/clickhouse/provision/project-users.ts';
import {
  findFreePort,
  startEngineProcess,
  waitUntilServing,
} from '../../src/engine/embedded/engine-process.ts';
import { serverFolder } from './memory-folder.ts';

export interface DbaUser {
  readonly name: string;
  /** Null: all rights. */
  readonly grants: readonly string[] | null;
  /** The settings of its profile, as XML. */
  readonly profile: string;
  /** The name of that profile; one of its own when absent. */
  readonly profileName?: string;
  /** A row policy for it alone. */
  readonly sees?: {
    readonly database: string;
    readonly table: string;
    readonly condition: string;
  };
}

export interface DbaServer {
  /** Without a user. */
  readonly url: string;
  /** With the user, whose password is its name. */
  urlOf(user: string): string;
  /** A statement as the user; the administrator when absent. */
  sql(statement: string, user?: string): Promise<string>;
  stop(): Promise<void>;
}

export const dba = 'dba';

/** The settings and constraints of a profile, as a statement of `project sql` names them. */
export function profileOf(settings: readonly UserSetting[]): string {
  const values = settings.map(({ name, value }) =>
    value === null ? '' : `<${name}>${value}</${name}>`,
  );
  const constraints = settings.map(({ name, change }) => {
    if (change === 'fixed') return `<${name}><const/></${name}>`;
    const range = change === 'free' ? '' : `<min>${change.min}</min><max>${change.max}</max>`;
    return `<${name}>${range}<changeable_in_readonly/></${name}>`;
  });
  return `${values.join('')}<constraints>${constraints.join('')}</constraints>`;
}

export async function startDbaServer(users: readonly DbaUser[]): Promise<DbaServer> {
  const dir = await mkdtemp(path.join(await serverFolder(), 'querydock-dba-'));
  const [configDir, dataDir, workDir] = ['config', 'data', 'work'].map((name) =>
    path.join(dir, name),
  );
  if (configDir === undefined || dataDir === undefined || workDir === undefined) throw new Error();
  for (const folder of [configDir, dataDir, workDir]) await mkdir(folder);
  const tcpPort = await findFreePort();
  await writeFile(path.join(configDir, 'config.xml'), configXml(tcpPort));
  await writeFile(
    path.join(configDir, 'users.xml'),
    usersXml([{ name: dba, grants: null, profile: '' }, ...users]),
  );
  const port = await findFreePort();
  const engine = startEngineProcess({
    configFile: path.join(configDir, 'config.xml'),
    dataDir,
    workDir,
    port,
    user: null,
    readsAnyFile: true,
    log: openLog('silent'),
  });
  const isServing = await waitUntilServing(engine, port, 60_000);
  if (!isServing) throw new Error(await engine.exited);
  const url = `http://127.0.0.1:${port}`;
  async function sql(statement: string, user = dba): Promise<string> {
    const headers = { 'x-clickhouse-user': user, 'x-clickhouse-key': user };
    const response = await fetch(url, { method: 'POST', body: statement, headers });
    const text = await response.text();
    if (!response.ok) throw new Error(text);
    return text;
  }
  return {
    url,
    urlOf: (user) => `http://${user}:${user}@127.0.0.1:${port}`,
    sql,
    async stop() {
      engine.kill();
      await engine.exited;
      await rm(dir, { recursive: true, force: true });
    },
  };
}

/** The cluster has one shard, the server itself, over its own TCP port, so that nothing leaves the process. */
function configXml(tcpPort: number): string {
  return `<clickhouse><users_config>users.xml</users_config><tcp_port>${tcpPort}</tcp_port>
<max_server_memory_usage>2000000000</max_server_memory_usage>
<remote_servers><one><shard><replica><host>127.0.0.1</host><port>${tcpPort}</port><user>${dba}</user><password>${dba}</password></replica></shard></one></remote_servers>
</clickhouse>`;
}

function usersXml(users: readonly DbaUser[]): string {
  const profiles = users.map(
    (user) => `<${profileName(user)}>${user.profile}</${profileName(user)}>`,
  );
  const boot =
    '<default><password></password><networks><ip>127.0.0.1</ip></networks><profile>boot</profile><quota>default</quota><grants><query>GRANT SYSTEM LISTEN ON *.*</query><query>GRANT SELECT ON system.numbers</query></grants></default>';
  return `<clickhouse><profiles><default/><boot><max_sessions_for_user>1</max_sessions_for_user></boot>${profiles.join('')}</profiles>
<quotas><default/></quotas><users>${boot}${users.map(userXml).join('\n')}</users></clickhouse>`;
}

function userXml(user: DbaUser): string {
  const { name, grants, sees } = user;
  const queries = (grants ?? []).map((grant) => `<query>GRANT ${grant}</query>`).join('');
  const rights = grants === null ? '' : `<grants>${queries}</grants>`;
  const policy =
    sees === undefined
      ? ''
      : `<databases><${sees.database}><${sees.table}><filter>${sees.condition}</filter></${sees.table}></${sees.database}></databases>`;
  return `<${name}><password>${name}</password><networks><ip>127.0.0.1</ip></networks><profile>${profileName(user)}</profile><quota>default</quota>${rights}${policy}</${name}>`;
}

function profileName({ name, profileName: given }: DbaUser): string {
  return given ?? `of_${name}`;
}
