/** The address of an engine and its logins. */
import { nodeUrls } from '../../../config/cluster-settings.ts';
import type { Config } from '../../../config/config.ts';
import { ServiceError } from '../../../errors/service-error.ts';
import type { NodeJournal } from '../../../model/node-journal.ts';
import {
  derivedPassword,
  type ProjectRole,
  projectDatabase,
  projectUser,
} from '../provision/project-users.ts';

export interface EngineLogin {
  readonly user: string;
  readonly password: string;
  /** Passwords before this one that the engine may still want. */
  readonly former?: readonly string[];
}

export interface ProjectLogin extends EngineLogin {
  readonly database: string;
}

export interface EngineConnection {
  /** Scheme, host and port; no credentials. */
  readonly url: string;
  /** Of an engine of several nodes whose addresses are known: those of all, without credentials. */
  readonly nodes?: readonly string[];
  /** By what the service knows these from one start to the next, in the same order; absent: their addresses. */
  readonly nodeNames?: readonly string[];
  /** Of these: the changes of tables that are under way or that one of them has missed. Absent: nobody changes tables. */
  readonly journal?: NodeJournal;
  /** Of an engine of several nodes: the name by which they know their cluster. */
  readonly cluster?: string;
  readonly admin: EngineLogin;
  credentials(projectId: number, role: ProjectRole): ProjectLogin;
}

export function projectLogin(secret: string, projectId: number, role: ProjectRole): ProjectLogin {
  const user = projectUser(projectId, role);
  return { user, password: derivedPassword(secret, user), database: projectDatabase(projectId) };
}

/** The logins derived from a secret. Each is derived once, since every query of a project needs it. */
export function projectLogins(secret: string): EngineConnection['credentials'] {
  const cached = {
    reader: new Map<number, ProjectLogin>(),
    writer: new Map<number, ProjectLogin>(),
  };
  return (projectId, role) => {
    const found = cached[role].get(projectId);
    if (found !== undefined) return found;
    const login = projectLogin(secret, projectId, role);
    cached[role].set(projectId, login);
    return login;
  };
}

/**
 * Parses a server's URL with the administrator as user and password.
 *
 * @param secret the project users' passwords are derived from it; empty: from the URL's password.
 * @throws ServiceError `engine_unavailable` when both are empty: anybody could derive the passwords.
 */
export function remoteConnection(
  clickhouseUrl: string,
  secret: string,
  { clickhouseCluster: cluster, clickhouseNodes }: ClusterSettings = noCluster,
): EngineConnection {
  const parsed = new URL(clickhouseUrl);
  const admin = {
    user: decodeURIComponent(parsed.username) || 'default',
    password: decodeURIComponent(parsed.password),
  };
  const usersSecret = secret === '' ? admin.password : secret;
  if (usersSecret === '') {
    throw new ServiceError('engine_unavailable', 'The engine of this service is not configured.', {
      internal:
        'CLICKHOUSE_URL has no password and CLICKHOUSE_USER_SECRET is empty: set one of them, the passwords of the projects’ engine users are derived from it.',
    });
  }
  return {
    url: `${parsed.protocol}//${parsed.host}${parsed.pathname.replace(/\/$/, '')}`,
    admin,
    credentials: projectLogins(usersSecret),
    ...(cluster === '' ? {} : { cluster }),
    ...(clickhouseNodes === '' ? {} : { nodes: nodeUrls(clickhouseNodes) }),
  };
}

/** The nodes of a local engine get other ports at each start. */
export function localNodeNames(nodes: readonly unknown[]): readonly string[] {
  return nodes.map((_, at) => `local ${at + 1}`);
}

/** By what the journal knows the node of an address. */
export function nameOfNode(
  { nodes = [], nodeNames = nodes }: EngineConnection,
  url: string,
): string {
  return nodeNames[nodes.indexOf(url)] ?? url;
}

/** Whether the engine at the URL is that of the connection: it may be another one, which has one address. */
export function isSameEngine(url: string, { url: own, nodes = [] }: EngineConnection): boolean {
  return [own, ...nodes].some((address) => new URL(address).host === new URL(url).host);
}

type ClusterSettings = Pick<Config, 'clickhouseCluster' | 'clickhouseNodes'>;
const noCluster: ClusterSettings = { clickhouseCluster: '', clickhouseNodes: '' };
