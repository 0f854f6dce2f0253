/** The nodes of an engine that has several. */

export interface EngineNode {
  readonly url: string;
}

export interface EngineNodes {
  readonly all: readonly EngineNode[];
  /** From now on only requests that are sent there by `on` go to these, as to those that are away. */
  avoid(nodes: readonly EngineNode[]): void;
  /** Those that are not avoided, whether or not they answer. */
  inUse(): readonly EngineNode[];
  /** Of those that are not avoided the ones that answer, as of a moment ago. */
  answering(): readonly EngineNode[];
  /** The same after each was asked. */
  ask(): Promise<readonly EngineNode[]>;
  /** All requests during `work` go to this node. */
  on<T>(node: EngineNode, work: () => T): T;
  /** Those that answer, each call beginning with the next one. */
  inTurn(): readonly EngineNode[];
  /** The requests of a caller who wants one node for all go to this one, from now on. */
  choose(node: EngineNode): void;
  /** The one to which all requests of the caller go; null: any. */
  chosen(): EngineNode | null;
  /** Runs, with its requests on the node, before one that was away, or whose process is another one, gets other requests again. */
  beforeReturn(prepare: (isRestarted: boolean) => Promise<void>): void;
}
