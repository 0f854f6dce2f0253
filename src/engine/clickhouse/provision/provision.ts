/** Creates and drops a project's database and users at the engine. */
import { ServiceError } from '../../../errors/service-error.ts';
import type { Log } from '../../../lib/log.ts';
import type { EmbeddedEngine } from '../../embedded/embedded-engine.ts';
import { EngineError, isOwnedByOperator, isSettingRefused } from '../errors/engine-error.ts';
import { asAdmin, asReader, readRows, type Session, toTexts } from '../http/session.ts';
import { onCluster } from '../topology/on-cluster.ts';
import { harmfulOptimizations } from './project-users.ts';
import {
  createDatabaseSql,
  dropDatabaseSql,
  dropUsersSql,
  provisionSql,
  sharedProfiles,
  type UserRules,
} from './provision-sql.ts';
import { requireFixed } from './reader-settings.ts';
import { openSharedProfiles, type SharedProfiles } from './shared-profiles.ts';

export interface ProvisionTarget {
  readonly session: Session;
  /** The local engine, which reads its users from a file; null for a server. */
  readonly local: EmbeddedEngine | null;
  readonly log: Log;
  readonly profiles: SharedProfiles;
}

export function openProvisionTarget({
  session,
  local,
  log,
}: Omit<ProvisionTarget, 'profiles'>): ProvisionTarget {
  return {
    session,
    local,
    log,
    profiles: openSharedProfiles(session, () => findRules(session), log),
  };
}

export const AUTHENTICATION_FAILED = 516;
export const UNKNOWN_DATABASE = 81;

/**
 * Idempotent. On a server nothing is created when the reader can log in and accepts the settings that queries send: an
 * operator or an earlier start created everything, and the administrator then needs no right to create users. A reader
 * that does not accept them is replaced, or left unchanged when replacing is not allowed.
 */
export async function provisionProject(target: ProvisionTarget, projectId: number): Promise<void> {
  if (target.local !== null) {
    await target.local.ensureSlot(projectId);
    await asAdmin(target.session, { sql: createDatabaseSql(projectId) });
    return;
  }
  const found = await findReader(target.session, projectId);
  if (found === 'shares profiles') await target.profiles.renew();
  if (found === 'ready' || found === 'shares profiles') return;
  const { session } = target;
  const on = onCluster(session.connection);
  if (found === 'no database') {
    await asAdmin(session, { sql: createDatabaseSql(projectId, on) }).catch(explained);
    return;
  }
  const statements = provisionSql(projectId, session.connection, await findRules(session));
  try {
    for (const sql of statements) await asAdmin(session, { sql });
  } catch (error) {
    if (!isOwnedByOperator(error)) return explained(error);
    if (found === 'no user') throw noUsers(error);
    if (found === 'older') {
      target.log.warn(
        { projectId },
        'an earlier version created the engine user of a project: its aggregates may be rewritten and its expressions compiled, which can make results wrong, and GLOBAL IN and JOIN may end early',
      );
      return;
    }
    session.uncommented.add(projectId);
    await requireFixed(session, projectId, target.log);
  }
}

/**
 * For a single-address cluster in which a node lacks a project's database, for example a replaced machine: provisions
 * every node, whatever the responding one has.
 */
export async function provisionAgain(target: ProvisionTarget, projectId: number): Promise<void> {
  const { session } = target;
  const on = onCluster(session.connection);
  const rules = await findRules(session);
  try {
    for (const sql of provisionSql(projectId, session.connection, rules))
      await asAdmin(session, { sql });
  } catch (error) {
    if (!isOwnedByOperator(error)) throw error;
    await asAdmin(session, { sql: createDatabaseSql(projectId, on) });
  }
}

const NOT_DISTRIBUTED = /Replicated DDL queries are disabled/;

/** A cluster's engine may be unable to forward statements. */
function explained(error: unknown): never {
  if (!(error instanceof EngineError) || !NOT_DISTRIBUTED.test(error.message)) throw error;
  throw new ServiceError(
    'engine_unavailable',
    'The engine of this service is a cluster that does not pass statements on to its nodes.',
    {
      cause: error,
      retryAfterSeconds: 60,
      internal:
        'CLICKHOUSE_CLUSTER is set, but the engine does not support ON CLUSTER, which needs a Keeper. List the nodes in CLICKHOUSE_NODES instead.',
    },
  );
}

