/** Wraps the engine's client to report each execution's start and end to the overrun watch. */
import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { currentOrigin } from '../../execution-origin.ts';
import { EngineError } from '../errors/engine-error.ts';
import { failure } from '../errors/failures.ts';
import type { EngineLogin } from '../http/connection.ts';
import {
  type EngineClient,
  type EngineRequest,
  type EngineResponse,
  NoResponseError,
} from '../http/http-client.ts';
import type { OverrunWatch, WatchedEngine, WatchedExecution } from './overrun-watch.ts';

interface Watched extends Pick<WatchedEngine, 'listRunning'> {
  readonly client: EngineClient;
  readonly watch: OverrunWatch;
  readonly admin: EngineLogin;
}

const PROBE_TIMEOUT_MS = 1000;

export function watchedClient(watched: Watched): EngineClient {
  const { client, watch } = watched;
  return {
    ...(client.nodes === undefined ? {} : { nodes: client.nodes }),
    send: (request) =>
      request.execution === undefined
        ? client.send(request)
        : sendWatched(watched, request, request.execution),
    retire: () => client.retire(),
    close() {
      watch.close();
      client.close();
    },
  };
}

async function sendWatched(
  watched: Watched,
  request: EngineRequest,
  { projectId, limitSeconds }: NonNullable<EngineRequest['execution']>,
): Promise<EngineResponse> {
  const { client, watch } = watched;
  const { queryId = randomUUID(), sql } = request;
  const stopping = new AbortController();
  const execution = watch.begin({
    queryId,
    projectId,
    sql,
    origin: currentOrigin(),
    limitMs: limitSeconds * 1000,
    stop: (error) => stopping.abort(error),
  });
  try {
    const response = await client.send({ ...request, queryId, stop: stopping.signal });
    if (response.incoming === undefined) execution.ended();
    else follow(response.incoming, execution, stopping.signal);
    return response;
  } catch (error) {
    if (error instanceof EngineError) execution.ended();
    else execution.abandoned(isTimedOut(request.signal));
    const isUnanswered = error instanceof NoResponseError;
    if (isUnanswered && (await isAtFault(watched, { queryId, limitSeconds })))
      throw failure('timeout');
    throw error;
  }
}

/** Whether the service abandoned it at its time limit. */
function isTimedOut(signal: AbortSignal | undefined): boolean {
  const reason: unknown = signal?.reason;
  return reason instanceof DOMException && reason.name === 'TimeoutError';
}

function follow(incoming: IncomingMessage, execution: WatchedExecution, stop: AbortSignal): void {
  const onStop = () => incoming.destroy(stop.reason);
  stop.addEventListener('abort', onStop, { once: true });
  incoming.once('close', () => {
    stop.removeEventListener('abort', onStop);
    if (incoming.complete) execution.ended();
    else execution.abandoned(false);
  });
}

interface Unanswered {
  readonly queryId: string;
  readonly limitSeconds: number;
}

/**
 * Whether the query has run for longer than it may. If it is not running although the engine responds, the request or its
 * response was lost on the way.
 */
async function isAtFault(
  { client, listRunning, admin }: Watched,
  { queryId, limitSeconds }: Unanswered,
): Promise<boolean> {
  if (!(await isAlive(client, admin))) return false;
  const running = await listRunning();
  // Null where the service may not see what the engine is running.
  return running === null || (running.get(queryId) ?? 0) >= limitSeconds * 1000;
}

async function isAlive(client: EngineClient, login: EngineLogin): Promise<boolean> {
  try {
    await client.send({ login, sql: 'SELECT 1', timeoutMs: PROBE_TIMEOUT_MS });
    return true;
  } catch {
    return false;
  }
}
