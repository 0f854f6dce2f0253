/** Whether a reader that somebody else has made accepts the settings without which no query can be sent. */
import { ServiceError } from '../../../errors/service-error.ts';
import { isSettingRefused } from '../errors/engine-error.ts';
import { asReader, type Session } from '../http/session.ts';
import { outputSettings } from '../query/output-settings.ts';

/** @param limits further settings of queries. */
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

/** Also of a reader that an operator has made for a project with a database of its own. */
export function acceptsNothing(): ServiceError {
  return new ServiceError(
    'engine_unavailable',
    'The engine’s user for this project does not accept the settings that queries send, as a user with readonly = 1 does not. An operator gives it a settings profile in which they are CHANGEABLE_IN_READONLY, or readonly = 2; querydock project sql prints one.',
    { retryAfterSeconds: 60 },
  );
}
