/**
 * What the service asks of the analytical engine. One implementation (ClickHouse over HTTP) serves the
 * local child process, a server and a cluster alike.
 *
 * Every method throws ServiceError: `invalid_query` for a text that cannot be saved, `query_failed`,
 * `query_timeout`, `query_memory_limit`, `query_too_large`, `query_cancelled` for one that cannot finish,
 * `too_many_concurrent_queries`, `query_capacity` and `engine_unavailable` when the engine cannot take it.
 */
import type { StreamFormat } from '../model/result-format.ts';
import type { SqlAnalysis } from '../sql/sql-analysis.ts';
import type { ExecutionOrigin } from './execution-origin.ts';

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

/** What a query gets of the engine's processors while others want them, too. */
export interface EngineShare {
  /** Processors at once; null: as many as it can use. */
  readonly threads: number | null;
  /** From 1; while one of a lower number runs, this one makes way. */
  readonly priority: number;
  /** Its result is written by one processor: it is short, and waking others takes longer. Default false. */
  readonly isShort?: boolean;
}

export interface EngineQuery extends EngineStatement {
  /** Names the query at the engine; `cancel` and `progress` take it. */
  readonly queryId: string;
  /** Rows to return at most, on top of the query's own LIMIT. */
  readonly limit: number;
  readonly offset: number;
  /** How integers of 64 bits are written in the rows. */
  readonly integers: 'number' | 'string';
  /** Absent: as the engine does by itself. */
  readonly share?: EngineShare;
  /** At most those of the reader, which hold where these are absent. */
  readonly limits?: EngineLimits;
}

/** What one query may take; absent: what the reader may. */
export interface EngineLimits {
  readonly executionSeconds?: number;
  readonly memoryBytes?: number;
  /** Of the result. */
  readonly resultBytes?: number;
}

export interface EngineStreamQuery extends Omit<EngineQuery, 'limit'> {
  /** Null: all rows. */
  readonly limit: number | null;
  readonly format: StreamFormat;
  /** A result of at most so many bytes is finished before the first of them is passed on. */
  readonly wholeWithinBytes: number;
}

/** Rows as the engine writes them, in the format that was asked for. */
export interface EngineStream {
  readonly columns: readonly Column[];
  /**
   * To be read once. Waits for its reader, so that nothing piles up; throws ServiceError when the query fails
   * in the middle; leaving it cancels the query, once it is begun.
   */
  readonly chunks: AsyncGenerator<Buffer, void>;
  /** Of what has passed. */
  totals(): StreamTotals;
  /** Stops the query, begun or not; nothing once all has passed. */
  cancel(): void;
}

export interface StreamTotals {
  /** Null when the bytes do not tell. */
  readonly rowCount: number | null;
  readonly bytes: number;
  /** At most a second old, and as of the first byte for a stream that took less. */
  readonly stats: EngineStats;
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
  /** One row more is written at most, which tells that there are more. */
  readonly maxRows: number;
  /** Names the query at the engine; `cancel` and `progress` take it. */
  readonly queryId: string;
  /** Absent: as the engine does by itself. */
  readonly share?: EngineShare;
}

export interface StoredTableSize {
  readonly rows: number;
  /** On disk. */
  readonly bytes: number;
  /** Rows of the source that were read for it. */
  readonly rowsRead: number;
}

/** A statement that `cancel` finds. */
export interface NamedStatement extends EngineStatement {
  readonly queryId: string;
  /** Absent: as the engine does by itself. */
  readonly share?: EngineShare;
}

/** What tells two results apart. */
export interface RowDigest {
  readonly rows: number;
  /** Of every row with every bit, whatever their order. */
  readonly hash: string;
  /** Of the rows one after the other, or of what was asked for of them; empty when no order was asked for. */
  readonly sequence: string;
  readonly columns: readonly Column[];
  /** Rows that the engine read for it. */
  readonly rowsRead: number;
}

export interface DigestedStatement extends NamedStatement {
  /** Which columns of the rows one after the other: all, those of these numbers, or null for no order. */
  readonly inOrder: 'all' | readonly number[] | null;
}

