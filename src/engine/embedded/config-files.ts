/** The files that the local engine reads at startup. All values are escaped. Pure. */
import type { Config } from '../../config/config.ts';
import {
  derivedPassword,
  fixed,
  grantsOf,
  type ProjectRole,
  projectDatabase,
  projectUser,
  readerSettings,
  sha256Hex,
  type UserLimits,
  type UserSetting,
  writerSettings,
} from '../clickhouse/provision/project-users.ts';
import { type LocalCluster, localClusters } from './local-cluster.ts';

/** Limits of the whole engine and of each user. */
export type LocalEngineLimits = UserLimits & Pick<Config, 'engineMemoryBytes'>;

/** Concurrent queries of the whole engine; a project has a smaller limit of its own. */
const MAX_QUERIES = 200;
/** Limit for the value of a query parameter; the engine's default is 128 KiB. */
const MAX_PARAM_BYTES = 4_194_304;

/** @param cluster set for one of several nodes. */
export function configXml(
  limits: Pick<LocalEngineLimits, 'engineMemoryBytes'>,
  cluster?: LocalCluster,
): string {
  return document({
    users_config: 'users.xml',
    max_server_memory_usage: limits.engineMemoryBytes,
    max_concurrent_queries: MAX_QUERIES,
    max_table_size_to_drop: 0,
    max_partition_size_to_drop: 0,
    mark_cache_size: 268_435_456,
    query_log: queryLog,
    ...(cluster === undefined ? {} : clusterElements(cluster)),
  });
}

/**
 * Provides executions' processor times. In memory and of bounded size, so that it writes nothing to disk and needs no
 * merges.
 */
const queryLog: Xml = {
  database: 'system',
  table: 'query_log',
  engine: 'ENGINE = Memory SETTINGS max_rows_to_keep = 20000',
  flush_interval_milliseconds: 5000,
};

/** Logs only the end of readers' queries, without their text, and no other user's. */
const logged = [
  fixed('log_queries', 1),
  fixed('log_queries_min_type', 'QUERY_FINISH'),
  fixed('log_queries_cut_to_length', 1),
  fixed('log_query_settings', 0),
];

const unlogged = fixed('log_queries', 0);

/** `internal_replication` is off, so a write to the shard of all nodes writes to each of them. */
function clusterElements({ secret, nodes, index }: LocalCluster): Record<string, Xml> {
  const replicas = nodes.map(({ tcp }) => ({ host: '127.0.0.1', port: tcp }));
  const shards = replicas.map((replica) => ({ internal_replication: 'false', replica }));
  const every = { internal_replication: 'false', replica: replicas };
  return {
    tcp_port: nodes[index]?.tcp ?? 0,
    remote_servers: {
      [localClusters.every]: { secret, shard: every },
      [localClusters.shards]: { secret, shard: shards },
    },
  };
}

export interface UsersFile {
  readonly limits: LocalEngineLimits;
  readonly adminUser: string;
  readonly adminPassword: string;
  /** The project users' passwords are derived from it. */
  readonly secret: string;
  /** Projects 1..slots get a reader; their databases are created later. */
  readonly slots: number;
  /** Which of them also get a writer. */
  readonly hasWriter: (projectId: number) => boolean;
}

export function usersXml(file: UsersFile): string {
  const { limits, adminUser, adminPassword, secret, slots, hasWriter } = file;
  const users: Record<string, Xml> = {
    default: bootUser,
    [adminUser]: user({ hash: sha256Hex(adminPassword), profile: 'admin' }),
  };
  for (let id = 1; id <= slots; id += 1) {
    for (const role of hasWriter(id) ? (['reader', 'writer'] as const) : (['reader'] as const)) {
      users[projectUser(id, role)] = projectUserEntry(secret, id, role);
    }
  }
  return document({ profiles: profiles(limits), users, quotas: { default: '' } });
}

