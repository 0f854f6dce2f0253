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
  return clusterOf(connection) === null ? client : behindBalancer(client, url);
}

/** How often a request that one node could not take is sent again. */
const FURTHER_TRIES = 3;

/** By the same address it may come to another node, if it comes by another connection: a balancer of TCP chooses a node for each. */
function behindBalancer(client: EngineClient, url: string): EngineClient {
  const anew = openEngineClient({ url, keepAlive: false });
  const tries = [client, ...Array.from({ length: FURTHER_TRIES }, () => anew)];
  return {
    ...client,
    send: (request) => sendUntilTaken(request, tries, (one) => one.send(request)),
    close() {
      client.close();
      anew.close();
    },
  };
}
