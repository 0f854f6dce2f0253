/** Whether a reader created by somebody else accepts the settings that every query sends. */
import { ServiceError } from '../../../errors/service-error.ts';
import type { Log } from '../../../lib/log.ts';
import { isSettingRefused } from '../errors/engine-error.ts';
import { asReader, type Session } from '../http/session.ts';
import { outputSettings } from '../query/output-settings.ts';

/** @param limits further settings that queries send. */
export async function acceptsSettings(
  session: Session,
  projectId: number,
  limits: Readonly<Record<string, string>>,
): Promise<boolean> {
  try {
    await asReader(session, projectId, {
      sql: 'SELECT 1',
      settings: outputSettings.number,
      ownSettings: { ...limits, limit: '1', offset: '0' },
    });
    return true;
  } catch (error) {
    if (isSettingRefused(error)) return false;
    throw error;
  }
}

/** Runs as this reader then send no limits. @throws ServiceError for one that rejects the other settings as well. */
export async function requireFixed(session: Session, projectId: number, log: Log): Promise<void> {
  if (!(await acceptsSettings(session, projectId, {}))) throw acceptsNothing();
  session.fixedProjects.add(projectId);
  log.warn(
    { projectId },
    'the engine user of a project accepts no limits from the service; its own limits apply',
  );
}

/** Applies to readers of bound projects and to those that an operator created for a project with its own database. */
function acceptsNothing(): ServiceError {
  return new ServiceError(
    'engine_unavailable',
    'The engine user of this project rejects the settings sent with queries, as a user with readonly = 1 does. An operator must give it a settings profile in which they are CHANGEABLE_IN_READONLY, or readonly = 2; querydock project sql prints one.',
    { retryAfterSeconds: 60 },
  );
}