/** How many projects a users file has readers for, and which have writers; none for any other or incomplete file. */
export function slotsOf(file: string): { readonly slots: number; readonly writers: number[] } {
  if (!file.endsWith('</clickhouse>\n')) return { slots: 0, writers: [] };
  const idsOf = (role: ProjectRole) =>
    [...file.matchAll(new RegExp(`<project_(\\d{1,9})_${role}>`, 'g'))].map((found) =>
      Number(found[1]),
    );
  return { slots: idsOf('reader').at(-1) ?? 0, writers: idsOf('writer') };
}

function profiles(limits: LocalEngineLimits): Xml {
  return {
    default: profile([
      fixed('implicit_select', 0),
      fixed('http_max_field_value_size', MAX_PARAM_BYTES),
    ]),
    boot: profile([fixed('max_sessions_for_user', 1), unlogged]),
    admin: profile([unlogged]),
    reader: profile([...readerSettings(limits), ...logged]),
    writer: profile([...writerSettings(limits), unlogged]),
  };
}

function profile(settings: readonly UserSetting[]): Xml {
  const values = settings.flatMap(({ name, value }) => (value === null ? [] : [[name, value]]));
  const constraints = settings.map((setting) => [setting.name, constraint(setting)]);
  return { ...Object.fromEntries(values), constraints: Object.fromEntries(constraints) };
}

/** A writer is not readonly, so fixed settings need an explicit constraint. */
function constraint({ change }: UserSetting): Xml {
  if (change === 'fixed') return { const: '' };
  return { ...(change === 'free' ? {} : change), changeable_in_readonly: '' };
}

function projectUserEntry(secret: string, projectId: number, role: ProjectRole): Xml {
  return user({
    hash: sha256Hex(derivedPassword(secret, projectUser(projectId, role))),
    profile: role,
    database: projectDatabase(projectId),
    grants: grantsOf(projectId, role),
  });
}

interface UserEntry {
  /** SHA-256 of the password in hexadecimal; empty for no password. */
  readonly hash: string;
  readonly profile: string;
  readonly database?: string;
  /** Absent grants everything. */
  readonly grants?: readonly string[];
}

function user({ hash, profile, database, grants }: UserEntry): Xml {
  return {
    ...(hash === '' ? { password: '' } : { password_sha256_hex: hash }),
    networks: { ip: '127.0.0.1' },
    profile,
    quota: 'default',
    ...(database === undefined ? {} : { default_database: database }),
    ...(grants === undefined ? {} : { grants: { query: grants.map((grant) => `GRANT ${grant}`) } }),
  };
}

/**
 * The engine logs itself in as this user at startup, without a password. That permanently occupies the user's only
 * session, so nobody else can log in; and the user has almost no rights.
 */
const bootUser = user({
  hash: '',
  profile: 'boot',
  grants: ['SYSTEM LISTEN ON *.*', 'SELECT ON system.numbers'],
});

/** An element's content: a value, or elements by name; a list repeats the element. */
type Xml = string | number | { readonly [name: string]: Xml | readonly Xml[] };

function document(content: Xml): string {
  return `<clickhouse>\n${toXml(content, 0)}\n</clickhouse>\n`;
}

/**
 * One line per outermost element. No line per user, because the engine walks all of their elements and the text nodes
 * between them to find one.
 */
function toXml(content: Xml, depth: number): string {
  if (typeof content !== 'object') return escapeXml(String(content));
  const elements = Object.entries(content).flatMap(([name, value]) =>
    (Array.isArray(value) ? value : [value]).map((item) => {
      const inner = toXml(item, depth + 1);
      return inner === '' ? `<${name}/>` : `<${name}>${inner}</${name}>`;
    }),
  );
  return elements.join(depth < 1 ? '\n' : '');
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
};

function escapeXml(text: string): string {
  return text.replace(/[&<>"']/g, (char) => entities[char] ?? char);
}
