/** What a local node knows about its peers, all on the loopback address. */
import { randomBytes } from 'node:crypto';
import { findFreePort, type NodePorts } from './engine-process.ts';

export interface LocalCluster {
  /**
   * Authenticates the nodes to each other: a query runs on another node as the same user, with that user's rights
   * there.
   */
  readonly secret: string;
  /** The administrator's password, the same on each node. */
  readonly adminPassword: string;
  readonly nodes: readonly NodeAddress[];
  /** Index of this node. */
  readonly index: number;
}

/** Ports of the loopback address. */
interface NodeAddress {
  readonly http: number;
  /** Native protocol, which connects the nodes. */
  readonly tcp: number;
}

/** Their names in `remote_servers`; both contain all nodes. */
export const localClusters = {
  /** One shard in which each node is a replica: writes reach every node, reads come from one. */
  every: 'querydock',
  /** Each node is a shard. */
  shards: 'querydock_sharded',
} as const;

export type LocalClusters = typeof localClusters;

/** Allocates free ports and new secrets for `count` nodes. */
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

/** @param cluster absent for a single node. */
export function httpPortOf(cluster: LocalCluster | undefined): Promise<number> {
  const own = cluster?.nodes[cluster.index]?.http;
  return own === undefined ? findFreePort() : Promise.resolve(own);
}

export function nodePorts({ nodes, index }: LocalCluster): NodePorts {
  const others = nodes.filter((_, at) => at !== index);
  return { own: nodes[index]?.tcp ?? 0, others: others.map(({ tcp }) => tcp) };
}
