/**
 * The interface of the analytical engine. One implementation (ClickHouse over HTTP) serves the local child process, a server
 * and a cluster alike.
 *
 * Every method rejects with ServiceError: `invalid_query` for a text that cannot be saved; `query_failed`,
 * `query_timeout`, `query_memory_limit`, `query_too_large` or `query_cancelled` for one that does not finish;
 * `too_many_concurrent_queries`, `query_capacity` or `engine_unavailable` when the engine cannot run it.
 */

import type { EngineNode } from '../model/process-report.ts';
import type { QueryPlan } from '../model/query-plan.ts';
import type { StreamFormat } from '../model/result-format.ts';
import type { DocumentedFunction, SqlAnalysis } from '../sql/sql-analysis.ts';
import type { EngineStats, RequestOfProject } from './engine-stats.ts';
import type { EngineTable, ReadTable } from './engine-table.ts';
import type { Overrun } from './execution-origin.ts';
import type { FreezeRequest, FrozenTables, NotFrozen, SourceState } from './frozen-tables.ts';
import type { LoggedExecution, LoggedWork } from './logged-work.ts';
import type { FindStored, NodeCompletion } from './node-completion.ts';
import type { FloatPrecision, ResultShape } from './result-shape.ts';
import type { PageEnd, RowSelection } from './row-selection.ts';
import type { States, StoredColumns } from './stored-columns.ts';

/** A result column with its ClickHouse type. */
export interface Column {
  readonly name: string;
  readonly type: string;
}

/** Values of the engine's typed parameters `{name:Type}` by name, as text that the engine parses. */
export type EngineParams = Readonly<Record<string, string>>;

export interface EngineStatement {
  readonly projectId: number;
  /** One SELECT with `{name:Type}` parameters only. */
  readonly sql: string;
  readonly params: EngineParams;
}

/** A statement that `cancel` and `progress` find by its id. */
export interface NamedStatement extends EngineStatement {
  readonly queryId: string;
  /** Absent for the engine's defaults. */
  readonly share?: EngineShare;
}

/** A query's share of the processors while several queries run. */
export interface EngineShare {
  /** Maximum number of processors at once; null for as many as it can use. */
  readonly threads: number | null;
  /** From 1; a query yields while one with a lower number is running. */
  readonly priority: number;
  /** Writes the result on one processor, because waking others takes longer. Default false. */
  readonly isShort?: boolean;
}

export interface EngineQuery extends NamedStatement {
  /** Maximum number of rows, in addition to the query's own LIMIT. */
  readonly limit: number;
  readonly offset: number;
  /** How 64-bit integers are written in the rows. */
  readonly integers: 'number' | 'string';
  /** Null: all columns as arrays, in the query's own order. The offset counts from its first row. */
  readonly selection?: RowSelection | null;
  /** Can only lower the reader's limits. */
  readonly limits?: EngineLimits;
  /** The code for a text that the engine cannot read. Default `query_failed`, since a saved text was checked before. */
  readonly fault?: 'invalid_query' | 'query_failed';
  /** The data revision under which the result is cached; an older binding of the project must not serve it. */
  readonly dataRevision?: number;
}

/** Limits of one query; absent members use the reader's. */
export interface EngineLimits {
  readonly executionSeconds?: number;
  readonly memoryBytes?: number;
  /** Size of the result. */
  readonly resultBytes?: number;
}

export interface EngineStreamQuery extends Omit<EngineQuery, 'limit'> {
  /** Null for all rows. */
  readonly limit: number | null;
  readonly format: StreamFormat;
  /** A result up to this size is complete before its first bytes are passed on. */
  readonly wholeWithinBytes: number;
}

/** Rows as the engine writes them, in the requested format. */
export interface EngineStream {
  readonly columns: readonly Column[];
  /**
   * Iterate once. Backpressure reaches the engine, so nothing accumulates in memory. Throws ServiceError when the query
   * fails after its first rows; ending the iteration early cancels the query.
   */
  readonly chunks: AsyncGenerator<Buffer, void>;
  /** Totals of what has passed so far. */
  totals(): StreamTotals;
  /** Stops the query, even before `chunks` is read; does nothing after the last chunk. */
  cancel(): void;
}

export interface StreamTotals {
  /** Null when the bytes do not show it. */
  readonly rowCount: number | null;
  readonly bytes: number;
  /** Up to a second old; for a shorter stream they date from before its first row. */
  readonly stats: EngineStats;
}

export interface EngineResult {
  readonly columns: readonly Column[];
  /** One JSON array of rows, arrays or objects, with the values exactly as the engine wrote them. */
  readonly rows: Buffer;
  readonly rowCount: number;
  /** Whether there are rows beyond the limit. */
  readonly hasMore: boolean;
  readonly stats: EngineStats;
  /** Set for a query with an ordered selection when there are rows beyond the limit. */
  readonly pageEnd?: PageEnd | undefined;
}

