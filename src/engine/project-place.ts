/** Where the tables of a project are at the engine. */
export interface ProjectPlace {
  /** What its queries read, in the order in which the name of a table is looked up. The first is that of its connections. */
  readonly databases: readonly string[];
  /** The database of its stored tables; null: it has none. */
  readonly stored: string | null;
  /** Dictionaries that its queries may read, as they write them. */
  readonly dictionaries: readonly string[];
  /** Whether the databases existed before the project, and belong to somebody else. */
  readonly isBound: boolean;
}
