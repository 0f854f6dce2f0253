/** Sends short reads with the settings that make them faster. */
import { isSettingRefused } from '../errors/engine-error.ts';
import { shortReadSettings } from '../provision/project-users.ts';
import type { Settings } from './request-message.ts';

/** Those that users made by earlier versions, or by an operator, may refuse. */
const refusable = Object.keys(shortReadSettings);

interface ShortRead<T> {
  readonly projectId: number;
  readonly settings: Settings;
  /** Projects whose users refuse them. */
  readonly plainReads: Set<number>;
  readonly send: (settings: Settings) => Promise<T>;
}

/** Sends the statement without these settings where the project's user refuses them: at once, once that is known. */
export async function sendShortRead<T>(read: ShortRead<T>): Promise<T> {
  const { projectId, settings, plainReads, send } = read;
  if (!refusable.some((name) => name in settings)) return send(settings);
  const kept = Object.entries(settings).filter(([name]) => !refusable.includes(name));
  const plain = Object.fromEntries(kept);
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
