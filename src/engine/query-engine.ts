/**
 * The interface of the analytical engine. One implementation (ClickHouse over HTTP) serves the local child process, a server
 * and a cluster alike.
 *
 * Every method rejects with ServiceError: `invalid_query` for a text that cannot be saved; `query_failed`,
 * `query_timeout`, `query_memory_limit`, `query_too_large` or `query_cancelled` for one that does not finish;
 * `too_many_concurrent_queries`, `query_capacity` or `engine_unavailable` when the engine cannot run it.
 */

import type { EngineNode } from '../model/process-report.ts';
import type { StreamFormat } from '../model/result-format.ts';
import type { SqlAnalysis } from '../sql/sql-analysis.ts';
import type { EngineTable, ReadTable } from './engine-table.ts';
import type { ExecutionOrigin } from './execution-origin.ts';
import type { FreezeRequest, FrozenTables } from './frozen-tables.ts';
import type { FindStored, NodeCompletion } from './node-completion.ts';
import type { LoggedExecution, ProcessorTimes } from './processor-times.ts';
import type { QueryPlan } from './query-plan.ts';
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
  /** Absent: the engine's defaults. */
  readonly share?: EngineShare;
}

/** A query's share of the processors while several queries run. */
export interface EngineShare {
  /** Processors at once; null: as many as it can use. */
  readonly threads: number | null;
  /** From 1; a query yields while one with a lower number runs. */
  readonly priority: number;
  /** A short result is written by one processor, because waking others takes longer. Default false. */
  readonly isShort?: boolean;
}

export interface EngineQuery extends NamedStatement {
  /** The most rows to return, in addition to the query's own LIMIT. */
  readonly limit: number;
  readonly offset: number;
  /** How integers of 64 bits are written in the rows. */
  readonly integers: 'number' | 'string';
  /** Null: all columns as arrays, in the query's own order. The offset counts from its first row. */
  readonly selection?: RowSelection | null;
  /** They can only lower those of the reader. */
  readonly limits?: EngineLimits;
  /** The code of a text that the engine cannot read; `query_failed` when absent: a saved text was checked before. */
  readonly fault?: 'invalid_query' | 'query_failed';
  /** The project's data revision under which the result is cached: an older binding of the project does not serve it. */
  readonly dataRevision?: number;
}

/** Limits of one query; the reader's apply where one is absent. */
export interface EngineLimits {
  readonly executionSeconds?: number;
  readonly memoryBytes?: number;
  /** Size of the result. */
  readonly resultBytes?: number;
}

export interface EngineStreamQuery extends Omit<EngineQuery, 'limit'> {
  /** Null: all rows. */
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
  /** Stops the query, also before `chunks` is read; has no effect after the last chunk. */
  cancel(): void;
}

export interface StreamTotals {
  /** Null when the bytes do not show it. */
  readonly rowCount: number | null;
  readonly bytes: number;
  /** Up to a second old; from before the first row for a stream that took less. */
  readonly stats: EngineStats;
}

export interface EngineStats {
  readonly rowsRead: number;
  readonly bytesRead: number;
  /** Rows that the engine expects to read in total; 0 when it does not report it. */
  readonly rowsTotal: number;
  /** Seconds, measured by the engine. */
  readonly timeElapsed: number;
  readonly memoryBytes: number;
}

export interface EngineResult {
  readonly columns: readonly Column[];
  /** One JSON array of rows, arrays or objects, with the values exactly as the engine wrote them. */
  readonly rows: Buffer;
  readonly rowCount: number;
  /** Whether there are rows beyond the limit. */
  readonly hasMore: boolean;
  readonly stats: EngineStats;
  /** Of a query with a selection that has an order, if there are rows beyond the limit. */
  readonly pageEnd?: PageEnd | undefined;
}

/** A table that a materialization is read from. */
export interface NewStoredTable extends NamedStatement {
  /** Begins with `storedTablePrefix`, and is unique: no table of that name ever existed. */
  readonly table: string;
  /** Columns of the statement that the rows are sorted by. */
  readonly orderBy: readonly string[];
  /** Columns whose least and greatest values the index knows for each granule, together. */
  readonly ends?: readonly string[];
  /** At most one row more is written, which shows that there are more. */
  readonly maxRows: number;
}

