/** The statements an administrator runs to create the users of a bound project, with the minimal rights. Pure. */
import type { BindingPlace, ProjectBinding } from '../../../model/project-binding.ts';
import { quoteName } from '../../../sql/quote-name.ts';
import { sha256Hex, type UserLimits } from '../provision/project-users.ts';
import { profileSql, sharedProfiles } from '../provision/provision-sql.ts';
import { queryLogGrant } from '../query/logged-work.ts';

/** A right as GRANT and CHECK GRANT write it: `SELECT ON sales.*`. */
export function readerGrants({ databases, stored, dictionaries }: BindingPlace): readonly string[] {
  return [
    ...databases.map((name) => `SELECT ON ${database(name)}.*`),
    ...(stored === null ? [] : [storedGrant(stored)]),
    ...dictionaries.map((name) => `dictGet ON ${dictionary(name)}`),
    processesGrant,
    queryLogGrant,
  ];
}

export function storedGrant(stored: string): string {
  return `SELECT ON ${database(stored)}.*`;
}

/**
 * Needed to cancel by id and to report progress. With it the engine shows a user everyone's running queries but lets it
 * stop only its own; KILL needs all of these columns.
 */
export const processesGrant = 'SELECT ON system.processes';

/** Needed to see whether the sources of a sync change meanwhile: those that are copied, and those that cannot be. */
export const stateGrants = ['SELECT ON system.parts', 'SELECT ON system.mutations'] as const;

/** Engines of tables that are read with FINAL: without it, a copy does not need the engine of its table. */
const finalEngines = ['Replacing', 'Summing', 'Aggregating', 'Collapsing', 'VersionedCollapsing'];

/** Needed to copy the sources of a sync by hard links next to its stored tables, so that writers do not disturb it. */
export function copyGrants({ stored }: BindingPlace): readonly string[] {
  if (stored === null) return [];
  return [
    `ALTER DELETE, CREATE VIEW, DROP VIEW ON ${database(stored)}.*`,
    finalEngines.map((name) => `TABLE ENGINE ON ${name}MergeTree`).join(', '),
  ];
}

export function writerGrants(binding: BindingPlace): readonly string[] {
  const { databases, stored, dictionaries } = binding;
  if (stored === null) return [];
  return [
    ...databases.map((name) => `SELECT ON ${database(name)}.*`),
    ...dictionaries.map((name) => `dictGet ON ${dictionary(name)}`),
    `SELECT, INSERT, CREATE TABLE, DROP TABLE ON ${database(stored)}.*`,
    'TABLE ENGINE ON MergeTree',
    ...copyGrants(binding),
    processesGrant,
    ...stateGrants,
  ];
}

function database(name: string): string {
  return /^\w+$/.test(name) ? name : quoteName(name);
}

function dictionary(name: string): string {
  return name.split('.').map(database).join('.');
}

/** In execution order; each can be repeated. They contain passwords only as SHA-256. */
export function bindingSql(
  projectId: number,
  binding: ProjectBinding,
  limits: UserLimits,
): readonly string[] {
  const { databases, stored, reader, writer } = binding;
  const [first = ''] = databases;
  const asReader = {
    user: reader,
    profile: sharedProfiles.reader,
    grants: readerGrants(binding),
    first,
  };
  const names = [reader, writer].flatMap((user) => (user === null ? [] : quoteName(user.user)));
  return [
    ...(stored === null ? [] : [`CREATE DATABASE IF NOT EXISTS ${database(stored)}`]),
    profileSql('reader', { limits }),
    ...userSql(asReader),
    ...(writer === null
      ? []
      : [
          profileSql('writer', { limits }),
          ...userSql({
            user: writer,
            profile: sharedProfiles.writer,
            grants: writerGrants(binding),
            first,
          }),
        ]),
    `CREATE QUOTA IF NOT EXISTS querydock_project_${projectId} FOR INTERVAL 1 hour TRACKING ONLY TO ${names.join(', ')}`,
  ];
}

/** The subset that only changes the passwords. */
export function passwordSql({ reader, writer }: ProjectBinding): readonly string[] {
  return [reader, writer].flatMap((user) =>
    user === null
      ? []
      : [
          `ALTER USER ${quoteName(user.user)} IDENTIFIED WITH sha256_hash BY '${sha256Hex(user.password)}'`,
        ],
  );
}

interface NewUser {
  readonly user: ProjectBinding['reader'];
  readonly profile: string;
  readonly grants: readonly string[];
  readonly first: string;
}

function userSql({ user, profile, grants, first }: NewUser): readonly string[] {
  const name = quoteName(user.user);
  const hash = sha256Hex(user.password);
  return [
    `CREATE USER OR REPLACE ${name} IDENTIFIED WITH sha256_hash BY '${hash}' DEFAULT DATABASE ${database(first)} SETTINGS PROFILE '${profile}'`,
    ...grants.map((grant) => `GRANT ${grant} TO ${name}`),
  ];
}
