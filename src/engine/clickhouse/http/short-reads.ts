/** Sends short reads with a setting that makes them faster. */
import { isSettingRefused } from '../errors/engine-error.ts';
import type { shortReadSettings } from '../provision/project-users.ts';
import type { Settings } from './request-message.ts';

/** Refused by users that an earlier version or an operator created; they accept the other settings. */
const refusable: keyof typeof shortReadSettings = 'optimize_use_projections';

interface ShortRead<T> {
  readonly projectId: number;
  readonly settings: Settings;
  /** Projects whose users refuse it. */
  readonly plainReads: Set<number>;
  readonly send: (settings: Settings) => Promise<T>;
}

/** Sends the statement without the setting when the project's user refuses it, and remembers that. */
export async function sendShortRead<T>(read: ShortRead<T>): Promise<T> {
  const { projectId, settings, plainReads, send } = read;
  const { [refusable]: short, ...plain } = settings;
  if (short === undefined) return send(settings);
  if (plainReads.has(projectId)) return send(plain);
  try {
    return await send(settings);
  } catch (error) {
    if (!isSettingRefused(error)) throw error;
    const response = await send(plain);
    plainReads.add(projectId);
    return response;
  }
}
