/** On which node of an engine requests run, passed to them by async context instead of by parameters. */
import { AsyncLocalStorage } from 'node:async_hooks';

/** The chosen node of each engine that was asked; more than one where a project has an engine of its own. */
export type ChosenNodes = Map<object, unknown>;

const chosen = new AsyncLocalStorage<ChosenNodes>();

/**
 * All requests to an engine during `work` go to the node that takes the first of them: it reads there what it has written before. They
 * fail with that node. Has no effect on an engine of one node.
 */
export function onOneNode<T>(work: () => T): T {
  return chosen.run(new Map(), work);
}

/** All requests to the engine during `work` go to this node. */
export function onNode<T>(engine: object, node: unknown, work: () => T): T {
  return chosen.run(new Map([...(chosen.getStore() ?? []), [engine, node]]), work);
}

/** Null outside: each request goes to any node. */
export function chosenNodes(): ChosenNodes | null {
  return chosen.getStore() ?? null;
}
