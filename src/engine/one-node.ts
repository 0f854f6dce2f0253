/** Which engine node requests go to, carried by async context instead of parameters. */
import { AsyncLocalStorage } from 'node:async_hooks';

/** The chosen node per engine; more than one entry when a project has its own engine. */
export type ChosenNodes = Map<object, unknown>;

const chosen = new AsyncLocalStorage<ChosenNodes>();

/**
 * Pins all engine requests during `work` to the node that takes the first of them, so that they read their own writes.
 * They fail with that node. Has no effect on a single-node engine.
 */
export function onOneNode<T>(work: () => T): T {
  return chosen.run(new Map(), work);
}

/** Sends all engine requests during `work` to this node. */
export function onNode<T>(engine: object, node: unknown, work: () => T): T {
  return chosen.run(new Map([...(chosen.getStore() ?? []), [engine, node]]), work);
}

/** Null outside of such work: each request goes to any node. */
export function chosenNodes(): ChosenNodes | null {
  return chosen.getStore() ?? null;
}
