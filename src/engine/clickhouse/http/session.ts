/** Requests to one engine as its administrator, a project's reader or its writer, each with its own limits. */

import type { ProjectPlace } from '../../project-place.ts';
import type {
  Column,
  EngineLimits,
  EngineQuery,
  EngineShare,
  EngineStatement,
} from '../../query-engine.ts';
import { isSettingRefused } from '../errors/engine-error.ts';
import { type TranslationContext, translateError } from '../errors/translate-error.ts';
import type { TimeZones } from '../guard/rules/types.ts';
import { shortReadSettings, type UserLimits, writerSeconds } from '../provision/project-users.ts';
import { clusterSettings } from '../topology/on-cluster.ts';
import type { EngineConnection, EngineLogin } from './connection.ts';
import { onEachNode } from './each-node.ts';
import type { EngineClient, EngineRequest, EngineResponse } from './http-client.ts';
import { logComment } from './log-comment.ts';
import type { RefusedSettings, Statement } from './refusable-settings.ts';
import { sendNeeded, sendRead } from './refusable-settings.ts';
import type { Settings } from './request-message.ts';

/** What the service needs for its own statements. */
export interface AdminSession {
  readonly client: EngineClient;
  readonly connection: EngineConnection;
}

export interface Session extends AdminSession, RefusedSettings {
  readonly config: UserLimits;
  /** The project's databases. */
  readonly place: (projectId: number) => ProjectPlace;
  /** Parses rows written in a query, which a bound project's own user may not do. */
  readonly parser: AdminSession;
  /** Users that can only stop their own queries; absent when the administrator stops queries for all. */
  readonly users?: readonly EngineLogin[];
  /** Sent with every statement of a reader or writer that somebody else created. */
  readonly base?: Settings;
  /**
   * The comment that marks this deployment's stored tables. Absent when the project's database holds no others. A bound
   * project may share a database by mistake, under another name of the server or with a deployment that has another
   * metadata database.
   */
  readonly owner?: string;
  /** Projects whose users an operator created with limits of their own: their queries may not send settings. */
  readonly fixedProjects: Set<number>;
  /** Projects whose users do not accept a log comment. */
  readonly uncommented: Set<number>;
  readonly timeZones: () => Promise<TimeZones>;
  /** Creates the project's writer if missing; absent when every project has one. */
  readonly ensureWriter?: (projectId: number) => Promise<void>;
  /** Limit for a writer's statement; absent for the limit of its user. */
  readonly writerSeconds?: number;
}

/** Network margin beyond the engine's own time limit. */
const MARGIN_MS = 5000;
const ADMIN_TIMEOUT_MS = 60_000;

/** The lower of a limit of the server and that of a query. */
export function lowerOf(server: number, own: number | undefined): number {
  return own === undefined ? server : Math.min(server, own);
}

/**
 * Settings of one query: its share, its limits and `own`, which overrides them. Empty when the project's user may not
 * send settings.
 */
export function querySettings(
  { config, fixedProjects, base }: Session,
  { projectId, share, limits }: Pick<EngineQuery, 'projectId' | 'share' | 'limits'>,
  own: Settings,
): Settings {
  if (fixedProjects.has(projectId)) return {};
  const sent = base === undefined ? limitSettings(config, limits) : allLimits(config, limits);
  return { ...shareSettings(share), ...sent, ...own };
}

/** Sends only limits that are lower than the reader's own. */
function limitSettings(config: UserLimits, limits: EngineLimits | undefined): Settings {
  if (limits === undefined) return {};
  const all = [
    ['max_execution_time', limits.executionSeconds, config.queryTimeoutSeconds],
    ['max_memory_usage', limits.memoryBytes, config.queryMemoryBytes],
    ['max_result_bytes', limits.resultBytes, config.maxResultBytes],
  ] as const;
  const lower = all.filter(([, own, server]) => own !== undefined && own < server);
  return Object.fromEntries(lower.map(([name, own]) => [name, String(own)]));
}

