/** How the engine would run a statement, as explained without running it. */

/** What the engine would read of one table. */
export interface PlannedRead {
  /** Name in the catalog. */
  readonly table: string;
  readonly rows: number;
  readonly parts: number;
  /** Granules: the rows between two entries of the table's index. */
  readonly granules: number;
}

/** What remains to be read after applying an index. */
export interface PlannedIndex {
  /** For example `Min-Max`, `Partition`, `PrimaryKey` or `Skip`. */
  readonly kind: string;
  readonly keys: readonly string[];
  /** The predicate evaluated by the index; empty if there is none. */
  readonly condition: string;
  readonly parts: number;
  readonly partsBefore: number;
  readonly granules: number;
  readonly granulesBefore: number;
}

export interface PlanStep {
  /** 0 for the last step; the inputs of a step follow it, one level deeper. */
  readonly depth: number;
  readonly name: string;
  /** Empty if there is none. */
  readonly description: string;
  readonly indexes: readonly PlannedIndex[];
}

export interface QueryPlan {
  /** Only tables whose parts the engine knows; excludes others, such as views of another server. */
  readonly reads: readonly PlannedRead[];
  readonly steps: readonly PlanStep[];
}
