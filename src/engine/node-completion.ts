/** A stored table that runs read. */
export interface StoredTableName {
  readonly projectId: number;
  readonly table: string;
}

/** Those that runs read now. */
export type FindStored = () => Promise<readonly StoredTableName[]>;

/** What came of giving the nodes of an engine the stored tables that they have missed. */
export interface NodeCompletion {
  /** How many tables were copied to a node. */
  readonly copied: number;
  /** Tables that a node which answers lacks, and that are not copied: they have to be built again. */
  readonly lacking: readonly StoredTableName[];
}

export const nothingToComplete: NodeCompletion = { copied: 0, lacking: [] };
