/** Copies of a project's tables, whose rows do not change whatever is written to the tables themselves. */
export interface FrozenTables {
  readonly projectId: number;
  /** Names of the copies by those of their tables. */
  readonly copies: ReadonlyMap<string, string>;
}

export interface FreezeRequest {
  readonly projectId: number;
  /** The stored table that is made of the rows: dropping it drops the copies as well. */
  readonly table: string;
  /** What will be read. */
  readonly statements: readonly {
    readonly projectId: number;
    readonly sql: string;
    readonly params: Readonly<Record<string, string>>;
  }[];
}