export interface StoredTableSize {
  readonly rows: number;
  /** On disk. */
  readonly bytes: number;
  /** Rows of the source that were read to make the table. */
  readonly rowsRead: number;
}

/** By which two results are compared: equal results have equal digests. */
export interface RowDigest {
  readonly rows: number;
  /** Hash of all rows, bit for bit, whatever their order. */
  readonly hash: string;
  /** Hash of the rows, or of some of their columns, in their order; empty without an order. */
  readonly sequence: string;
  readonly columns: readonly Column[];
  /** Rows that the engine read for it. */
  readonly rowsRead: number;
}

export interface DigestedStatement extends NamedStatement {
  /** The columns whose order of values matters: all, those at these positions, or null for none. */
  readonly inOrder: 'all' | readonly number[] | null;
}

/**
 * Which rows of `expected` those of `actual` are: those from an offset on; or for each row one that has the same keys as
 * the row at its position in the result of another text, which has the columns and the parameters of `expected`.
 */
export type ResultPart = { readonly offset: number } | { readonly positions: string };

/** Two results, and in what they may differ. */
export interface ComparedResults {
  /** Its columns are those of `actual`, followed by values that its rows are sorted by. */
  readonly expected: NamedStatement;
  readonly actual: EngineStatement;
  /** Number of columns that both have. */
  readonly width: number;
  /** Rows of the larger one. */
  readonly rows: number;
  /** Of the columns of `expected`; those of `sum` may differ from the tenth digit on. */
  readonly precisions: readonly FloatPrecision[];
  /** Results whose largest numbers say how large those are whose sums are compared; without them those of `expected` do. */
  readonly magnitudes?: readonly EngineStatement[] | undefined;
  /** Columns of `expected`: adjacent rows with equal values in them may be in any order. Null: all rows may. */
  readonly keys: readonly number[] | null;
  /** Null: `actual` has all rows. */
  readonly part: ResultPart | null;
}

export interface RowDifference {
  /** How many more of this row the first result has; 0: only its floating point columns differ. */
  readonly surplus: number;
  /** The row in each of the two results. */
  readonly rows: readonly [readonly unknown[], readonly unknown[]];
}

/** A query that overran its time limit and could not be killed. Its origin is refused in this process. */
export interface Overrun {
  readonly queryId: string;
  readonly projectId: number;
  /** Null when it ran without one. */
  readonly origin: ExecutionOrigin | null;
}

