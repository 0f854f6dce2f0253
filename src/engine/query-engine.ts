/**
 * What the service asks of the analytical engine. One implementation (ClickHouse over HTTP) serves the
 * local child process, a server and a cluster alike.
 *
 * Every method throws ServiceError: `invalid_query` for a text that cannot be saved, `query_failed`,
 * `query_timeout`, `query_memory_limit`, `query_too_large`, `query_cancelled` for one that cannot finish,
 * `too_many_concurrent_queries`, `query_capacity` and `engine_unavailable` when the engine cannot take it.
 */

import type { SqlAnalysis } from '../domain/materialization/sql-analysis.ts';

/** A result column: its name and its ClickHouse type. */
export interface Column {
  readonly name: string;
  readonly type: string;
}

/** Values for the engine's typed parameters `{name:Type}`: name → text form as the engine reads it. */
export type EngineParams = Readonly<Record<string, string>>;

export interface EngineStatement {
  readonly projectId: number;
  /** One SELECT with `{name:Type}` parameters only. */
  readonly sql: string;
  readonly params: EngineParams;
}

export interface EngineQuery extends EngineStatement {
  /** Names the query at the engine; `cancel` and `progress` take it. */
  readonly queryId: string;
  /** Rows to return at most, on top of the query's own LIMIT. */
  readonly limit: number;
  readonly offset: number;
  /** How integers of 64 bits are written in the rows. */
  readonly integers: 'number' | 'string';
}

export interface EngineStats {
  readonly rowsRead: number;
  readonly bytesRead: number;
  /** What the engine expected to read in all; 0 when it does not say. */
  readonly rowsTotal: number;
  /** Seconds, measured by the engine. */
  readonly timeElapsed: number;
  readonly memoryBytes: number;
}

export interface EngineResult {
  readonly columns: readonly Column[];
  /** The rows as one JSON array of row arrays, exactly as the engine wrote the values. */
  readonly rows: Buffer;
  readonly rowCount: number;
  /** Whether rows exist past the limit: the engine is asked for one more, which is cut off. */
  readonly hasMore: boolean;
  readonly stats: EngineStats;
}

export interface EngineTable {
  readonly name: string;
  readonly rows: number;
  readonly bytes: number;
  readonly columns: readonly Column[];
}

/** A table that a materialization is read from. */
export interface NewStoredTable extends EngineStatement {
  /** Begins as `storedTablePrefix` says, and is unique: no table of that name ever existed. */
  readonly table: string;
  /** Columns of the statement that the rows are sorted by. */
  readonly orderBy: readonly string[];
  /** Names the query at the engine; `cancel` and `progress` take it. */
  readonly queryId: string;
}

export interface StoredTableSize {
  readonly rows: number;
  /** On disk. */
  readonly bytes: number;
}

export interface QueryEngine {
  /** Runs as the project's reader. Aborting the signal cancels the query at the engine. */
  query(query: EngineQuery, signal?: AbortSignal): Promise<EngineResult>;
  /**
   * Accepts the text as one SELECT over the project's own tables, or throws `invalid_query` with the
   * engine's reason made safe. Nothing is executed. Answers the result's columns.
   */
  describe(statement: EngineStatement): Promise<readonly Column[]>;
  /** Questions about texts of a project that is provisioned, for the planner of materializations. */
  analysis(projectId: number): SqlAnalysis;
  /** Makes the project's database and users when they are missing. Idempotent. */
  provision(projectId: number): Promise<void>;
  /** Drops the project's database with all its rows. */
  deprovision(projectId: number): Promise<void>;
  /** The tables of a project, by name. */
  tables(projectId: number): Promise<readonly EngineTable[]>;
  /**
   * Makes a table of the statement's rows, as the project's writer. When it throws, or the signal is aborted,
   * a part of the table may be there: drop it.
   */
  createTableFrom(table: NewStoredTable, signal?: AbortSignal): Promise<StoredTableSize>;
  /** As the project's writer. Queries that read it go on to their end. Idempotent; a project that is gone has none. */
  dropTable(projectId: number, table: string): Promise<void>;
  /** The names of a project's stored tables. */
  listStoredTables(projectId: number): Promise<readonly string[]>;
  /** Rows that the statement would read from tables at most, without reading them. */
  estimateRows(statement: EngineStatement): Promise<number>;
  /**
   * Changes whenever rows of the project's own tables do; merges may change it as well. Two equal ones with a
   * query in between mean that both saw the same rows.
   */
  fingerprint(projectId: number): Promise<string>;
  /** Stops a running query. False when the engine knows none of that id. */
  cancel(queryId: string): Promise<boolean>;
  /** What a running query has done so far; null when it is not running. */
  progress(queryId: string): Promise<EngineStats | null>;
  /** Resolves when the engine answers; throws `engine_unavailable` when it does not. */
  ping(): Promise<void>;
  close(): Promise<void>;
}
