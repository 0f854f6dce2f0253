/** Copies of a project's tables, whose rows stay unchanged while the tables themselves are written to. */
export interface FrozenTables {
  readonly projectId: number;
  /** Names of the copies, keyed by their tables with their databases. */
  readonly copies: ReadonlyMap<string, string>;
  /** Whether the statements also look values up in dictionaries, which may be loaded anew at any time. */
  readonly looksUp: boolean;
}

/** A table that each shard of a Distributed table looks up by itself. Both names include the database. */
export interface ShardLookup {
  readonly of: string;
  readonly table: string;
}

/** Why tables are not copied: a copy of what shards look up would have the rows of one node. */
export interface NotFrozen {
  readonly lookup: ShardLookup;
}

/**
 * Equal states at two moments: the rows of the tables are the same. Instead what does not tell its state, in words, or
 * null where that is unknown.
 */
export type SourceState = { readonly state: string } | { readonly unclear: string | null };

export interface FreezeRequest {
  readonly projectId: number;
  /** The stored table built from the copies; dropping it drops them as well. */
  readonly table: string;
  /** The statements that will be read. */
  readonly statements: readonly {
    readonly projectId: number;
    readonly sql: string;
    readonly params: Readonly<Record<string, string>>;
  }[];
}
