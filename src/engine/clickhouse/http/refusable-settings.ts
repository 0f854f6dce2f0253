/** Settings that some users refuse, because an earlier version or an operator created them. Statements are then sent without. */
import { mayJoinNull } from '../../../sql/joined-nulls.ts';
import { nullText } from '../../../sql/param-value.ts';
import { isSettingRefused } from '../errors/engine-error.ts';
import {
  likeSettings,
  nullJoinSettings,
  plainLikeSettings,
  prewhereSettings,
  type shortReadSettings,
  tokenSettings,
  windowSettings,
} from '../provision/project-users.ts';
import type { EngineRequest } from './http-client.ts';
import type { Settings } from './request-message.ts';

/** Makes short reads faster. */
const refusable: keyof typeof shortReadSettings = 'optimize_use_projections';

/** What users have refused. */
export interface RefusedSettings {
  /** Projects whose users refuse the setting of short reads. */
  readonly plainReads: Set<number>;
  /** Settings of single statements that users refuse, as `refusalOf` names them. */
  readonly plainStatements: Set<string>;
}

export interface Statement extends Pick<EngineRequest, 'sql' | 'params' | 'signal'> {
  /** Whether it searches a text that may be NULL. */
  readonly searchesNull?: boolean;
}

interface Read<T> {
  readonly projectId: number;
  readonly settings: Settings;
  readonly statement: Statement;
  readonly session: RefusedSettings & { readonly fixedProjects: ReadonlySet<number> };
  readonly send: (settings: Settings) => Promise<T>;
}

/** Sends the statement without the settings that the project's user refuses. */
export function sendRead<T>(read: Read<T>): Promise<T> {
  const { projectId, settings, session, statement } = read;
  if (session.fixedProjects.has(projectId)) return sendShortRead(read);
  const send = (own: Settings) => sendShortRead({ ...read, settings: { ...settings, ...own } });
  return sendNeeded({ session, user: { role: 'reader', projectId }, statement }, send);
}

interface ProjectUser {
  readonly role: 'reader' | 'writer';
  readonly projectId: number;
}

interface Needing {
  readonly session: Pick<RefusedSettings, 'plainStatements'>;
  readonly user: ProjectUser;
  readonly statement: Statement;
}

interface NeededSetting {
  /** The statements that need it. */
  readonly of: string;
  readonly settings: Settings;
  /** What a user who refuses it may get. */
  readonly without: string;
  isNeeded(statement: Statement): boolean;
}

/** Without these, some statements return other rows than they should. */
export const neededSettings: readonly NeededSetting[] = [
  {
    of: 'a JOIN that compares with NULL',
    settings: nullJoinSettings,
    without: 'a JOIN with a condition that is NULL finds rows as if it had none',
    isNeeded: mayJoinOnNull,
  },
  {
    of: 'PREWHERE',
    settings: prewhereSettings,
    without: 'PREWHERE may take a column that was added with a DEFAULT for 0 or an empty text',
    isNeeded: ({ sql }) => /\bprewhere\b/i.test(sql),
  },
  {
    of: 'LIKE with a backslash',
    settings: likeSettings,
    without: 'LIKE with a backslash after % may find other texts',
    isNeeded: mayEscapeInLike,
  },
  {
    of: 'LIKE with a backslash that escapes nothing',
    settings: plainLikeSettings,
    without: 'indexes of texts leave out what LIKE finds by a backslash that escapes nothing',
    isNeeded: mayEscapeNothing,
  },
  {
    of: 'a search of a Nullable text',
    settings: tokenSettings,
    without: 'an index of type text may give a search of NULL as 0',
    isNeeded: ({ searchesNull = false }) => searchesNull,
  },
  {
    of: 'a window that counts',
    settings: windowSettings,
    without: 'count(column) OVER (…) of a Nullable column fails',
    isNeeded: ({ sql }) => /\bcount\s*\(/i.test(sql) && /\bover\b/i.test(sql),
  },
];

/**
 * Sends a statement that reads rows with the settings that it needs. Without those that the user refuses, which is
 * remembered.
 */
export function sendNeeded<T>(
  { session: { plainStatements }, user, statement }: Needing,
  send: (own: Settings) => Promise<T>,
): Promise<T> {
  const sendWith = ([next, ...others]: readonly NeededSetting[], own: Settings): Promise<T> => {
    if (next === undefined) return send(own);
    return sendRefusable(plainStatements, refusalOf(user, next), (isSent) =>
      sendWith(others, isSent ? { ...own, ...next.settings } : own),
    );
  };
  return sendWith(
    neededSettings.filter(({ isNeeded }) => isNeeded(statement)),
    {},
  );
}

function refusalOf({ role, projectId }: ProjectUser, { settings }: NeededSetting): string {
  return `${role} ${projectId} ${Object.keys(settings).join()}`;
}

/** Sends the settings again to users of the project who have refused them. */
export function forgetRefusals(
  { plainReads, plainStatements }: RefusedSettings,
  projectId: number,
): void {
  plainReads.delete(projectId);
  for (const role of ['reader', 'writer'] as const)
    for (const one of neededSettings) plainStatements.delete(refusalOf({ role, projectId }, one));
}

function mayEscapeInLike(statement: Statement): boolean {
  return textsOfLike(statement).some((text) => text.includes('\\'));
}

/** Backslashes as SQL and values are written: before another one, `%`, `_`, a quote or the letter of a control character. */
const ESCAPES = /\\{4}|\\{1,2}[%_]|\\['"nrt]/g;

function mayEscapeNothing(statement: Statement): boolean {
  return textsOfLike(statement).some((text) => text.replace(ESCAPES, '').includes('\\'));
}

/** Where the patterns of a LIKE may be written. */
function textsOfLike({ sql, params = {} }: Statement): readonly string[] {
  if (!/like/i.test(sql)) return [];
  return [sql, ...Object.values(params).filter((value) => value !== nullText)];
}

/** Whether a JOIN may compare something with a variable, or with another value, that is NULL. */
function mayJoinOnNull({ sql, params = {} }: Statement): boolean {
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
