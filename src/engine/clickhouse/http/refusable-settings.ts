/** Settings that some users refuse, because an earlier version or an operator created them. Statements are then sent without. */
import { mayJoinNull } from '../../../sql/joined-nulls.ts';
import { nullText } from '../../../sql/param-value.ts';
import { isSettingRefused } from '../errors/engine-error.ts';
import { nullJoinSettings, type shortReadSettings } from '../provision/project-users.ts';
import type { EngineRequest } from './http-client.ts';
import type { Settings } from './request-message.ts';

/** Makes short reads faster. */
const refusable: keyof typeof shortReadSettings = 'optimize_use_projections';

/** What users have refused. */
export interface RefusedSettings {
  /** Projects whose users refuse the setting of short reads. */
  readonly plainReads: Set<number>;
  /** Users, as `joiningUser` names them, who refuse the setting of a JOIN. */
  readonly plainJoins: Set<string>;
}

interface Read<T> {
  readonly projectId: number;
  readonly settings: Settings;
  readonly statement: Pick<EngineRequest, 'sql' | 'params'>;
  readonly session: RefusedSettings & { readonly fixedProjects: ReadonlySet<number> };
  readonly send: (settings: Settings) => Promise<T>;
}

/** Sends the statement without the settings that the project's user refuses. */
export function sendRead<T>(read: Read<T>): Promise<T> {
  const { projectId, settings, session, statement } = read;
  if (session.fixedProjects.has(projectId)) return sendShortRead(read);
  const send = (own: Settings) => sendShortRead({ ...read, settings: { ...settings, ...own } });
  return sendJoined({ session, user: joiningUser('reader', projectId), statement }, send);
}

export function joiningUser(role: 'reader' | 'writer', projectId: number): string {
  return `${role} ${projectId}`;
}

interface Joined {
  readonly session: Pick<RefusedSettings, 'plainJoins'>;
  readonly user: string;
  readonly statement: Read<unknown>['statement'];
}

/**
 * Sends a statement that reads rows with the setting that its JOIN needs. Without it if the user refuses it, which is
 * remembered.
 */
export function sendJoined<T>(
  { session: { plainJoins }, user, statement }: Joined,
  send: (own: Settings) => Promise<T>,
): Promise<T> {
  if (!mayJoinOnNull(statement)) return send({});
  return sendRefusable(plainJoins, user, (isSent) => send(isSent ? nullJoinSettings : {}));
}

/** Whether a JOIN may compare something with a variable, or with another value, that is NULL. */
function mayJoinOnNull({ sql, params = {} }: Read<unknown>['statement']): boolean {
  const isNull = (value: string) => value === nullText || value.includes('NULL');
  return /\bjoin\b/i.test(sql) && (Object.values(params).some(isNull) || mayJoinNull(sql));
}

/** Without the setting of short reads if the project's user refuses it, which is remembered. */
function sendShortRead<T>({ projectId, settings, session, send }: Read<T>): Promise<T> {
  const { [refusable]: short, ...plain } = settings;
  if (short === undefined) return send(settings);
  return sendRefusable(session.plainReads, projectId, (isSent) => send(isSent ? settings : plain));
}

/** Sends with a setting unless the key is among those that refuse it, and adds the key if it does. */
async function sendRefusable<K, T>(
  refusing: Set<K>,
  key: K,
  send: (isSent: boolean) => Promise<T>,
): Promise<T> {
  if (refusing.has(key)) return send(false);
  try {
    return await send(true);
  } catch (error) {
    if (!isSettingRefused(error)) throw error;
    const response = await send(false);
    refusing.add(key);
    return response;
  }
}
