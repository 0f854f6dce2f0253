/** The same work on each node of an engine; once where it has one address. */
import { ServiceError } from '../../../errors/service-error.ts';
import { unavailable } from '../errors/failures.ts';
import type { EngineClient } from './http-client.ts';

interface Asked {
  readonly client: Pick<EngineClient, 'nodes'>;
}

/**
 * On all nodes that answer, at the same time. One that is lost meanwhile is left out.
 *
 * @throws what the first of the others threw, after all have ended; ServiceError `engine_unavailable` when none is left.
 */
export async function onEachNode<T>(
  { client: { nodes } }: Asked,
  work: () => Promise<T>,
): Promise<readonly T[]> {
  if (nodes === undefined) return [await work()];
  const answering = nodes.answering();
  const asked = answering.length > 0 ? answering : nodes.inUse();
  if (asked.length === 0) throw unavailable('every node has missed changes of tables');
  const outcomes = await Promise.allSettled(asked.map((node) => nodes.on(node, work)));
  const failures = outcomes.flatMap((outcome) =>
    outcome.status === 'rejected' ? [outcome.reason as unknown] : [],
  );
  for (const error of failures) if (!isLost(error)) throw error;
  const done = outcomes.flatMap((outcome) =>
    outcome.status === 'fulfilled' ? [outcome.value] : [],
  );
  if (done.length === 0) throw failures[0];
  return done;
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
