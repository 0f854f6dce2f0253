/** Copies of a project's tables, whose rows stay unchanged while the tables themselves are written to. */
export interface FrozenTables {
  readonly projectId: number;
  /** Names of the copies, keyed by their tables. */
  readonly copies: ReadonlyMap<string, string>;
}

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
