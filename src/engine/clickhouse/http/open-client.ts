import type { Log } from '../../../lib/log.ts';
import { clusterOf } from '../topology/on-cluster.ts';
import type { EngineConnection } from './connection.ts';
import { type EngineClient, type EngineClientOptions, openEngineClient } from './http-client.ts';
import { openNodesClient } from './nodes-client.ts';
import { sendUntilTaken } from './send-until-taken.ts';

/** To the nodes of the engine where these are known, else to its one address. */
export function openClient(
  connection: EngineConnection,
  { log, whenReady }: Pick<EngineClientOptions, 'whenReady'> & { readonly log: Log },
): EngineClient {
  const { url, nodes } = connection;
  if (nodes !== undefined) return openNodesClient(nodes, { login: connection.admin, log });
  const client = openEngineClient({ url, ...(whenReady === undefined ? {} : { whenReady }) });
  return clusterOf(connection) === null ? client : behindBalancer(client);
}

/** A request that one node could not take may come to another one by the same address. */
const TRIES = 4;

function behindBalancer(client: EngineClient): EngineClient {
  const tries = Array.from({ length: TRIES }, () => client);
  return {
    ...client,
    send: (request) => sendUntilTaken(request, tries, (one) => one.send(request)),
  };
}
