/** Where a project's tables are in the engine. */
export interface ProjectPlace {
  /** Databases that its queries read, in lookup order for table names. The first is the connections' default. */
  readonly databases: readonly string[];
  /** The database of its stored tables; null for none. */
  readonly stored: string | null;
  /** Dictionaries that its queries may read, as written in them. */
  readonly dictionaries: readonly string[];
  /** Whether the databases existed before the project and belong to somebody else. */
  readonly isBound: boolean;
}
