/** Requests to one engine, as the administrator or as a project's reader, with the limits each has. */
import type { Config } from '../../config.ts';
import type { EngineParams } from '../query-engine.ts';
import type { EngineConnection } from './connection.ts';
import type { EngineClient, EngineResponse } from './http-client.ts';
import { writerSeconds } from './project-users.ts';

export type DriverConfig = Pick<
  Config,
  'queryTimeoutSeconds' | 'queryMemoryBytes' | 'maxResultBytes' | 'maxConcurrentQueries'
>;

export interface Session {
  readonly client: EngineClient;
  readonly connection: EngineConnection;
  readonly config: DriverConfig;
}

export interface Statement {
  readonly sql: string;
  readonly params?: EngineParams;
  readonly signal?: AbortSignal | undefined;
}

/** Beyond the engine's own time limit: for the way there and back. */
const MARGIN_MS = 5000;
const ADMIN_TIMEOUT_MS = 60_000;

export function queryTimeoutMs(config: DriverConfig): number {
  return config.queryTimeoutSeconds * 1000 + MARGIN_MS;
}

/** Settings under which every answer of the driver is read. */
export const wholeAnswer = { wait_end_of_query: '1' } as const;

/** A statement of the service itself, never of a caller. */
export function asAdmin(session: Session, statement: Statement): Promise<EngineResponse> {
  return session.client.send({
    ...statement,
    login: session.connection.admin,
    settings: { ...wholeAnswer, default_format: 'JSONCompactEachRow' },
    timeoutMs: ADMIN_TIMEOUT_MS,
    repeatable: true,
  });
}

/** A question about a caller's text, asked with the rights of the project's reader. */
export function asReader(
  session: Session,
  projectId: number,
  statement: Statement,
): Promise<EngineResponse> {
  return session.client.send({
    ...statement,
    login: session.connection.credentials(projectId, 'reader'),
    settings: {
      ...wholeAnswer,
      default_format: 'JSONCompactEachRow',
      print_pretty_type_names: '0',
    },
    timeoutMs: queryTimeoutMs(session.config),
    repeatable: true,
  });
}

/** A statement that changes tables, with the rights of the project's writer, who may take longer. */
export function asWriter(
  session: Session,
  projectId: number,
  statement: Statement & {
    readonly queryId?: string;
    readonly settings?: Readonly<Record<string, string>>;
  },
): Promise<EngineResponse> {
  return session.client.send({
    ...statement,
    login: session.connection.credentials(projectId, 'writer'),
    settings: { ...wholeAnswer, ...statement.settings },
    timeoutMs: writerSeconds * 1000 + MARGIN_MS,
  });
}

/** The rows of a small answer, parsed. Integers of 64 bits beyond 2^53 lose digits. */
export function readRows(response: EngineResponse): readonly (readonly unknown[])[] {
  const text = response.body.toString('utf8').trimEnd();
  if (text === '') return [];
  return text.split('\n').map((line) => JSON.parse(line) as readonly unknown[]);
}