/** A user that somebody else created may have no limits. */
function allLimits(config: UserLimits, limits: EngineLimits = {}): Settings {
  const { executionSeconds, memoryBytes, resultBytes } = limits;
  return {
    max_execution_time: String(lowerOf(config.queryTimeoutSeconds, executionSeconds)),
    max_memory_usage: String(lowerOf(config.queryMemoryBytes, memoryBytes)),
    max_result_bytes: String(lowerOf(config.maxResultBytes, resultBytes)),
  };
}

/** The engine evaluates parts of a text during analysis, and the user may have no limits. */
function analysisLimits({ base, config, fixedProjects }: Session, projectId: number): Settings {
  return base === undefined || fixedProjects.has(projectId) ? {} : allLimits(config);
}

/** Only the share, for a statement whose user has its own limits. */
export function ownShare(
  { fixedProjects }: Session,
  { projectId, share }: Pick<EngineQuery, 'projectId' | 'share'>,
): Settings {
  return fixedProjects.has(projectId) ? {} : shareSettings(share);
}

function shareSettings(share: EngineShare | undefined): Settings {
  if (share === undefined) return {};
  const { threads, priority, isShort } = share;
  return {
    priority: String(priority),
    ...(threads === null ? {} : { max_threads: String(threads) }),
    ...(isShort === true ? shortReadSettings : {}),
  };
}

/**
 * The engine buffers up to `buffer_size` bytes in memory, so a response arrives complete or as an error. Without that
 * setting it buffers in a file, which costs 0.2 ms.
 */
export const wholeResponse = { wait_end_of_query: '1', buffer_size: '4194304' } as const;

/** For small responses parsed by `readRows`. */
export const rowSettings = { ...wholeResponse, default_format: 'JSONCompactEachRow' } as const;
const readerDefaults = { ...rowSettings, print_pretty_type_names: '0' };

/**
 * A statement of the service itself, never of a caller. Retried when its response is lost, unless it says otherwise.
 */
export function asAdmin(
  session: AdminSession,
  {
    repeatable = true,
    ownSettings = {},
    ...statement
  }: Statement & Pick<EngineRequest, 'repeatable' | 'ownSettings'>,
): Promise<EngineResponse> {
  return session.client.send({
    ...statement,
    login: session.connection.admin,
    settings: rowSettings,
    ownSettings: { ...clusterSettings(session.connection), ...ownSettings },
    timeoutMs: ADMIN_TIMEOUT_MS,
    repeatable,
  });
}

type UserStatement = Statement & Partial<Pick<EngineRequest, 'timeoutMs' | 'repeatable'>>;

/** Runs it as each user that can see queries, on each responding node. */
export async function asEachUser(session: Session, statement: UserStatement): Promise<Rows> {
  return (await onEachNode(session, () => asUsers(session, statement))).flat();
}

async function asUsers(session: Session, statement: UserStatement): Promise<Rows> {
  const rows: (readonly unknown[])[] = [];
  for (const login of session.users ?? [session.connection.admin]) {
    const usual = { timeoutMs: ADMIN_TIMEOUT_MS, repeatable: true };
    const own = { settings: rowSettings, ownSettings: clusterSettings(session.connection) };
    const request = { ...usual, ...statement, ...own, login };
    rows.push(...readRows(await session.client.send(request)));
  }
  return rows;
}

interface ReaderRequest
  extends Statement,
    Pick<EngineRequest, 'settings' | 'ownSettings' | 'queryId' | 'maxBytes' | 'isStreamed'> {
  /** Limit at the engine; absent for the reader's. */
  readonly limitSeconds?: number;
}

/** A statement with the rights of the project's reader. */
export function asReader(
  session: Session,
  projectId: number,
  { limitSeconds = session.config.queryTimeoutSeconds, ...request }: ReaderRequest,
): Promise<EngineResponse> {
  const send = (ownSettings: Settings) =>
    session.client.send({
      settings: readerDefaults,
      ...request,
      ownSettings,
      login: session.connection.credentials(projectId, 'reader'),
      timeoutMs: limitSeconds * 1000 + MARGIN_MS,
      execution: { projectId, limitSeconds },
      repeatable: true,
    });
  const own = { ...session.base, ...request.ownSettings, ...commentOf(session, projectId) };
  return sendRead({ projectId, settings: own, statement: request, session, send });
}