/** What a query fixes of its result, and what it leaves open. */
export interface ResultShape {
  /** Whether it is one SELECT; of others no more is known than whether they aggregate. */
  readonly isOneSelect: boolean;
  /** Whether floating point numbers in it may depend on the order in which rows are added up. */
  readonly isAggregated: boolean;
  readonly isDistinct: boolean;
  /** For each expression of ORDER BY the result column that holds its values; null where none does. */
  readonly keys: readonly (number | null)[];
  /** What is left of the rows; null: all. */
  readonly cut: ResultCut | null;
}

export interface ResultCut {
  /** By LIMIT BY. */
  readonly isBy: boolean;
  readonly isWithTies: boolean;
  /** Null when there is none, NaN when it is no plain number. */
  readonly limit: number | null;
  readonly offset: number;
}

/**
 * Which of the rows of `expected` those of `actual` are: from a number on; or each one that has the keys of the row at
 * its place in the result of a text, which has the columns and the parameters of `expected`. Null: all.
 */
export type ResultPart = { readonly offset: number } | { readonly places: string };

/** Two results, and in what they may differ. */
export interface ComparedResults {
  /** Its columns, and after them values that its rows are sorted by. */
  readonly expected: NamedStatement;
  readonly actual: EngineStatement;
  /** Columns of both. */
  readonly width: number;
  /** Rows of the larger one. */
  readonly rows: number;
  /** Whether floating point numbers may differ from the tenth digit on, as the order of adding them up explains. */
  readonly isTolerant: boolean;
  /**
   * Columns of `expected` whose values, row by row, say which rows may stand in each other's place; null: all may.
   */
  readonly keys: readonly number[] | null;
  readonly part: ResultPart | null;
}

export interface RowDifference {
  /** By how many the first result has more of this row; 0: it has others in its floating point columns. */
  readonly surplus: number;
  /** The row as each of the two results has it. */
  readonly rows: readonly [readonly unknown[], readonly unknown[]];
}

export interface StoredColumns {
  readonly projectId: number;
  readonly table: string;
  readonly columns: readonly string[];
}

/** A query that went on past its time and that KILL did not stop. What it belongs to is refused in this process. */
export interface Overrun {
  readonly queryId: string;
  readonly projectId: number;
  /** Null when nobody said on whose behalf it ran. */
  readonly origin: ExecutionOrigin | null;
}

export interface QueryEngine {
  /** Runs as the project's reader. Aborting the signal cancels the query at the engine. */
  query(query: EngineQuery, signal?: AbortSignal): Promise<EngineResult>;
  /**
   * The same as a stream. Resolves with the first bytes, or with the whole of a small result; a query that fails
   * before is thrown. The signal holds to the stream's end.
   */
  stream(query: EngineStreamQuery, signal: AbortSignal): Promise<EngineStream>;
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
  /** Computed by the engine as the project's reader: no row leaves it, however many there are. */
  digest(statement: DigestedStatement, signal?: AbortSignal): Promise<RowDigest>;
  /** By the engine's analysis of the text; nothing is run. */
  shape(statement: EngineStatement): Promise<ResultShape>;
  /** Where two results with the same columns differ in more than they may; null: nowhere. */
  difference(compared: ComparedResults, signal?: AbortSignal): Promise<RowDifference | null>;
  /** About how many values each column of a stored table has, as the project's reader; NULL is none. */
  countValues(stored: StoredColumns, signal?: AbortSignal): Promise<readonly number[]>;
  /** The names of a project's stored tables. */
  listStoredTables(projectId: number): Promise<readonly string[]>;
  /** Rows that the statement would read from tables at most, without reading them. */
  estimateRows(statement: EngineStatement): Promise<number>;
  /**
   * Changes whenever rows of the project's own tables do; merges may change it as well. Two equal ones with a
   * query in between mean that both saw the same rows.
   */
  fingerprint(projectId: number): Promise<string>;
  /** Changes whenever the columns of the project's own tables do, or the engine does. */
  schemaFingerprint(projectId: number): Promise<string>;
  /** Stops a running query. False when the engine knows none of that id. */
  cancel(queryId: string): Promise<boolean>;
  /** What a running query has done so far; null when it is not running. */
  progress(queryId: string): Promise<EngineStats | null>;
  /** Calls back for each query that went on past its time and could not be stopped. Returns the way to stop listening. */
  onOverrun(listener: (overrun: Overrun) => void): () => void;
  /** Resolves when the engine answers; throws `engine_unavailable` when it does not. */
  ping(): Promise<void>;
  close(): Promise<void>;
}
