/** How the engine would run a statement, as it tells without running it. */

/** What it would read of one table. */
export interface PlannedRead {
  /** As the catalogue calls it. */
  readonly table: string;
  readonly rows: number;
  readonly parts: number;
  /** Granules: the rows between two entries of the table's index. */
  readonly granules: number;
}

/** What an index leaves to be read. */
export interface PlannedIndex {
  /** As `Min-Max`, `Partition`, `PrimaryKey` or `Skip`. */
  readonly kind: string;
  readonly keys: readonly string[];
  /** The condition that it is asked; empty without one. */
  readonly condition: string;
  readonly parts: number;
  readonly partsBefore: number;
  readonly granules: number;
  readonly granulesBefore: number;
}

export interface PlanStep {
  /** 0 for the last step; the steps that a step takes its rows from follow it, one deeper. */
  readonly depth: number;
  readonly name: string;
  /** Empty without one. */
  readonly description: string;
  readonly indexes: readonly PlannedIndex[];
}

export interface QueryPlan {
  /** Of tables whose parts the engine knows; others, as views of another server, are not among them. */
  readonly reads: readonly PlannedRead[];
  readonly steps: readonly PlanStep[];
}
