/** What a project's database holds. */

export interface TableColumn {
  readonly name: string;
  readonly type: string;
  /** Empty when it has none. */
  readonly comment: string;
}

export interface EngineTable {
  /** As a query writes it. */
  readonly name: string;
  /** The database prefix of the name; absent when it has none. */
  readonly database?: string;
  /** Empty when it has none. */
  readonly comment: string;
  /** Null when the engine does not count them, as for a view. */
  readonly rows: number | null;
  /** On disk; null when the engine does not report it. */
  readonly bytes: number | null;
  readonly columns: readonly TableColumn[];
}

/** What a statement reads of one table. */
export interface ReadTable {
  readonly name: string;
  readonly columns: readonly string[];
}
