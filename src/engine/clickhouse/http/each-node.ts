/** The same work on each node of an engine; once where it has one address. */
import { ServiceError } from '../../../errors/service-error.ts';
import { unavailable } from '../errors/failures.ts';
import type { EngineNode, EngineNodes } from './engine-nodes.ts';
import type { EngineClient } from './http-client.ts';

interface Asked {
  readonly client: Pick<EngineClient, 'nodes'>;
}

/**
 * On all nodes that answer, at the same time. One that is lost meanwhile is left out. When all of these are lost, on the others: one
 * may be back since it was last asked.
 *
 * @throws what the first of the others threw, after all have ended; ServiceError `engine_unavailable` when none is left.
 */
export async function onEachNode<T>(
  { client: { nodes } }: Asked,
  work: () => Promise<T>,
): Promise<readonly T[]> {
  if (nodes === undefined) return [await work()];
  const asked = nodes.answering();
  const others = nodes.inUse().filter((node) => !asked.includes(node));
  const failures: unknown[] = [];
  for (const some of [asked, others]) {
    const { done, lost } = await onNodes(nodes, some, work);
    if (done.length > 0) return done;
    failures.push(...lost);
  }
  throw failures[0] ?? unavailable('every node has missed changes of tables');
}

/** @throws what the first threw that is not lost. */
async function onNodes<T>(
  nodes: EngineNodes,
  asked: readonly EngineNode[],
  work: () => Promise<T>,
): Promise<{ readonly done: readonly T[]; readonly lost: readonly unknown[] }> {
  const outcomes = await Promise.allSettled(asked.map((node) => nodes.on(node, work)));
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
 * For what no node may miss. It is done on the others when one does not answer, and has to be done again then.
 *
 * @throws as `onEachNode`, and ServiceError `engine_unavailable` when one does not answer.
 */
export async function onEveryNode<T>(asked: Asked, work: () => Promise<T>): Promise<readonly T[]> {
  const { nodes } = asked.client;
  await nodes?.ask();
  const done = await onEachNode(asked, work);
  if (nodes === undefined || done.length === nodes.all.length) return done;
  throw unavailable(`${nodes.all.length - done.length} of ${nodes.all.length} nodes do not answer`);
}

/** Whether a node was not reached, or was lost. */
export function isLost(error: unknown): boolean {
  return error instanceof ServiceError && error.code === 'engine_unavailable';
}