function noUsers(error: Error): ServiceError {
  const detail =
    'The engine has no users for this project, and the service is not allowed to create them. An operator should run the statements of querydock project sql.';
  return new ServiceError('engine_unavailable', detail, {
    cause: error,
    retryAfterSeconds: 10,
    internal: error.message.slice(0, 2000),
  });
}

/** Settings that queries send and that a user has to allow. */
export function probeSettings({ maxStreamBytes, streamTimeoutSeconds }: Session['config']) {
  return {
    max_threads: '1',
    max_block_size: '512',
    max_joined_block_size_rows: '512',
    priority: '1',
    max_memory_usage: '67108864',
    max_execution_time: String(streamTimeoutSeconds),
    max_result_bytes: String(maxStreamBytes),
    format_csv_null_representation: '',
    output_format_parallel_formatting: '0',
  };
}

const optimizations = [...harmfulOptimizations.keys()].map((name) => `'${name}'`).join(', ');
const turnedOff = [...harmfulOptimizations].map(([name, value]) => `('${name}', '${value}')`);

async function findRules(session: Session): Promise<UserRules> {
  const on = onCluster(session.connection);
  return { limits: session.config, missing: await missingOptimizations(session), on };
}

/** An older server lacks some of them, and rejects a user that has an unknown setting. */
async function missingOptimizations(session: Session): Promise<ReadonlySet<string>> {
  const sql = `SELECT name FROM system.settings WHERE name IN (${optimizations})`;
  const found = new Set(toTexts(readRows(await asAdmin(session, { sql }))));
  return new Set([...harmfulOptimizations.keys()].filter((name) => !found.has(name)));
}

/** `older`: a user created by an earlier version of the service. */
async function findReader(
  session: Session,
  projectId: number,
): Promise<'ready' | 'shares profiles' | 'no database' | 'no user' | 'other limits' | 'older'> {
  const sql = `SELECT countIf(name != 'max_result_bytes' AND (name, value) NOT IN (${turnedOff.join(', ')})), countIf(name = 'max_result_bytes' AND min = '1'),
    has(currentProfiles(), '${sharedProfiles.reader}') FROM system.settings WHERE name IN (${optimizations}, 'max_result_bytes')`;
  try {
    const ownSettings = probeSettings(session.config);
    const [row = []] = readRows(await asReader(session, projectId, { sql, ownSettings }));
    const [optimizing = 0, leastBytes = 0, sharing = 0] = row.map(Number);
    if (optimizing > 0) return 'older';
    if (sharing > 0) return 'shares profiles';
    return leastBytes > 0 ? 'older' : 'ready';
  } catch (error) {
    if (!(error instanceof EngineError)) throw error;
    if (error.code === UNKNOWN_DATABASE) return 'no database';
    if (error.code === AUTHENTICATION_FAILED) return 'no user';
    if (isSettingRefused(error)) return 'other limits';
    throw error;
  }
}

/** Drops the database with all its rows and, on a server, the users. Idempotent. */
export async function deprovisionProject(
  target: ProvisionTarget,
  projectId: number,
): Promise<void> {
  const on = onCluster(target.session.connection);
  await dropDatabase(target.session, dropDatabaseSql(projectId, on));
  if (target.local !== null) return;
  for (const sql of dropUsersSql(projectId, on)) await dropUser(target.session, sql);
}

const DATABASE_NOT_EMPTY = 219;
const MAX_DROPS = 5;

/** Retries when a running statement, such as a build that is being stopped, created a table meanwhile. */
async function dropDatabase(session: Session, sql: string): Promise<void> {
  for (let drops = 1; ; drops += 1) {
    try {
      await asAdmin(session, { sql });
      return;
    } catch (error) {
      const isFilled = error instanceof EngineError && error.code === DATABASE_NOT_EMPTY;
      if (!isFilled || drops === MAX_DROPS) throw error;
    }
  }
}

/** The service must not drop users that the operator defines in the server's files. */
async function dropUser(session: Session, sql: string): Promise<void> {
  try {
    await asAdmin(session, { sql });
  } catch (error) {
    if (!isOwnedByOperator(error)) throw error;
  }
}
