/**
 * The local ClickHouse: one engine, or several that form a cluster on this machine. Each node has a child process, a folder and
 * ports of its own; all have the same administrator and the same project users.
 */
import {
  type EmbeddedEngine,
  type EmbeddedEngineOptions,
  openEmbeddedEngine,
} from './embedded-engine.ts';
import { type LocalClusters, localClusters, planCluster } from './local-cluster.ts';

export interface EmbeddedNodes {
  /** All of them as one: what is asked goes to the first, what is done to the engine is done to each. */
  readonly engine: EmbeddedEngine;
  readonly nodes: readonly EmbeddedEngine[];
  /** Null when there is only one node. */
  readonly clusters: LocalClusters | null;
}

export interface EmbeddedNodesOptions extends Omit<EmbeddedEngineOptions, 'dir' | 'cluster'> {
  /** One for each node, the first one's first; at least one. */
  readonly dirs: readonly string[];
}

/** A port may be taken between the moment it was found free and the start. */
const START_TRIES = 3;

/** @throws ServiceError `engine_unavailable` when a node does not start; none of them runs then. */
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

/** The memory of the setting is for all of them together. */
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

/** Null when one of them is not known. */
function sumOf(values: readonly (number | null)[]): number | null {
  return values.reduce((sum, value) => (sum === null || value === null ? null : sum + value), 0);
}
