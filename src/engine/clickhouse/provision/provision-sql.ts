/** The statements that create and drop a project's database and users on a server. Pure. */
import type { EngineConnection } from '../http/connection.ts';
import {
  grantsOf,
  type ProjectRole,
  projectDatabase,
  projectUser,
  readerSettings,
  sha256Hex,
  type UserLimits,
  type UserSetting,
  writerSettings,
} from './project-users.ts';

const roles: readonly ProjectRole[] = ['reader', 'writer'];

/** @param on ` ON CLUSTER name`, or empty. */
export function createDatabaseSql(projectId: number, on = ''): string {
  return `CREATE DATABASE IF NOT EXISTS ${projectDatabase(projectId)}${on}`;
}

export interface UserRules {
  readonly limits: UserLimits;
  /** Settings that an older server lacks. */
  readonly missing?: ReadonlySet<string>;
  /** ` ON CLUSTER name`, or empty. */
  readonly on?: string;
}

/** Settings profiles shared by the users of all projects on a server, so that changed limits reach existing users. */
export const sharedProfiles: Readonly<Record<ProjectRole, string>> = {
  reader: 'querydock_reader',
  writer: 'querydock_writer',
};

export function roleSettings(
  role: ProjectRole,
  { limits, missing = new Set() }: UserRules,
): readonly UserSetting[] {
  const all = role === 'reader' ? readerSettings(limits) : writerSettings(limits);
  return all.filter(({ name }) => !missing.has(name));
}

export function profileSql(role: ProjectRole, rules: UserRules): string {
  const settings = roleSettings(role, rules).map(settingSql).join(', ');
  return `CREATE SETTINGS PROFILE OR REPLACE ${sharedProfiles[role]}${rules.on ?? ''} SETTINGS ${settings}`;
}

export function sharedProfilesSql(rules: UserRules): readonly string[] {
  return roles.map((role) => profileSql(role, rules));
}

/**
 * In execution order. Users are replaced, so afterwards they have exactly these grants and the limits of the shared
 * profiles. Passwords appear only as SHA-256, because a server logs its statements.
 */
export function provisionSql(
  projectId: number,
  connection: Pick<EngineConnection, 'credentials'>,
  rules: UserRules,
): readonly string[] {
  const { on = '' } = rules;
  return [
    ...sharedProfilesSql(rules),
    ...roles.flatMap((role) => {
      const { user, password, database } = connection.credentials(projectId, role);
      const hash = sha256Hex(password);
      return [
        `CREATE USER OR REPLACE ${user}${on} IDENTIFIED WITH sha256_hash BY '${hash}' DEFAULT DATABASE ${database} SETTINGS PROFILE '${sharedProfiles[role]}'`,
        ...grantsOf(projectId, role).map((grant) => `GRANT${on} ${grant} TO ${user}`),
      ];
    }),
    // Last, so that a project whose users cannot be created leaves no database behind.
    createDatabaseSql(projectId, on),
  ];
}

function settingSql(setting: UserSetting): string {
  const value = setting.value === null ? '' : ` = ${literal(setting.value)}`;
  if (setting.change === 'fixed') return `${setting.name}${value} CONST`;
  if (setting.change === 'free') return `${setting.name}${value} CHANGEABLE_IN_READONLY`;
  const { min, max } = setting.change;
  return `${setting.name}${value} MIN ${min} MAX ${max} CHANGEABLE_IN_READONLY`;
}

function literal(value: string | number): string {
  return typeof value === 'number' ? String(value) : `'${value}'`;
}

export function dropDatabaseSql(projectId: number, on = ''): string {
  return `DROP DATABASE IF EXISTS ${projectDatabase(projectId)}${on} SYNC`;
}

export function dropUsersSql(projectId: number, on = ''): readonly string[] {
  return roles.map((role) => `DROP USER IF EXISTS ${projectUser(projectId, role)}${on}`);
}
