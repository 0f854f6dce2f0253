/**
 * Tries Querydock on an operator's own servers: what cannot be tried on a machine without them. Everything that it makes has a name
 * of its own, is made in databases that were not there before, and is dropped at the end.
 */
import { randomBytes, randomInt } from 'node:crypto';
import {
  projectDatabase,
  projectUser,
} from '../../../src/engine/clickhouse/provision/project-users.ts';
import { sharedProfiles } from '../../../src/engine/clickhouse/provision/provision-sql.ts';
import { failed, type Row, tryCheck, type World } from './check.ts';
import { nodeChecks } from './node-checks.ts';
import type { ClusterOptions } from './options.ts';
import { serverChecks } from './server-checks.ts';
import { openServers, type Servers, SqlError } from './servers.ts';
import { serviceChecks } from './service-checks.ts';

/** Ids of projects that no deployment has made: theirs count up from 1. */
const FIRST_ID = 970_000_000;
const LAST_ID = 979_999_999;

export interface Watch {
  /** Called with each row as it is known. */
  readonly onRow?: (row: Row) => void;
  /** Ends the run before the next check, and drops what was made. */
  readonly signal?: AbortSignal;
}

export async function tryCluster(
  options: ClusterOptions,
  { onRow = () => undefined, signal = new AbortController().signal }: Watch = {},
): Promise<readonly Row[]> {
  const projectId = options.projectId ?? randomInt(FIRST_ID, LAST_ID);
  const servers = openServers(options);
  const world: World = {
    options,
    servers,
    projectId,
    projectDatabase: projectDatabase(projectId),
    database: `querydock_acceptance_${projectId}`,
    secret: options.secret ?? randomBytes(24).toString('hex'),
    signal,
    service: null,
  };
  const rows: Row[] = [];
  const add = (row: Row) => {
    rows.push(row);
    onRow(row);
  };
  await requireUnused(world);
  const isAlone = !options.serversOnly && (await requireNoDeployment(world));
  try {
    const ofService = options.serversOnly ? [] : serviceChecks;
    for (const check of [...serverChecks, ...nodeChecks, ...ofService]) {
      add(await tryCheck(check, world));
      if (rows[0]?.result === 'failed' || signal.aborted) return rows;
    }
  } finally {
    await world.service?.stop();
    add(await cleanUp(world, isAlone));
  }
  return rows;
}

/** @throws Error when a database of these names is there: it is somebody's. */
async function requireUnused({ servers, projectDatabase: own, database }: World): Promise<void> {
  const sql = `SELECT DISTINCT name FROM ${servers.ofAllNodes('system.databases')} WHERE name = '${own}' OR startsWith(name, '${database}')`;
  const found = (await servers.each(sql).catch(unlessUnreachable)).filter((names) => names !== '');
  if (found.length > 0) {
    throw new Error(`The servers have a database ${found.join(', ')}: it is left as it is.`);
  }
}

const profiles = Object.values(sharedProfiles);
const profileNames = profiles.map((name) => `'${name}'`).join(', ');

/**
 * False where the administrator may not know, and so may not make them either.
 *
 * @throws Error on servers of a deployment: its users share settings profiles, which another service gives limits of its own.
 */
async function requireNoDeployment({ servers }: World): Promise<boolean> {
  const sql = `SELECT name FROM system.settings_profiles WHERE name IN (${profileNames}) ORDER BY name`;
  const names = await servers.each(sql).catch(unlessUnreachable);
  if (names.every((found) => found === '')) return names.length > 0;
  throw new Error(
    `The servers have the settings profiles ${profiles.join(' and ')} of a Querydock that uses them, whose limits a second service would replace: try servers without one, or --servers-only.`,
  );
}

/** Told by the first check. */
function unlessUnreachable(error: unknown): readonly string[] {
  if (error instanceof SqlError) return [];
  throw error;
}

const cleaning = 'Nothing is left';

/** @param isAlone whether settings profiles of a service can only be those of this one. */
async function cleanUp(world: World, isAlone: boolean): Promise<Row> {
  const { servers, projectId, projectDatabase: own, database } = world;
  const name = cleaning;
  try {
    for (const one of [own, database, `${database}_ddl`, `${database}_replicated`]) {
      await servers.everywhere((on) => `DROP DATABASE IF EXISTS ${one}${on} SYNC`);
    }
    const users = [database, projectUser(projectId, 'reader'), projectUser(projectId, 'writer')];
    for (const user of users) await dropAccess(servers, `USER IF EXISTS ${user}`);
    for (const one of isAlone ? profiles : []) {
      await dropAccess(servers, `SETTINGS PROFILE IF EXISTS ${one}`);
    }
    const left = await servers.each(
      `SELECT count() FROM ${servers.ofAllNodes('system.databases')} WHERE name = '${own}' OR startsWith(name, '${database}')`,
    );
    const isClean = left.every((count) => count === '0');
    return { name, result: isClean ? 'passed' : 'failed', why: isClean ? '' : `drop ${own}` };
  } catch (error) {
    const why = `drop ${own} and ${database}: ${error instanceof Error ? error.message : String(error)}`;
    return { name, ...failed(why) };
  }
}

/** What is in a file of the server is the operator's. */
async function dropAccess(servers: Servers, what: string): Promise<void> {
  try {
    await servers.everywhere((on) => `DROP ${what}${on}`);
  } catch (error) {
    if (!(error instanceof SqlError) || error.code === 0) throw error;
  }
}
