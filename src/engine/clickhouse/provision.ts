/** A project's place in the engine: its database and its users. */
import type { EmbeddedEngine } from '../embedded/embedded-engine.ts';
import { EngineError } from './engine-error.ts';
import { createDatabaseSql, dropDatabaseSql, dropUsersSql, provisionSql } from './provision-sql.ts';
import { asAdmin, asReader, type Session } from './session.ts';

export interface ProvisionTarget {
  readonly session: Session;
  /** The local engine, whose users stand in its file; null for a server. */
  readonly local: EmbeddedEngine | null;
}

const AUTHENTICATION_FAILED = 516;
const UNKNOWN_DATABASE = 81;

/**
 * Idempotent. On a server nothing is made when the reader can log in already: an operator, or an earlier
 * start, made everything, and the administrator need not be allowed to make users.
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
  const statements =
    found === 'no database'
      ? [createDatabaseSql(projectId)]
      : provisionSql(projectId, session.connection, session.config);
  for (const sql of statements) await asAdmin(session, { sql });
}

async function findReader(
  session: Session,
  projectId: number,
): Promise<'ready' | 'no database' | 'no user'> {
  try {
    await asReader(session, projectId, { sql: 'SELECT 1' });
    return 'ready';
  } catch (error) {
    if (error instanceof EngineError && error.code === UNKNOWN_DATABASE) return 'no database';
    if (error instanceof EngineError && error.code === AUTHENTICATION_FAILED) return 'no user';
    throw error;
  }
}

/** Drops the database with all its rows and, on a server, the users. Idempotent. */
export async function deprovisionProject(
  target: ProvisionTarget,
  projectId: number,
): Promise<void> {
  await asAdmin(target.session, { sql: dropDatabaseSql(projectId) });
  if (target.local !== null) return;
  for (const sql of dropUsersSql(projectId)) await dropUser(target.session, sql);
}

const READ_ONLY_STORAGE = 495;
const NOT_ALLOWED = 497;

/** Users that the operator keeps in the server's own files stay: they are not ours to drop. */
async function dropUser(session: Session, sql: string): Promise<void> {
  try {
    await asAdmin(session, { sql });
  } catch (error) {
    const kept =
      error instanceof EngineError &&
      (error.code === READ_ONLY_STORAGE || error.code === NOT_ALLOWED);
    if (!kept) throw error;
  }
}
