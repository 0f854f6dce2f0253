/** Checks whether a reader created by somebody else accepts what queries send. */
import { ServiceError } from '../../../errors/service-error.ts';
import type { Log } from '../../../lib/log.ts';
import { formatParam } from '../../../sql/param-value.ts';
import { EngineError } from '../errors/engine-error.ts';
import { forgetRefusals } from '../http/refusable-settings.ts';
import { asAdmin, readRows, type Session, toTexts } from '../http/session.ts';
import { harmfulOptimizations } from '../provision/project-users.ts';
import { AUTHENTICATION_FAILED, probeSettings, UNKNOWN_DATABASE } from '../provision/provision.ts';
import { acceptsSettings, requireFixed } from '../provision/reader-settings.ts';

/**
 * Settings that the service's own users get from their profile. A user with these values accepts them, whatever else it
 * forbids.
 */
export function baseSettings(): Record<string, string> {
  return {
    session_timezone: 'UTC',
    implicit_select: '0',
    timeout_overflow_mode: 'throw',
    result_overflow_mode: 'throw',
    cancel_http_readonly_queries_on_client_close: '1',
    ...Object.fromEntries(harmfulOptimizations),
  };
}

interface Probing {
  readonly session: Session;
  /** Settings that the server lacks are removed from it. */
  readonly base: Record<string, string>;
  readonly log: Log;
}

/** @throws ServiceError `engine_unavailable` for a user that the engine refuses, or that accepts no settings. */
export async function probeReader(probing: Probing, projectId: number): Promise<void> {
  const { session, log } = probing;
  const limits = probeSettings(session.config);
  session.uncommented.delete(projectId);
  forgetRefusals(session, projectId);
  try {
    await dropUnknown(probing);
    if (await acceptsSettings(session, projectId, limits)) return;
    session.uncommented.add(projectId);
    if (await acceptsSettings(session, projectId, limits)) return;
    await requireFixed(session, projectId, log);
  } catch (error) {
    throw explained(error);
  }
}

/** An older server rejects a query that sends a setting it does not have. */
async function dropUnknown({ session, base }: Probing): Promise<void> {
  const names = formatParam('Array(String)', Object.keys(base), 'names');
  const sql = 'SELECT name FROM system.settings WHERE name IN {names:Array(String)}';
  const known = new Set(toTexts(readRows(await asAdmin(session, { sql, params: { names } }))));
  for (const name of Object.keys(base)) if (!known.has(name)) delete base[name];
}

function explained(error: unknown): unknown {
  if (!(error instanceof EngineError)) return error;
  const reason = reasons.get(error.code);
  if (reason === undefined) return error;
  return new ServiceError('engine_unavailable', reason, {
    cause: error,
    retryAfterSeconds: 60,
    internal: error.message.slice(0, 2000),
  });
}

const reasons: ReadonlyMap<number, string> = new Map([
  [
    AUTHENTICATION_FAILED,
    'The engine rejects the user of this project. An operator should run querydock project check.',
  ],
  [
    UNKNOWN_DATABASE,
    'A database that this project is bound to does not exist, or the user of the project has no access to it. An operator should run querydock project check.',
  ],
]);
