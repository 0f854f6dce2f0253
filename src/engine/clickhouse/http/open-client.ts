import type { Log } from '../../../lib/log.ts';
import { clusterOf } from '../topology/on-cluster.ts';
import type { EngineConnection } from './connection.ts';
import { sendWithFailover } from './failover.ts';
import { type EngineClient, type EngineClientOptions, openEngineClient } from './http-client.ts';
import { openNodesClient } from './nodes-client.ts';

/** Connects to the engine's nodes where they are known, else to its single address. */
export function openClient(
  connection: EngineConnection,
  {
    log,
    ...recovery
  }: Pick<EngineClientOptions, 'whenReady' | 'recoveryMs'> & { readonly log: Log },
): EngineClient {
  const { url, nodes } = connection;
  if (nodes !== undefined) return openNodesClient(nodes, { login: connection.admin, log });
  const client = openEngineClient({ url, ...recovery });
  return clusterOf(connection) === null ? client : behindBalancer(client, url);
}

/** Retries of a request that a node could not take. */
const FURTHER_TRIES = 3;

/**
 * A new connection to the same address may reach another node, because a TCP balancer chooses a node per connection.
 */
function behindBalancer(client: EngineClient, url: string): EngineClient {
  const anew = openEngineClient({ url, keepAlive: false });
  const tries = [client, ...Array.from({ length: FURTHER_TRIES }, () => anew)];
  return {
    ...client,
    send: (request) => sendWithFailover(request, tries, (one) => one.send(request)),
    close() {
      client.close();
      anew.close();
    },
  };
}
