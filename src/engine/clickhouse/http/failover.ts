/** Tries one node after another until one takes the request. */
import { ServiceError } from '../../../errors/service-error.ts';
import { EngineError } from '../errors/engine-error.ts';
import {
  type EngineRequest,
  type EngineResponse,
  isUnsent,
  NoResponseError,
} from './http-client.ts';

/** @throws the error of the first node that was reached, else the error of the last one. */
export async function sendWithFailover<Node>(
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

/** The node could not be reached, lost the connection, or did not respond in time. */
export function isFaultOfNode(error: unknown): boolean {
  if (error instanceof EngineError) return error.code === 0;
  return error instanceof ServiceError && error.code === 'engine_unavailable';
}

/**
 * Errors that another node may not have: a missing table, database or user (the node was away when they were created),
 * a node that this one could not reach, or a shutdown.
 */
const MAY_DIFFER: ReadonlySet<number> = new Set([32, 60, 81, 192, 209, 210, 236, 279, 516]);

function mayMove(request: EngineRequest, error: unknown): boolean {
  if (request.rows !== undefined || request.signal?.aborted || request.stop?.aborted) return false;
  if (error instanceof NoResponseError) return false;
  if (isFaultOfNode(error)) return request.repeatable === true || isUnsent(error);
  return request.repeatable === true && error instanceof EngineError && MAY_DIFFER.has(error.code);
}
