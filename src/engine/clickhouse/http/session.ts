/** Requests to one engine, as the administrator or as a project's reader, with the limits each has. */
import type { EngineLimits, EngineParams, EngineShare } from '../../query-engine.ts';
import type { TimeZones } from '../guard/rules/types.ts';
import { type UserLimits, writerSeconds } from '../provision/project-users.ts';
import type { EngineConnection } from './connection.ts';
import type { EngineClient, EngineResponse } from './http-client.ts';

export interface Session {
  readonly client: EngineClient;
  readonly connection: EngineConnection;
  readonly config: UserLimits;
  /** Projects whose users an operator made with limits of their own: they take no settings from us. */
  readonly fixedProjects: Set<number>;
  readonly timeZones: () => Promise<TimeZones>;
  /** How long a statement of a writer may take; absent: as long as its user. */
  readonly writerSeconds?: number;
}

export interface Statement {
  readonly sql: string;
  readonly params?: EngineParams;
  readonly signal?: AbortSignal | undefined;
}

/** Beyond the engine's own time limit: for the way there and back. */
const MARGIN_MS = 5000;
const ADMIN_TIMEOUT_MS = 60_000;

export function queryTimeoutMs(config: UserLimits, limits: EngineLimits = {}): number {
  return executionSeconds(config, limits) * 1000 + MARGIN_MS;
}

/** How long one query may take at the engine. */
export function executionSeconds(config: UserLimits, limits: EngineLimits = {}): number {
  return least(config.queryTimeoutSeconds, limits.executionSeconds);
}

/** The lower of a limit of the server and one that was named. */
export function least(server: number, named: number | undefined): number {
  return named === undefined ? server : Math.min(server, named);
}

/** Those that are lower than the reader's own, which need not be said. */
export function limitSettings(
  { config, fixedProjects }: Session,
  projectId: number,
  limits: EngineLimits | undefined,
): Readonly<Record<string, string>> {
  if (limits === undefined || fixedProjects.has(projectId)) return {};
  const all = [
    ['max_execution_time', limits.executionSeconds, config.queryTimeoutSeconds],
    ['max_memory_usage', limits.memoryBytes, config.queryMemoryBytes],
    ['max_result_bytes', limits.resultBytes, config.maxResultBytes],
  ] as const;
  const lower = all.filter(([, named, server]) => named !== undefined && named < server);
  return Object.fromEntries(lower.map(([name, named]) => [name, String(named)]));
}

/**
 * Under which every answer of the driver is read: whole, or as an error. The engine holds the answer back in
 * memory up to `buffer_size` bytes; without that it writes every answer to a file first, which costs 0.2 ms.
 */
export const wholeAnswer = { wait_end_of_query: '1', buffer_size: '4194304' } as const;

const adminSettings = { ...wholeAnswer, default_format: 'JSONCompactEachRow' };
const readerQuestions = { ...adminSettings, print_pretty_type_names: '0' };

export function shareSettings(
  session: Session,
  projectId: number,
  share: EngineShare | undefined,
): Readonly<Record<string, string>> {
  if (share === undefined || session.fixedProjects.has(projectId)) return {};
  const { threads, priority, isShort } = share;
  return {
    priority: String(priority),
    ...(threads === null ? {} : { max_threads: String(threads) }),
    ...(isShort === true ? { output_format_parallel_formatting: '0' } : {}),
  };
}

/** Settings of a query, where the project's user takes any. */
export function takenSettings(
  { fixedProjects }: Session,
  projectId: number,
  settings: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  return fixedProjects.has(projectId) ? {} : settings;
}

/** A statement of the service itself, never of a caller. */
export function asAdmin(session: Session, statement: Statement): Promise<EngineResponse> {
  return session.client.send({
    ...statement,
    login: session.connection.admin,
    settings: adminSettings,
    timeoutMs: ADMIN_TIMEOUT_MS,
    repeatable: true,
  });
}

/** A question about a caller's text, asked with the rights of the project's reader. */
export function asReader(
  session: Session,
  projectId: number,
  statement: Statement & { readonly settings?: Readonly<Record<string, string>> },
): Promise<EngineResponse> {
  return session.client.send({
    ...statement,
    login: session.connection.credentials(projectId, 'reader'),
    settings: readerQuestions,
    ownSettings: statement.settings,
    timeoutMs: queryTimeoutMs(session.config),
    execution: { projectId, limitSeconds: session.config.queryTimeoutSeconds },
    repeatable: true,
  });
}

/**
 * A statement that changes tables, with the rights of the project's writer, who may take longer. One with an id is
 * waited for until it has ended or was found to outlive its limit.
 */
export function asWriter(
  session: Session,
  projectId: number,
  statement: Statement & {
    readonly queryId?: string;
    readonly settings?: Readonly<Record<string, string>>;
  },
): Promise<EngineResponse> {
  const limitSeconds = session.writerSeconds ?? writerSeconds;
  return session.client.send({
    ...statement,
    login: session.connection.credentials(projectId, 'writer'),
    settings: { ...wholeAnswer, ...statement.settings },
    timeoutMs: limitSeconds * 1000 + 4 * MARGIN_MS,
    ...(statement.queryId === undefined ? {} : { execution: { projectId, limitSeconds } }),
  });
}

/** The rows of a small answer, parsed. Integers of 64 bits beyond 2^53 lose digits. */
export function readRows(response: EngineResponse): readonly (readonly unknown[])[] {
  const text = response.body.toString('utf8').trimEnd();
  if (text === '') return [];
  return text.split('\n').map((line) => JSON.parse(line) as readonly unknown[]);
}
