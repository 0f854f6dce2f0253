/** The engine's client, with each execution under the eyes of the watch from its sending to its end. */
import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { ServiceError } from '../../../errors/service-error.ts';
import { currentOrigin } from '../../execution-origin.ts';
import { EngineError } from '../errors/engine-error.ts';
import type { EngineLogin } from '../http/connection.ts';
import {
  type EngineClient,
  type EngineRequest,
  type EngineResponse,
  NoAnswerError,
} from '../http/http-client.ts';
import type { OverrunWatch, WatchedExecution } from './overrun-watch.ts';

export interface Watched {
  readonly client: EngineClient;
  readonly watch: OverrunWatch;
  readonly admin: EngineLogin;
}

const SIGN_OF_LIFE_MS = 1000;

export function watchedClient(watched: Watched): EngineClient {
  const { client, watch } = watched;
  return {
    send: (request) =>
      request.execution === undefined
        ? client.send(request)
        : sendWatched(watched, request, request.execution),
    close() {
      watch.close();
      client.close();
    },
  };
}

async function sendWatched(
  { client, watch, admin }: Watched,
  request: EngineRequest,
  { projectId, limitSeconds }: NonNullable<EngineRequest['execution']>,
): Promise<EngineResponse> {
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
    else execution.abandoned(isOver(request.signal));
    if (error instanceof NoAnswerError && (await isAlive(client, admin))) throw timedOut();
    throw error;
  }
}

/** Whether what gave it up was a time of ours. */
function isOver(signal: AbortSignal | undefined): boolean {
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

/** An engine that answers others and not this query is there; the query is at fault. */
async function isAlive(client: EngineClient, login: EngineLogin): Promise<boolean> {
  try {
    await client.send({ login, sql: 'SELECT 1', timeoutMs: SIGN_OF_LIFE_MS });
    return true;
  } catch {
    return false;
  }
}

export function timedOut(): ServiceError {
  return new ServiceError('query_timeout', 'The query took longer than it may. Read fewer rows.');
}
