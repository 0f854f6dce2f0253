/** Runs the same work on each node of an engine; once if it has a single address. */
import { ServiceError } from '../../../errors/service-error.ts';
import { unavailable } from '../errors/failures.ts';
import type { EngineNode, EngineNodes } from './engine-nodes.ts';
import type { EngineClient } from './http-client.ts';

interface Target {
  readonly client: Pick<EngineClient, 'nodes'>;
}

/**
 * Runs on all responding nodes at the same time and skips nodes that are lost meanwhile. If all of these are lost, runs
 * on the others, since one may be back.
 *
 * @throws the first error of any other kind, after all have ended; ServiceError `engine_unavailable` when no node is
 * left.
 */
export async function onEachNode<T>(
  { client: { nodes } }: Target,
  work: () => Promise<T>,
): Promise<readonly T[]> {
  if (nodes === undefined) return [await work()];
  const responding = nodes.responding();
  const others = nodes.inUse().filter((node) => !responding.includes(node));
  const failures: unknown[] = [];
  for (const some of [responding, others]) {
    const { done, lost } = await onNodes(nodes, some, work);
    if (done.length > 0) return done;
    failures.push(...lost);
  }
  throw failures[0] ?? unavailable('every node has missed changes to tables');
}

/** @throws the first error that does not mean a lost node. */
async function onNodes<T>(
  nodes: EngineNodes,
  targets: readonly EngineNode[],
  work: () => Promise<T>,
): Promise<{ readonly done: readonly T[]; readonly lost: readonly unknown[] }> {
  const outcomes = await Promise.allSettled(targets.map((node) => nodes.on(node, work)));
  const failures = outcomes.flatMap((outcome) =>
    outcome.status === 'rejected' ? [outcome.reason as unknown] : [],
  );
  for (const error of failures) if (!isLost(error)) throw error;
  const done = outcomes.flatMap((outcome) =>
    outcome.status === 'fulfilled' ? [outcome.value] : [],
  );
  return { done, lost: failures };
}

/**
 * For work that no node may miss. When a node does not respond, it still runs on the others and has to be repeated.
 *
 * @throws as `onEachNode`, and ServiceError `engine_unavailable` when a node does not respond.
 */
export async function onEveryNode<T>(
  target: Target,
  work: () => Promise<T>,
): Promise<readonly T[]> {
  const { nodes } = target.client;
  await nodes?.check();
  const done = await onEachNode(target, work);
  if (nodes === undefined || done.length === nodes.all.length) return done;
  throw unavailable(
    `${nodes.all.length - done.length} of ${nodes.all.length} nodes are not responding`,
  );
}

/** Whether a node could not be reached, or was lost. */
export function isLost(error: unknown): boolean {
  return error instanceof ServiceError && error.code === 'engine_unavailable';
}