/** A table that a materialization reads. */
export interface NewStoredTable extends NamedStatement {
  /** Begins with `storedTablePrefix` and is unique: no table of that name ever existed. */
  readonly table: string;
  /** Columns of the statement that sort the rows. */
  readonly orderBy: readonly string[];
  /** Columns whose minimum and maximum are indexed per granule, together. */
  readonly ends?: readonly string[];
  /** One extra row may be written, which shows that there are more. */
  readonly maxRows: number;
}

export interface StoredTableSize {
  readonly rows: number;
  /** On disk. */
  readonly bytes: number;
  /** Source rows that were read to build the table. */
  readonly rowsRead: number;
}

/** Compares two results: equal results have equal digests. */
export interface RowDigest {
  readonly rows: number;
  /** Hash of all rows, bit for bit, independent of their order. */
  readonly hash: string;
  /** Hash of the rows, or of some columns, in order; empty without an order. */
  readonly sequence: string;
  readonly columns: readonly Column[];
  /** Rows that the engine read for it. */
  readonly rowsRead: number;
}

export interface DigestedStatement extends NamedStatement {
  /** Columns whose order of values matters: all, those at these positions, or null for none. */
  readonly inOrder: 'all' | readonly number[] | null;
  /** Hashed outside the engine, which is faster. Rejects with `query_too_large` beyond 64 KiB. */
  readonly isSmall?: boolean;
}

/**
 * Which rows of `expected` match those of `actual`: rows from an offset on, or for each row one that has the same keys
 * as the row at its position in another text's result, which has the columns and parameters of `expected`.
 */
export type ResultPart = { readonly offset: number } | { readonly positions: string };

/** Two results, and how they may differ. */
export interface ComparedResults {
  /** Its columns are those of `actual`, followed by its sort values. */
  readonly expected: NamedStatement;
  readonly actual: EngineStatement;
  /** Number of columns in both. */
  readonly width: number;
  /** Row count of the larger one. */
  readonly rows: number;
  /** Precisions of the columns of `expected`; those of `sum` may differ from the tenth digit on. */
  readonly precisions: readonly FloatPrecision[];
  /** Results whose largest numbers set the scale for comparing sums; default `expected`. */
  readonly magnitudes?: readonly EngineStatement[] | undefined;
  /** Columns of `expected`: adjacent rows with equal values in them may be in any order. Null: all rows may. */
  readonly keys: readonly number[] | null;
  /** Null when `actual` has all rows. */
  readonly part: ResultPart | null;
}

export interface RowDifference {
  /** How many more of this row the first result has; 0 when only its floating point columns differ. */
  readonly surplus: number;
  /** The row in each of the two results. */
  readonly rows: readonly [readonly unknown[], readonly unknown[]];
}