export interface QueryEngine {
  /** Runs as the project's reader. Aborting the signal cancels the query at the engine. */
  query(query: EngineQuery, signal?: AbortSignal): Promise<EngineResult>;
  /**
   * The same as a stream. Resolves with the first bytes, or with the whole of a small result, and rejects when the query
   * fails before. The signal applies until the stream ends.
   */
  stream(query: EngineStreamQuery, signal: AbortSignal): Promise<EngineStream>;
  /**
   * Accepts the text as one SELECT over the project's own tables, or rejects with `invalid_query` and the engine's reason
   * in a form fit for callers. The query is not run. Returns the result's columns.
   */
  describe(statement: EngineStatement): Promise<readonly Column[]>;
  /** Parses and analyzes texts of a provisioned project, for the planner of materializations. */
  analysis(projectId: number): SqlAnalysis;
  /** Creates the project's database and users where they are missing. Idempotent. */
  provision(projectId: number): Promise<void>;
  /** Drops the project's database with all its rows. Idempotent. */
  deprovision(projectId: number): Promise<void>;
  /** The tables of a project in the order of their names, without those that the service made. */
  tables(projectId: number): Promise<readonly EngineTable[]>;
  /** Of these the tables and columns that the project's reader may select. */
  readableTables(projectId: number): Promise<readonly EngineTable[]>;
  /** The tables and columns of the project that the statement reads. Rejects as `describe` does. */
  tablesRead(statement: EngineStatement): Promise<readonly ReadTable[]>;
  /**
   * Creates a table of the statement's rows as the project's writer. When it rejects, or the signal is aborted, an
   * incomplete table may exist: drop it.
   */
  createTableFrom(table: NewStoredTable, signal?: AbortSignal): Promise<StoredTableSize>;
  /**
   * As the project's writer, with the further tables of its plan and the copies that were made for it. Queries that read them
   * run to their end. Idempotent, also for a project that is gone.
   */
  dropTable(projectId: number, table: string): Promise<void>;
  /** Computed inside the engine as the project's reader: no row is sent out, however many there are. */
  digest(statement: DigestedStatement, signal?: AbortSignal): Promise<RowDigest>;
  /** By the engine's analysis of the text; the query is not run. */
  shape(statement: EngineStatement): Promise<ResultShape>;
  /** One difference, beyond what is allowed, between two results with the same columns; null: there is none. */
  difference(compared: ComparedResults, signal?: AbortSignal): Promise<RowDifference | null>;
  /** Approximate number of distinct values in each column of a stored table, without NULL. */
  countValues(stored: StoredColumns, signal?: AbortSignal): Promise<readonly number[]>;
  /** How many bytes the states of aggregate functions take: in rows with 0 in the given column, and in rows with 1. */
  sizeStates(states: States, signal?: AbortSignal): Promise<readonly [number, number]>;
  /** The names of a project's stored tables and of the copies made for them, in order. */
  listStoredTables(projectId: number): Promise<readonly string[]>;
  /**
   * Gives each node that answers the changes of projects' tables that it has missed, and copies each of these stored tables to those that
   * have not got it. `find` is not called for an engine of one node.
   */
  completeNodes(find: FindStored, signal?: AbortSignal): Promise<NodeCompletion>;
  /** From here on no request goes to a node that has missed a change of a table. Does nothing for an engine of one node. */
  readBehind(): Promise<void>;
  /** Within `onOneNode`: the requests after it go to a node that has what the statement reads, if one has. */
  chooseNode(statement: EngineStatement): Promise<void>;
  /** Upper bound of the rows that the statement reads from tables, without reading them. */
  estimateRows(statement: EngineStatement): Promise<number>;
  /** How the statement would be run, which it is not. Rejects as `describe` does. */
  explain(statement: EngineStatement): Promise<QueryPlan>;
  /**
   * Copies every table that the statements read, each as of one moment. Null when one of them cannot be copied. Drop the copies
   * afterwards, also when it rejects.
   */
  freezeTables(request: FreezeRequest, signal?: AbortSignal): Promise<FrozenTables | null>;
  /** The statement over the copies; null when the engine does not read it as the same query of other tables. */
  readFrozen(frozen: FrozenTables, statement: EngineStatement): Promise<EngineStatement | null>;
  /** Those that were made for this stored table. Idempotent. */
  dropCopies(projectId: number, table: string): Promise<void>;
  /** Changes whenever the columns of the project's own tables do, or the engine's version does. */
  schemaFingerprint(projectId: number): Promise<string>;
  /** Why results cannot be stored for the project, or its tables not be changed, as a sentence; null when they can. */
  whyNot(projectId: number, what: 'store' | 'load'): Promise<string | null>;
  /** Stops a running query of the project. False when no query with that id runs. */
  cancel(queryId: string, projectId?: number): Promise<boolean>;
  /** Statistics of a running query of the project so far; null when it does not run. */
  progress(queryId: string, projectId?: number): Promise<EngineStats | null>;
  /** Of executions by their ids, as long as they ended minutes ago at most. Never rejects. */
  processorTimes(executions: readonly LoggedExecution[]): Promise<ProcessorTimes>;
  /** What the project is bound to may have changed; null: that of every project. The next use looks it up. */
  refresh(projectId: number | null): void;
  /** Calls the listener for each overrun. Returns a function that removes it. */
  onOverrun(listener: (overrun: Overrun) => void): () => void;
  /** Its nodes at this moment; those of bound projects are not among them. Never rejects. */
  nodes(): Promise<readonly EngineNode[]>;
  /** Resolves when the engine responds; rejects with `engine_unavailable` when it does not. */
  ping(): Promise<void>;
  /** Closes connections; a local engine process is stopped by its own handle. */
  close(): Promise<void>;
}
