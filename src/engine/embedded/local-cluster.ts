/** What a local engine knows of the other nodes when there are several, all on the loopback address. */
import { randomBytes } from 'node:crypto';
import { findFreePort, type NodePorts } from './engine-process.ts';

export interface LocalCluster {
  /** By which the nodes know each other: a query runs on another node as the same user, with that user's rights there. */
  readonly secret: string;
  /** The administrator's, on each of them. */
  readonly adminPassword: string;
  readonly nodes: readonly NodeAddress[];
  /** Which of them this node is. */
  readonly index: number;
}

/** Ports of the loopback address. */
interface NodeAddress {
  readonly http: number;
  /** Of the native protocol, by which nodes reach each other. */
  readonly tcp: number;
}

/** Their names in `remote_servers`; both have all nodes. */
export const localClusters = {
  /** One shard of which each node is a replica: what is written to it reaches every node, what is read comes from one. */
  every: 'querydock',
  /** Each node is a shard. */
  shards: 'querydock_sharded',
} as const;

export type LocalClusters = typeof localClusters;

/** Ports that are free at this moment and secrets that are new, as each of so many nodes knows them. */
export async function planCluster(count: number): Promise<readonly LocalCluster[]> {
  const ports = new Set<number>();
  while (ports.size < 2 * count) ports.add(await findFreePort());
  const [...all] = ports;
  const nodes = Array.from({ length: count }, (_, at) => ({
    http: all[2 * at] ?? 0,
    tcp: all[2 * at + 1] ?? 0,
  }));
  const [secret, adminPassword] = [newSecret(), newSecret()];
  return nodes.map((_, index) => ({ secret, adminPassword, nodes, index }));
}

export function newSecret(): string {
  return randomBytes(24).toString('hex');
}

/** @param cluster absent: of an engine that is the only node. */
export function httpPortOf(cluster: LocalCluster | undefined): Promise<number> {
  const own = cluster?.nodes[cluster.index]?.http;
  return own === undefined ? findFreePort() : Promise.resolve(own);
}

export function nodePorts({ nodes, index }: LocalCluster): NodePorts {
  const others = nodes.filter((_, at) => at !== index);
  return { own: nodes[index]?.tcp ?? 0, others: others.map(({ tcp }) => tcp) };
}