export interface QueryEngine {
  /** Runs as the project's reader. Aborting the signal cancels the query at the engine. */
  query(query: EngineQuery, signal?: AbortSignal): Promise<EngineResult>;
  /**
   * Streams the rows instead. Resolves with the first bytes, or with all of a small result, and rejects when the query
   * fails before that. The signal applies until the stream ends.
   */
  stream(query: EngineStreamQuery, signal: AbortSignal): Promise<EngineStream>;
  /**
   * Accepts the text as one SELECT over the project's own tables, or rejects with `invalid_query` and the engine's reason
   * in a form fit for callers. The query is not run. Returns the result's columns.
   */
  describe(statement: EngineStatement): Promise<readonly Column[]>;
  /** Parses and analyzes texts of a provisioned project, for the planner of materializations. */
  analysis(projectId: number): SqlAnalysis;
  /** The functions that queries of the project may call, sorted by name. */
  functions(projectId: number): Promise<readonly DocumentedFunction[]>;
  /** Creates the project's database and users where they are missing. Idempotent. */
  provision(projectId: number): Promise<void>;
  /** Drops the project's database with all its rows. Idempotent. */
  deprovision(projectId: number): Promise<void>;
  /** The project's tables sorted by name, excluding those that the service created. */
  tables(projectId: number): Promise<readonly EngineTable[]>;
  /** The subset of tables and columns that the project's reader may select. */
  readableTables(projectId: number): Promise<readonly EngineTable[]>;
  /** The tables and columns of the project that the statement reads. Rejects as `describe` does. */
  tablesRead(statement: EngineStatement): Promise<readonly ReadTable[]>;
  /** A table of the statement of which row policies give the reader other rows than the writer; null for none. */
  hiddenTable(statement: EngineStatement): Promise<string | null>;
  /** The state of the tables that the statements read. */
  sourceState(source: Pick<FreezeRequest, 'projectId' | 'statements'>): Promise<SourceState>;
  /**
   * Creates a table of the statement's rows as the project's writer. If it rejects or the signal is aborted, drop the
   * table, since an incomplete one may exist.
   */
  createTableFrom(table: NewStoredTable, signal?: AbortSignal): Promise<StoredTableSize>;
  /**
   * Drops the table as the project's writer, with the further tables of its plan and the copies made for it. Running
   * queries that read them finish. Idempotent, even when the project is gone.
   */
  dropTable(projectId: number, table: string): Promise<void>;
  /** As the project's reader; no row leaves the engine unless the result is small. */
  digest(statement: DigestedStatement, signal?: AbortSignal): Promise<RowDigest>;
  /** From the engine's analysis of the text; the query is not run. */
  shape(statement: EngineStatement): Promise<ResultShape>;
  /** One disallowed difference between two results with the same columns; null when there is none. */
  difference(compared: ComparedResults, signal?: AbortSignal): Promise<RowDifference | null>;
  /** Approximate number of distinct values in each column of a stored table, not counting NULL. */
  countValues(stored: StoredColumns, signal?: AbortSignal): Promise<readonly number[]>;
  /** Bytes taken by the states of aggregate functions: in rows with 0 in the given column, and in rows with 1. */
  sizeStates(states: States, signal?: AbortSignal): Promise<readonly [number, number]>;
  /** The names of a project's stored tables and of the copies made for them, sorted. */
  listStoredTables(projectId: number): Promise<readonly string[]>;
  /**
   * Applies missed table changes to each responding node, and copies each of these stored tables to nodes that lack it.
   * `find` is not called for a single-node engine.
   */
  completeNodes(find: FindStored, signal?: AbortSignal): Promise<NodeCompletion>;
  /** Once it resolves, no request goes to a node that has missed a table change. No effect on a single node. */
  readBehind(): Promise<void>;
  /** Within `onOneNode`: pins the following requests to a node that has the statement's tables, if there is one. */
  chooseNode(statement: EngineStatement): Promise<void>;
  /** Upper bound of the rows that the statement reads from tables, without reading them. */
  estimateRows(statement: EngineStatement): Promise<number>;
  /** The engine's plan of the statement, which is not run. Rejects as `describe` does. */
  explain(statement: EngineStatement): Promise<QueryPlan>;
  /**
   * Copies every table that the statements read, each as of one moment. Null when one cannot be copied, or why. Drop the
   * copies afterwards, even when it rejects.
   */
  freezeTables(
    request: FreezeRequest,
    signal?: AbortSignal,
  ): Promise<FrozenTables | NotFrozen | null>;
  /** The statement rewritten to read the copies; null when the engine does not resolve it to the same query. */
  readFrozen(frozen: FrozenTables, statement: EngineStatement): Promise<EngineStatement | null>;
  /** Drops the copies made for this stored table. Idempotent. */
  dropCopies(projectId: number, table: string): Promise<void>;
  /** Changes whenever the columns of the project's tables or the engine's version change. */
  schemaFingerprint(projectId: number): Promise<string>;
  /** Why the project's results cannot be stored, or its tables not be changed, as a sentence; null when they can. */
  whyNot(projectId: number, what: 'store' | 'load'): Promise<string | null>;
  /** Stops a running query of the project. False when no query with that id is running. */
  cancel(queryId: string, projectId?: number): Promise<boolean>;
  /** Current statistics of a running query of the project; null when it is not running. */
  progress(queryId: string, projectId?: number): Promise<EngineStats | null>;
  /** Of all queries that are running for one request. Null when there are none, or the engine does not know it. */
  requestProgress(request: RequestOfProject): Promise<EngineStats | null>;
  /** Looks up executions by id, if they ended within the last minutes. Never rejects. */
  loggedWork(executions: readonly LoggedExecution[]): Promise<LoggedWork>;
  /**
   * Announces that a project's binding, or even the columns of its tables, may have changed; null for every project. The next use
   * looks it up, or checks its text anew.
   */
  refresh(projectId: number | null, hasNewColumns?: boolean): void;
  /** Calls the listener for each overrun. Returns a function that removes it. */
  onOverrun(listener: (overrun: Overrun) => void): () => void;
  /** The engine's nodes at this moment, without those of bound projects. Never rejects. */
  nodes(): Promise<readonly EngineNode[]>;
  /** Resolves when the engine responds; rejects with `engine_unavailable` when it does not. */
  ping(): Promise<void>;
  /** Closes connections; a local engine process is stopped by its own handle. */
  close(): Promise<void>;
}
