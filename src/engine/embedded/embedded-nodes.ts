/**
 * The local ClickHouse: one engine, or several that form a cluster on this machine. Each node has its own child
 * process, folder and ports; all have the same administrator and project users.
 */
import {
  type EmbeddedEngine,
  type EmbeddedEngineOptions,
  openEmbeddedEngine,
} from './embedded-engine.ts';
import { type LocalClusters, localClusters, planCluster } from './local-cluster.ts';

export interface EmbeddedNodes {
  /** All nodes as one: queries go to the first, actions on the engine go to each. */
  readonly engine: EmbeddedEngine;
  readonly nodes: readonly EmbeddedEngine[];
  /** Null when there is only one node. */
  readonly clusters: LocalClusters | null;
}

export interface EmbeddedNodesOptions extends Omit<EmbeddedEngineOptions, 'dir' | 'cluster'> {
  /** One per node, the first node's first; at least one. */
  readonly dirs: readonly string[];
}

/** A port may be taken between the check and the start. */
const START_TRIES = 3;

/** @throws ServiceError `engine_unavailable` when a node does not start; then none is left running. */
export async function openEmbeddedNodes({
  dirs: [dir = '', ...others],
  ...options
}: EmbeddedNodesOptions): Promise<EmbeddedNodes> {
  if (others.length === 0) {
    const engine = await openEmbeddedEngine({ ...options, dir });
    return { engine, nodes: [engine], clusters: null };
  }
  for (let tries = 1; ; tries += 1) {
    const opened = await openAll([dir, ...others], options);
    if ('nodes' in opened) {
      return { engine: together(opened.nodes), nodes: opened.nodes, clusters: localClusters };
    }
    if (tries === START_TRIES) throw opened.failure;
  }
}

type Opened =
  | { readonly nodes: readonly [EmbeddedEngine, ...EmbeddedEngine[]] }
  | { readonly failure: unknown };

async function openAll(
  dirs: readonly string[],
  options: Omit<EmbeddedNodesOptions, 'dirs'>,
): Promise<Opened> {
  const cluster = await planCluster(dirs.length);
  const config = shareOf(options.config, dirs.length);
  const started = await Promise.allSettled(
    dirs.map((dir, at) => {
      const own = cluster[at];
      return openEmbeddedEngine({ ...options, config, dir, ...(own && { cluster: own }) });
    }),
  );
  const nodes = started.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  const failed = started.find((one) => one.status === 'rejected');
  const [first, ...others] = nodes;
  if (failed === undefined && first !== undefined) return { nodes: [first, ...others] };
  await Promise.all(nodes.map((node) => node.stop()));
  return { failure: failed?.reason };
}

/** The memory setting covers all nodes together. */
function shareOf(
  config: EmbeddedEngineOptions['config'],
  count: number,
): EmbeddedEngineOptions['config'] {
  return { ...config, engineMemoryBytes: Math.floor(config.engineMemoryBytes / count) };
}

function together(nodes: readonly [EmbeddedEngine, ...EmbeddedEngine[]]): EmbeddedEngine {
  const each = async (work: (node: EmbeddedEngine) => Promise<void>): Promise<void> => {
    await Promise.all(nodes.map(work));
  };
  const [first] = nodes;
  return {
    connection: first.connection,
    ensureSlot: (projectId) => each((node) => node.ensureSlot(projectId)),
    ensureWriter: (projectId) => each((node) => node.ensureWriter(projectId)),
    state() {
      const states = nodes.map((node) => node.state());
      return states.find((state) => state !== 'ready') ?? 'ready';
    },
    async whenReady(timeoutMs) {
      const ready = await Promise.all(nodes.map((node) => node.whenReady(timeoutMs)));
      return ready.every(Boolean);
    },
    pid: () => first.pid(),
    cpuSeconds: () => sumOf(nodes.map((node) => node.cpuSeconds())),
    restart() {
      for (const node of nodes) node.restart();
    },
    stop: () => each((node) => node.stop()),
  };
}

/** Null when one of the values is null. */
function sumOf(values: readonly (number | null)[]): number | null {
  return values.reduce((sum, value) => (sum === null || value === null ? null : sum + value), 0);
}
