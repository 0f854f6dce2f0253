/**
 * The client of a multi-node engine. It picks nodes round-robin and retries a request on the next node if one could not
 * take it. A result never mixes two nodes: a retry happens only before any part of a response was passed on.
 */
import { chosenNodes, onNode } from '../../one-node.ts';
import { unavailable } from '../errors/failures.ts';
import type { EngineNode, EngineNodes } from './engine-nodes.ts';
import { isFaultOfNode, sendWithFailover } from './failover.ts';
import {
  type EngineClient,
  type EngineRequest,
  type EngineResponse,
  isUnsent,
  openEngineClient,
} from './http-client.ts';
import {
  type CheckedNode,
  type HealthOptions,
  type NodeHealth,
  openNodeHealth,
} from './node-health.ts';

export interface NodesClient extends EngineClient {
  readonly nodes: EngineNodes;
}

interface Cluster {
  readonly all: readonly CheckedNode[];
  readonly health: NodeHealth;
  /** Key under which a caller's pinned node is stored. */
  readonly key: object;
  /** Nodes that may have wrong rows. */
  avoided: ReadonlySet<EngineNode>;
  /** Index of the node that the next request starts with. */
  next: number;
}

export function openNodesClient(urls: readonly string[], options: HealthOptions): NodesClient {
  const all = urls.map((url): CheckedNode => ({ url, client: openEngineClient({ url }) }));
  const health = openNodeHealth(all, options);
  const next = Math.floor(Math.random() * all.length);
  const cluster: Cluster = { all, health, key: {}, avoided: new Set(), next };
  const isUsed = (node: CheckedNode) => !health.isDown(node) && !cluster.avoided.has(node);
  const responding = () => all.filter(isUsed);
  const on = <T>(node: object, work: () => T) => onNode(cluster.key, node, work);
  return {
    send: (request) => send(cluster, request),
    nodes: {
      all,
      avoid(nodes) {
        cluster.avoided = new Set(nodes);
      },
      inUse: () => all.filter((node) => !cluster.avoided.has(node)),
      responding,
      async check() {
        await health.check();
        return responding();
      },
      on,
      inTurn: () => inTurn(cluster).filter(isUsed),
      choose: (node) => void chosenNodes()?.set(cluster.key, node),
      chosen: () => chosenNode(cluster),
      beforeReturn: (prepare) =>
        health.beforeReturn((node, isRestarted) => on(node, () => prepare(isRestarted))),
    },
    retire() {
      health.close();
      for (const { client } of all) client.retire();
    },
    close() {
      health.close();
      for (const { client } of all) client.close();
    },
  };
}

function chosenNode({ key }: Cluster): CheckedNode | null {
  return (chosenNodes()?.get(key) as CheckedNode | undefined) ?? null;
}

/** Round-robin order; nodes that are away come last, in case they are back. */
function inTurn(cluster: Cluster): readonly CheckedNode[] {
  const { all, health, next, avoided } = cluster;
  cluster.next = (next + 1) % all.length;
  const turned = [...all.slice(next), ...all.slice(0, next)].filter((node) => !avoided.has(node));
  const isDown = (node: CheckedNode) => health.isDown(node);
  return [...turned.filter((node) => !isDown(node)), ...turned.filter(isDown)];
}

async function send(cluster: Cluster, request: EngineRequest): Promise<EngineResponse> {
  const chosen = chosenNode(cluster);
  if (chosen !== null) return sendTo(cluster, chosen, request);
  const nodes = inTurn(cluster);
  if (nodes.length === 0) throw unavailable('every node has missed changes to tables');
  return sendWithFailover(request, nodes, async (node) => {
    const response = await sendTo(cluster, node, request);
    keepChosen(cluster, node);
    return response;
  });
}

/** Pins a caller that wants a single node to the node that took its first request. */
function keepChosen({ key }: Cluster, node: CheckedNode): void {
  const chosen = chosenNodes();
  if (chosen !== null && !chosen.has(key)) chosen.set(key, node);
}

async function sendTo(
  { health }: Cluster,
  node: CheckedNode,
  request: EngineRequest,
): Promise<EngineResponse> {
  const stop = eitherSignal(request.stop, health.gone(node));
  try {
    return await node.client.send(
      health.isDown(node) ? request : { ...request, stop: stop.signal },
    );
  } catch (error) {
    if (isFaultOfNode(error)) health.suspect(node, isUnsent(error));
    throw error;
  } finally {
    stop.release();
  }
}

/** Not `AbortSignal.any`: a node's signal lives as long as the node responds. */
function eitherSignal(first: AbortSignal | undefined, second: AbortSignal) {
  const either = new AbortController();
  const signals = first === undefined ? [second] : [first, second];
  const listeners = signals.map((signal) => {
    const abort = () => either.abort(signal.reason);
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    return () => signal.removeEventListener('abort', abort);
  });
  const release = () => {
    for (const remove of listeners) remove();
  };
  return { signal: either.signal, release };
}
