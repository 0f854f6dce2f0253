/** Whether a reader that somebody else has made accepts what queries send. */
import { ServiceError } from '../../../errors/service-error.ts';
import type { Log } from '../../../lib/log.ts';
import { formatParam } from '../../../sql/param-value.ts';
import { EngineError } from '../errors/engine-error.ts';
import { asAdmin, readRows, type Session, toTexts } from '../http/session.ts';
import { harmfulOptimizations } from '../provision/project-users.ts';
import { AUTHENTICATION_FAILED, probeSettings, UNKNOWN_DATABASE } from '../provision/provision.ts';
import { acceptsNothing, acceptsSettings } from '../provision/reader-settings.ts';

/** What a user of the service's own has by its profile. A user with the same values accepts them, whatever else it forbids. */
export function baseSettings(): Record<string, string> {
  return {
    session_timezone: 'UTC',
    implicit_select: '0',
    timeout_overflow_mode: 'throw',
    result_overflow_mode: 'throw',
    cancel_http_readonly_queries_on_client_close: '1',
    ...Object.fromEntries(harmfulOptimizations.map((name) => [name, '0'])),
  };
}

interface Probing {
  readonly session: Session;
  /** Loses the settings that the server does not have. */
  readonly base: Record<string, string>;
  readonly log: Log;
}

/** @throws ServiceError `engine_unavailable` for a user that the engine refuses, or that accepts no settings. */
export async function probeReader(probing: Probing, projectId: number): Promise<void> {
  const { session, log } = probing;
  const limits = probeSettings(session.config);
  session.uncommented.delete(projectId);
  session.plainReads.delete(projectId);
  try {
    await dropUnknown(probing);
    if (await acceptsSettings(session, projectId, limits)) return;
    session.uncommented.add(projectId);
    if (await acceptsSettings(session, projectId, limits)) return;
    if (!(await acceptsSettings(session, projectId, {}))) throw acceptsNothing();
  } catch (error) {
    throw explained(error);
  }
  session.fixedProjects.add(projectId);
  log.warn(
    { projectId },
    'the engine user of a project accepts no limits from the service: its own apply',
  );
}

/** An older server rejects a query with a setting that it does not have. */
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
    'The engine refuses the user of this project: an operator runs querydock project check.',
  ],
  [
    UNKNOWN_DATABASE,
    'The engine has no database that this project is bound to, or its user may not see it: an operator runs querydock project check.',
  ],
]);
