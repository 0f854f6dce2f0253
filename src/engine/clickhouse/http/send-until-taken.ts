/** Sends a request to one node after the other, until one has taken it. */
import { ServiceError } from '../../../errors/service-error.ts';
import { EngineError } from '../errors/engine-error.ts';
import {
  type EngineRequest,
  type EngineResponse,
  isUnsent,
  NoResponseError,
} from './http-client.ts';

/** @throws what the first node said that was reached, else what became of the request on the last one. */
export async function sendUntilTaken<Node>(
  request: EngineRequest,
  nodes: readonly Node[],
  send: (node: Node) => Promise<EngineResponse>,
): Promise<EngineResponse> {
  let failure: unknown = null;
  for (const node of nodes) {
    try {
      return await send(node);
    } catch (error) {
      if (failure === null || isFaultOfNode(failure)) failure = error;
      if (!mayMove(request, error)) throw error;
    }
  }
  throw failure;
}

/** It could not be reached, lost the connection, or did not answer in time. */
export function isFaultOfNode(error: unknown): boolean {
  if (error instanceof EngineError) return error.code === 0;
  return error instanceof ServiceError && error.code === 'engine_unavailable';
}

/**
 * What another node may not say: a table, a database or a user that this one has not got, as one that was away when they were made; a
 * node that it could not reach; that it is ending.
 */
const MAY_DIFFER: ReadonlySet<number> = new Set([32, 60, 81, 192, 209, 210, 236, 279, 516]);

function mayMove(request: EngineRequest, error: unknown): boolean {
  if (request.rows !== undefined || request.signal?.aborted || request.stop?.aborted) return false;
  if (error instanceof NoResponseError) return false;
  if (isFaultOfNode(error)) return request.repeatable === true || isUnsent(error);
  return request.repeatable === true && error instanceof EngineError && MAY_DIFFER.has(error.code);
}
