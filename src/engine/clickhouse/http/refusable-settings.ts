/** Settings of reads that users may refuse who an earlier version or an operator created; they accept the others. */
import { mayJoinNull } from '../../../sql/joined-nulls.ts';
import { nullText } from '../../../sql/param-value.ts';
import { isSettingRefused } from '../errors/engine-error.ts';
import { nullJoinSettings, type shortReadSettings } from '../provision/project-users.ts';
import type { EngineRequest } from './http-client.ts';
import type { Settings } from './request-message.ts';

/** Makes short reads faster. */
const refusable: keyof typeof shortReadSettings = 'optimize_use_projections';

interface Read<T> {
  readonly projectId: number;
  readonly settings: Settings;
  readonly statement: Pick<EngineRequest, 'sql' | 'params'>;
  readonly session: {
    /** Projects whose users refuse the setting of short reads. */
    readonly plainReads: Set<number>;
    readonly fixedProjects: ReadonlySet<number>;
  };
  readonly send: (settings: Settings) => Promise<T>;
}

/** Sends the statement without the settings that the project's user refuses. */
export function sendRead<T>(read: Read<T>): Promise<T> {
  const { projectId, settings, session, statement } = read;
  if (session.fixedProjects.has(projectId)) return sendShortRead(read);
  const send = (own: Settings) => sendShortRead({ ...read, settings: { ...settings, ...own } });
  return sendJoined(statement, send);
}

/** Sends a statement that reads rows with the setting that its JOIN needs, or without if the user refuses it. */
export async function sendJoined<T>(
  statement: Read<T>['statement'],
  send: (own: Settings) => Promise<T>,
): Promise<T> {
  if (!mayJoinOnNull(statement)) return send({});
  try {
    return await send(nullJoinSettings);
  } catch (error) {
    if (!isSettingRefused(error)) throw error;
    return send({});
  }
}

/** Whether a JOIN may compare something with a variable, or with another value, that is NULL. */
function mayJoinOnNull({ sql, params = {} }: Read<unknown>['statement']): boolean {
  const isNull = (value: string) => value === nullText || value.includes('NULL');
  return /\bjoin\b/i.test(sql) && (Object.values(params).some(isNull) || mayJoinNull(sql));
}

/** Without the setting of short reads if the project's user refuses it, which is remembered. */
async function sendShortRead<T>({ projectId, settings, session, send }: Read<T>): Promise<T> {
  const { [refusable]: short, ...plain } = settings;
  if (short === undefined) return send(settings);
  if (session.plainReads.has(projectId)) return send(plain);
  try {
    return await send(settings);
  } catch (error) {
    if (!isSettingRefused(error)) throw error;
    const response = await send(plain);
    session.plainReads.add(projectId);
    return response;
  }
}
