/** The files the local engine reads at its start: pure text, everything in it is escaped. */
import type { Config } from '../../config/config.ts';
import {
  derivedPassword,
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

/** Of the whole engine, and of each user. */
export type LocalEngineLimits = UserLimits & Pick<Config, 'engineMemoryBytes'>;

/** Queries the whole engine takes at once; a project is held to its own, smaller number. */
const MAX_QUERIES = 200;
/** One value of a query parameter; the engine's own default is 128 KiB. */
const MAX_PARAM_BYTES = 4_194_304;

export function configXml(limits: Pick<LocalEngineLimits, 'engineMemoryBytes'>): string {
  return document([
    element('users_config', 'users.xml'),
    element('max_server_memory_usage', limits.engineMemoryBytes),
    element('max_concurrent_queries', MAX_QUERIES),
    element('max_table_size_to_drop', 0),
    element('max_partition_size_to_drop', 0),
    element('mark_cache_size', 268_435_456),
  ]);
}

export interface UsersFile {
  readonly limits: LocalEngineLimits;
  readonly adminUser: string;
  readonly adminPassword: string;
  /** The project users' passwords are derived from it. */
  readonly secret: string;
  /** Projects 1..slots get a reader and a writer; their databases come later. */
  readonly slots: number;
}

export function usersXml(file: UsersFile): string {
  const ids = Array.from({ length: file.slots }, (_, index) => index + 1);
  const users = [
    bootUser(),
    adminUser(file),
    ...ids.flatMap((id) => [
      projectUserXml(file.secret, id, 'reader'),
      projectUserXml(file.secret, id, 'writer'),
    ]),
  ];
  return document([
    element('profiles', profiles(file.limits), 'xml'),
    element('users', users.join('\n'), 'xml'),
    '<quotas><default/></quotas>',
  ]);
}

/** For how many projects a file has users; 0 where it is none, or was broken off before the last of them. */
export function slotsOf(file: string): number {
  const last = file.slice(file.lastIndexOf('<project_'));
  return Number(/^<project_(\d{1,9})_writer>.*<\/project_\1_writer>/s.exec(last)?.[1] ?? 0);
}

function profiles(limits: LocalEngineLimits): string {
  const fixed = (name: string, value: number): UserSetting => ({ name, value, change: 'fixed' });
  return [
    profile('default', [
      fixed('implicit_select', 0),
      fixed('http_max_field_value_size', MAX_PARAM_BYTES),
    ]),
    profile('boot', [fixed('max_sessions_for_user', 1)]),
    profile('reader', readerSettings(limits)),
    profile('writer', writerSettings(limits)),
  ].join('\n');
}

function profile(name: string, settings: readonly UserSetting[]): string {
  const values = settings.flatMap((s) => (s.value === null ? [] : [element(s.name, s.value)]));
  const constraints = element('constraints', settings.map(constraint).join(''), 'xml');
  return element(name, `${values.join('')}${constraints}`, 'xml');
}

/** A writer is not read only, so what is fixed has to be said to be. */
function constraint(setting: UserSetting): string {
  if (setting.change === 'fixed') return element(setting.name, '<const/>', 'xml');
  const range =
    typeof setting.change === 'object'
      ? `${element('min', setting.change.min)}${element('max', setting.change.max)}`
      : '';
  return element(setting.name, `${range}<changeable_in_readonly/>`, 'xml');
}

/**
 * The user as which the engine logs itself in at its start, without a password. Its one session is then
 * taken for good, so nobody else gets in as this user; and it could do next to nothing.
 */
function bootUser(): string {
  return user('default', {
    hash: '',
    profile: 'boot',
    grants: ['SYSTEM LISTEN ON *.*', 'SELECT ON system.numbers'],
  });
}

function adminUser(file: UsersFile): string {
  return user(file.adminUser, { hash: sha256Hex(file.adminPassword), profile: 'default' });
}

function projectUserXml(secret: string, projectId: number, role: ProjectRole): string {
  const name = projectUser(projectId, role);
  return user(name, {
    hash: sha256Hex(derivedPassword(secret, name)),
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
  /** Absent: everything. */
  readonly grants?: readonly string[];
}

function user(name: string, entry: UserEntry): string {
  const grants = (entry.grants ?? []).map((grant) => element('query', `GRANT ${grant}`)).join('');
  return element(
    name,
    [
      entry.hash === '' ? '<password/>' : element('password_sha256_hex', entry.hash),
      '<networks><ip>127.0.0.1</ip></networks>',
      element('profile', entry.profile),
      '<quota>default</quota>',
      entry.database === undefined ? '' : element('default_database', entry.database),
      entry.grants === undefined ? '' : element('grants', grants, 'xml'),
    ].join(''),
    'xml',
  );
}

function document(parts: readonly string[]): string {
  return `<clickhouse>\n${parts.join('\n')}\n</clickhouse>\n`;
}

function element(name: string, content: string | number, kind: 'text' | 'xml' = 'text'): string {
  const inner = kind === 'xml' ? String(content) : escapeXml(String(content));
  return `<${name}>${inner}</${name}>`;
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
