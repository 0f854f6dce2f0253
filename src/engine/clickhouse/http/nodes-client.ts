/**
 * The client of an engine of several nodes: it chooses the node of each request, in turn, and sends a request that a node could not
 * take to the next one. No result is put together from two nodes: a request is sent again only before any part of a response has
 * been passed on.
 */
import { chosenNodes, onNode } from '../../one-node.ts';
import { unavailable } from '../errors/failures.ts';
import type { EngineNode, EngineNodes } from './engine-nodes.ts';
import {
  type EngineClient,
  type EngineRequest,
  type EngineResponse,
  isUnsent,
  openEngineClient,
} from './http-client.ts';
import {
  type AskedNode,
  type HealthOptions,
  type NodeHealth,
  openNodeHealth,
} from './node-health.ts';
import { isFaultOfNode, sendUntilTaken } from './send-until-taken.ts';

export interface NodesClient extends EngineClient {
  readonly nodes: EngineNodes;
}

interface Cluster {
  readonly all: readonly AskedNode[];
  readonly health: NodeHealth;
  /** Under which the chosen node of a caller is kept. */
  readonly key: object;
  /** Those that may have wrong rows. */
  avoided: ReadonlySet<EngineNode>;
  /** Where the next request begins to look for a node. */
  next: number;
}

export function openNodesClient(urls: readonly string[], options: HealthOptions): NodesClient {
  const all = urls.map((url): AskedNode => ({ url, client: openEngineClient({ url }) }));
  const health = openNodeHealth(all, options);
  const next = Math.floor(Math.random() * all.length);
  const cluster: Cluster = { all, health, key: {}, avoided: new Set(), next };
  const isUsed = (node: AskedNode) => !health.isAway(node) && !cluster.avoided.has(node);
  const answering = () => all.filter(isUsed);
  const on = <T>(node: object, work: () => T) => onNode(cluster.key, node, work);
  return {
    send: (request) => send(cluster, request),
    nodes: {
      all,
      avoid(nodes) {
        cluster.avoided = new Set(nodes);
      },
      inUse: () => all.filter((node) => !cluster.avoided.has(node)),
      answering,
      async ask() {
        await health.check();
        return answering();
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

function chosenNode({ key }: Cluster): AskedNode | null {
  return (chosenNodes()?.get(key) as AskedNode | undefined) ?? null;
}

/** Each call beginning with the next one; last those that are away, in case they are back. */
function inTurn(cluster: Cluster): readonly AskedNode[] {
  const { all, health, next, avoided } = cluster;
  cluster.next = (next + 1) % all.length;
  const turned = [...all.slice(next), ...all.slice(0, next)].filter((node) => !avoided.has(node));
  const isAway = (node: AskedNode) => health.isAway(node);
  return [...turned.filter((node) => !isAway(node)), ...turned.filter(isAway)];
}

async function send(cluster: Cluster, request: EngineRequest): Promise<EngineResponse> {
  const chosen = chosenNode(cluster);
  if (chosen !== null) return sendTo(cluster, chosen, request);
  const nodes = inTurn(cluster);
  if (nodes.length === 0) throw unavailable('every node has missed changes of tables');
  return sendUntilTaken(request, nodes, async (node) => {
    const response = await sendTo(cluster, node, request);
    keepChosen(cluster, node);
    return response;
  });
}

/** The node that took the first request takes the others of a caller who wants one node for all. */
function keepChosen({ key }: Cluster, node: AskedNode): void {
  const chosen = chosenNodes();
  if (chosen !== null && !chosen.has(key)) chosen.set(key, node);
}

async function sendTo(
  { health }: Cluster,
  node: AskedNode,
  request: EngineRequest,
): Promise<EngineResponse> {
  const stop = eitherSignal(request.stop, health.gone(node));
  try {
    return await node.client.send(
      health.isAway(node) ? request : { ...request, stop: stop.signal },
    );
  } catch (error) {
    if (isFaultOfNode(error)) health.suspect(node, isUnsent(error));
    throw error;
  } finally {
    stop.release();
  }
}

/** Not by `AbortSignal.any`: a node's signal lives as long as the node answers. */
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
