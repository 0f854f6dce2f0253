/** A stored table that runs read. */
export interface StoredTableName {
  readonly projectId: number;
  readonly table: string;
}

/** Lists the stored tables that runs currently read. */
export type FindStored = () => Promise<readonly StoredTableName[]>;

/** Result of copying missing stored tables to an engine's nodes. */
export interface NodeCompletion {
  /** Number of tables that were copied to a node. */
  readonly copied: number;
  /** Tables that a responding node lacks and that cannot be copied; they have to be rebuilt. */
  readonly lacking: readonly StoredTableName[];
}

export const nothingToComplete: NodeCompletion = { copied: 0, lacking: [] };
