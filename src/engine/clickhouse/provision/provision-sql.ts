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

export function createDatabaseSql(projectId: number): string {
  return `CREATE DATABASE IF NOT EXISTS ${projectDatabase(projectId)}`;
}

interface UserRules {
  readonly limits: UserLimits;
  /** Settings that an older server does not have. */
  readonly missing?: ReadonlySet<string>;
}

/**
 * In order. Users are replaced, so that they have exactly these limits and grants afterwards. Passwords are in the
 * text only as SHA-256, because a server logs its statements.
 */
export function provisionSql(
  projectId: number,
  connection: Pick<EngineConnection, 'credentials'>,
  { limits, missing = new Set() }: UserRules,
): readonly string[] {
  return [
    ...roles.flatMap((role) => {
      const { user, password, database } = connection.credentials(projectId, role);
      const all = role === 'reader' ? readerSettings(limits) : writerSettings(limits);
      const settings = all.filter(({ name }) => !missing.has(name));
      const hash = sha256Hex(password);
      return [
        `CREATE USER OR REPLACE ${user} IDENTIFIED WITH sha256_hash BY '${hash}' DEFAULT DATABASE ${database} SETTINGS ${settings.map(settingSql).join(', ')}`,
        ...grantsOf(projectId, role).map((grant) => `GRANT ${grant} TO ${user}`),
      ];
    }),
    // Last: a project whose users cannot be made leaves no database behind.
    createDatabaseSql(projectId),
  ];
}

export function settingSql(setting: UserSetting): string {
  const value = setting.value === null ? '' : ` = ${literal(setting.value)}`;
  if (setting.change === 'fixed') return `${setting.name}${value} CONST`;
  if (setting.change === 'free') return `${setting.name}${value} CHANGEABLE_IN_READONLY`;
  const { min, max } = setting.change;
  return `${setting.name}${value} MIN ${min} MAX ${max} CHANGEABLE_IN_READONLY`;
}

function literal(value: string | number): string {
  return typeof value === 'number' ? String(value) : `'${value}'`;
}

export function dropDatabaseSql(projectId: number): string {
  return `DROP DATABASE IF EXISTS ${projectDatabase(projectId)} SYNC`;
}

export function dropUsersSql(projectId: number): readonly string[] {
  return roles.map((role) => `DROP USER IF EXISTS ${projectUser(projectId, role)}`);
}