/** Empty when the project's user may not send it. */
function commentOf({ fixedProjects, uncommented }: Session, projectId: number): Settings {
  if (fixedProjects.has(projectId) || uncommented.has(projectId)) return {};
  return { log_comment: logComment(projectId) };
}

interface WriterStatement extends Statement {
  readonly queryId?: string;
  readonly settings?: Settings;
}

/**
 * A statement that changes tables, with the rights of the project's writer and its longer limit. A statement with an id
 * is watched until it ends or overruns its limit.
 */
export async function asWriter(
  session: Session,
  projectId: number,
  statement: WriterStatement,
): Promise<EngineResponse> {
  await session.ensureWriter?.(projectId);
  const { base, config, writerSeconds: limitSeconds = writerSeconds } = session;
  const send = (settings: Settings) =>
    session.client.send({
      ...statement,
      login: session.connection.credentials(projectId, 'writer'),
      settings: { ...wholeResponse, ...settings, ...statement.settings },
      ownSettings: commentOf(session, projectId),
      timeoutMs: limitSeconds * 1000 + 4 * MARGIN_MS,
      ...(statement.queryId === undefined ? {} : { execution: { projectId, limitSeconds } }),
    });
  const needing = { session, user: { role: 'writer', projectId }, statement } as const;
  if (base === undefined) return sendNeeded(needing, send);
  const limits = {
    max_execution_time: String(limitSeconds),
    max_memory_usage: String(config.queryMemoryBytes),
  };
  return sendNeeded(needing, (own) =>
    send({ ...base, ...limits, ...own }).catch((error: unknown) => {
      // The profile fixes other values, for example one from before a change of the service's settings; those apply.
      if (!isSettingRefused(error)) throw error;
      return send({ ...base, ...own });
    }),
  );
}

interface TextStatement extends EngineStatement, Pick<Statement, 'signal'> {
  /** Left out for a user who may not send them. */
  readonly ownSettings?: Settings | undefined;
}

/** The rows of a query about a caller's text, as the project's reader. @throws ServiceError */
export async function readerRows(
  session: Session,
  { projectId, sql, params, signal, ownSettings: more }: TextStatement,
  source: Omit<TranslationContext, 'projectId' | 'boundTo' | 'dictionaries'>,
): Promise<Rows> {
  try {
    const limits = analysisLimits(session, projectId);
    const send = (own: Settings) =>
      asReader(session, projectId, { sql, params, signal, ownSettings: { ...limits, ...own } });
    const sent = send(more ?? {}).catch((error: unknown) => {
      if (more === undefined || !isSettingRefused(error)) throw error;
      return send({});
    });
    return readRows(await sent);
  } catch (error) {
    throw translateError(error, { ...source, ...messageContext(session, projectId) });
  }
}

/** What a message about the project's statement may name. */
export function messageContext(
  session: Pick<Session, 'place'>,
  projectId: number,
): Pick<TranslationContext, 'projectId' | 'boundTo' | 'dictionaries'> {
  const { isBound, databases, dictionaries } = session.place(projectId);
  return isBound ? { projectId, boundTo: databases, dictionaries } : { projectId };
}

export type Rows = readonly (readonly unknown[])[];

/** Parses the rows of a small response. 64-bit integers beyond 2^53 lose digits. */
export function readRows(response: EngineResponse): Rows {
  const text = response.body.toString('utf8').trimEnd();
  if (text === '') return [];
  return text.split('\n').map((line) => JSON.parse(line) as readonly unknown[]);
}

/** The first value of each row. */
export function toTexts(rows: Rows): readonly string[] {
  return rows.map(([text]) => String(text));
}

/** Rows whose first two values are a name and a type. */
export function toColumns(rows: Rows): readonly Column[] {
  return rows.map(([name, type]) => ({ name: String(name), type: String(type) }));
}
