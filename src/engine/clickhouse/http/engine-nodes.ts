/** Nodes of a multi-node engine. */

export interface EngineNode {
  readonly url: string;
}

export interface EngineNodes {
  readonly all: readonly EngineNode[];
  /** From now on only requests sent through `on` reach these nodes, as for nodes that are away. */
  avoid(nodes: readonly EngineNode[]): void;
  /** Nodes that are not avoided, whether or not they respond. */
  inUse(): readonly EngineNode[];
  /** Nodes that are not avoided and responded to the latest health check. */
  responding(): readonly EngineNode[];
  /** The same after a new health check of each node. */
  check(): Promise<readonly EngineNode[]>;
  /** Sends all requests during `work` to this node. */
  on<T>(node: EngineNode, work: () => T): T;
  /** Responding nodes, rotated by one with each call. */
  inTurn(): readonly EngineNode[];
  /** Pins the requests of a caller inside `onOneNode` to this node from now on. */
  choose(node: EngineNode): void;
  /** The node that the caller's requests are pinned to; null for any. */
  chosen(): EngineNode | null;
  /**
   * Runs `prepare`, with its requests on that node, before a node that was away or restarted gets other requests again.
   */
  beforeReturn(prepare: (isRestarted: boolean) => Promise<void>): void;
}
