export interface StoredColumns {
  readonly projectId: number;
  readonly table: string;
  readonly columns: readonly string[];
}

/** Columns of a statement that hold states of aggregate functions. */
export interface States {
  readonly projectId: number;
  readonly sql: string;
  readonly params: Readonly<Record<string, string>>;
  readonly columns: readonly string[];
  /** A column that contains 0 and 1. */
  readonly by: string;
}
