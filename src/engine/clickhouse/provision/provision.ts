/** A project's place in the engine: its database and its users. */
import { ServiceError } from '../../../errors/service-error.ts';
import type { Log } from '../../../lib/log.ts';
import type { EmbeddedEngine } from '../../embedded/embedded-engine.ts';
import { EngineError } from '../errors/engine-error.ts';
import { asAdmin, asReader, readRows, type Session } from '../http/session.ts';
import { harmfulRewritings } from './project-users.ts';
import { createDatabaseSql, dropDatabaseSql, dropUsersSql, provisionSql } from './provision-sql.ts';

export interface ProvisionTarget {
  readonly session: Session;
  /** The local engine, whose users stand in its file; null for a server. */
  readonly local: EmbeddedEngine | null;
  readonly log: Log;
}

const AUTHENTICATION_FAILED = 516;
const UNKNOWN_DATABASE = 81;
/** A setting that this user may not change, not so far, or that the server does not know. */
const SETTING_REFUSED: ReadonlySet<number> = new Set([115, 164, 452]);

/**
 * Idempotent. On a server nothing is made when the reader can log in already and takes the settings that come with
 * a query: an operator, or an earlier start, made everything, and the administrator need not be allowed to make
 * users. A reader that does not take them is replaced, or left as it is when that is not allowed.
 */
export async function provisionProject(target: ProvisionTarget, projectId: number): Promise<void> {
  if (target.local !== null) {
    await target.local.ensureSlot(projectId);
    await asAdmin(target.session, { sql: createDatabaseSql(projectId) });
    return;
  }
  const found = await findReader(target.session, projectId);
  if (found === 'ready') return;
  const { session } = target;
  if (found === 'no database') {
    await asAdmin(session, { sql: createDatabaseSql(projectId) });
    return;
  }
  const rules = { limits: session.config, missing: await missingRewritings(session) };
  const statements = provisionSql(projectId, session.connection, rules);
  try {
    for (const sql of statements) await asAdmin(session, { sql });
  } catch (error) {
    if (!isKeptByOperator(error)) throw error;
    if (found === 'no user') throw noUsers(error);
    if (found === 'rewriting') {
      const words = 'the engine user of a project lets the engine rewrite aggregates';
      target.log.warn({ projectId }, words);
      return;
    }
    session.fixedProjects.add(projectId);
    const words = 'the engine user of a project takes no limits from the service: its own hold';
    target.log.warn({ projectId }, words);
  }
}

function noUsers(error: Error): ServiceError {
  const words = 'The engine has no users for this project, and the service may not make them.';
  return new ServiceError('engine_unavailable', words, {
    cause: error,
    retryAfterSeconds: 10,
    internal: error.message.slice(0, 2000),
  });
}

/** What runs send along, as far as a user must let them. */
function probeOf({ maxStreamBytes, streamTimeoutSeconds }: Session['config']) {
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

const rewritings = harmfulRewritings.map((name) => `'${name}'`).join(', ');

/** An older server has fewer of them, and takes no user with a setting that it does not know. */
async function missingRewritings(session: Session): Promise<ReadonlySet<string>> {
  const sql = `SELECT name FROM system.settings WHERE name IN (${rewritings})`;
  const known = new Set(readRows(await asAdmin(session, { sql })).map(([name]) => name));
  return new Set(harmfulRewritings.filter((name) => !known.has(name)));
}

/** A user that an earlier version of the service made is `rewriting`. */
async function findReader(
  session: Session,
  projectId: number,
): Promise<'ready' | 'no database' | 'no user' | 'other limits' | 'rewriting'> {
  const sql = `SELECT count() FROM system.settings WHERE name IN (${rewritings}) AND value != '0'`;
  try {
    const settings = probeOf(session.config);
    const [row] = readRows(await asReader(session, projectId, { sql, settings }));
    return Number(row?.[0] ?? 0) > 0 ? 'rewriting' : 'ready';
  } catch (error) {
    if (!(error instanceof EngineError)) throw error;
    if (error.code === UNKNOWN_DATABASE) return 'no database';
    if (error.code === AUTHENTICATION_FAILED) return 'no user';
    if (SETTING_REFUSED.has(error.code)) return 'other limits';
    throw error;
  }
}

/** Drops the database with all its rows and, on a server, the users. Idempotent. */
export async function deprovisionProject(
  target: ProvisionTarget,
  projectId: number,
): Promise<void> {
  await dropDatabase(target.session, dropDatabaseSql(projectId));
  if (target.local !== null) return;
  for (const sql of dropUsersSql(projectId)) await dropUser(target.session, sql);
}

const DATABASE_NOT_EMPTY = 219;
const maxDrops = 5;

/** Again when a statement under way, as a build that is being stopped, made a table meanwhile. */
async function dropDatabase(session: Session, sql: string): Promise<void> {
  for (let drops = 1; ; drops += 1) {
    try {
      await asAdmin(session, { sql });
      return;
    } catch (error) {
      const isFilled = error instanceof EngineError && error.code === DATABASE_NOT_EMPTY;
      if (!isFilled || drops === maxDrops) throw error;
    }
  }
}

/** Not allowed, or the user stands in a file of the server. */
const KEPT_BY_OPERATOR: ReadonlySet<number> = new Set([493, 495, 497, 514]);

/** Users that the operator keeps in the server's own files stay: they are not ours to drop. */
async function dropUser(session: Session, sql: string): Promise<void> {
  try {
    await asAdmin(session, { sql });
  } catch (error) {
    if (!isKeptByOperator(error)) throw error;
  }
}

function isKeptByOperator(error: unknown): error is EngineError {
  return error instanceof EngineError && KEPT_BY_OPERATOR.has(error.code);
}
