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
  /** Earlier passwords that the engine may still expect. */
  readonly former?: readonly string[];
}

export interface ProjectLogin extends EngineLogin {
  readonly database: string;
}

export interface EngineConnection {
  /** Scheme, host and port; no credentials. */
  readonly url: string;
  /** The URLs of all nodes, without credentials. Absent when only one address is known. */
  readonly nodes?: readonly string[];
  /** Names that identify the nodes across restarts, in the same order; absent when their addresses do. */
  readonly nodeNames?: readonly string[];
  /** The journal of table changes that are in progress or that a node has missed. Absent when nobody changes tables. */
  readonly journal?: NodeJournal;
  /** The name of the cluster as the nodes know it. Absent for a single node. */
  readonly cluster?: string;
  readonly admin: EngineLogin;
  credentials(projectId: number, role: ProjectRole): ProjectLogin;
}

export function projectLogin(secret: string, projectId: number, role: ProjectRole): ProjectLogin {
  const user = projectUser(projectId, role);
  return { user, password: derivedPassword(secret, user), database: projectDatabase(projectId) };
}

/** The logins derived from a secret. Cached, since every query of a project needs one. */
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
 * Parses a server's URL, whose user and password are the administrator's.
 *
 * @param secret the project users' passwords are derived from it; when empty, from the URL's password. @throws
 * ServiceError `engine_unavailable` when both are empty, because anybody could derive the passwords.
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
        'CLICKHOUSE_URL has no password and CLICKHOUSE_USER_SECRET is empty: set one of them; the passwords of the engine users of projects are derived from it.',
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

/** Stable names, because the nodes of a local engine get new ports at each start. */
export function localNodeNames(nodes: readonly unknown[]): readonly string[] {
  return nodes.map((_, at) => `local ${at + 1}`);
}

/** The journal's name for the node at an address. */
export function nameOfNode(
  { nodes = [], nodeNames = nodes }: EngineConnection,
  url: string,
): string {
  return nodeNames[nodes.indexOf(url)] ?? url;
}

/** Whether the URL points at the connection's engine rather than at a second, single-address one. */
export function isSameEngine(url: string, { url: own, nodes = [] }: EngineConnection): boolean {
  return [own, ...nodes].some((address) => new URL(address).host === new URL(url).host);
}

type ClusterSettings = Pick<Config, 'clickhouseCluster' | 'clickhouseNodes'>;
const noCluster: ClusterSettings = { clickhouseCluster: '', clickhouseNodes: '' };
