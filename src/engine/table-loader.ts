/** Loading and dropping a project's own tables. Methods reject with ServiceError. */
import { ServiceError } from '../errors/service-error.ts';
import type { Column, EngineStatement } from './query-engine.ts';

/** The engine's names of the formats. */
export type LoadFormat = 'Parquet' | 'CSVWithNames' | 'JSONEachRow' | 'Arrow' | 'ArrowStream';

/** How a CSV deviates from RFC 4180. */
export interface CsvShape {
  /** One character; default a comma. */
  readonly delimiter?: string | undefined;
  /** An unquoted field with this text is NULL. Default: `\N`, and an empty field of any type but text. */
  readonly nullAs?: string | undefined;
}

/** `create` refuses a table that exists, `append` one that does not or has other columns. */
export type LoadMode = 'create' | 'replace' | 'append';

export interface TableLoader {
  /** Tries saved texts with another table replacing an existing one. Changes nothing. */
  openTrial(trial: TrialTable): Promise<TableTrial>;
  /** Idempotent. */
  drop(projectId: number, table: string): Promise<void>;
  close(): void;
}

/** A replacement for a table of the same name; null when the table is dropped without one. */
export interface TrialTable {
  readonly projectId: number;
  readonly table: string;
  readonly columns: readonly Column[] | null;
}

/** What saved queries would return then. The methods reject with `invalid_query`. */
export interface TableTrial {
  /** Result columns of the statement with the current tables. */
  columnsNow(statement: EngineStatement): Promise<readonly Column[]>;
  /** Result columns with the trial's table. */
  columnsThen(statement: EngineStatement): Promise<readonly Column[]>;
  /** Whether the statement reads the existing table. */
  readsTable(statement: EngineStatement): Promise<boolean>;
  close(): Promise<void>;
}

/**
 * The engine was lost while the table got its rows, and what it has done could not be found out. Only a replacement has
 * a code that clients answer by loading the rows again.
 */
export class UnsettledLoad extends ServiceError {
  constructor(load: { readonly table: string; readonly mode: LoadMode }, cause: unknown) {
    const isSafe = load.mode === 'replace';
    const lost = `The engine was lost while the table ${load.table} got the rows, so`;
    const detail = isSafe
      ? `${lost} it may have them or its former ones. Load them again.`
      : `${lost} all, some or none of them may be in it. Count its rows before you add them again.`;
    const retry = isSafe ? { retryAfterSeconds: 10 } : {};
    super(isSafe ? 'engine_unavailable' : 'error', detail, {
      ...retry,
      cause,
      internal: String(cause),
    });
  }
}

/** Loads one file and infers its columns, completely or not at all. */
export interface FileLoader {
  /**
   * @throws ServiceError `invalid_input` for data that is not of the format or does not fit the table, with the row's
   * line where known, and the codes of an unavailable engine.
   */
  load(file: FileLoad): Promise<LoadedFile>;
  /** Resolves when what loads have started is stopped. */
  close(): Promise<void>;
}

export interface FileLoad {
  readonly projectId: number;
  readonly table: string;
  readonly mode: LoadMode;
  /** Uncompressed; text is UTF-8. */
  readonly path: string;
  /** The file's name in errors. */
  readonly name: string;
  readonly format: LoadFormat;
  readonly csv: CsvShape;
  /** Types that the caller gives, by the names of columns; the others are inferred. */
  readonly types: ReadonlyMap<string, string>;
  /** Sort columns of the new table; appending keeps the order of the existing one. */
  readonly orderBy: readonly string[];
  /** The columns of the table to append to; null when there is no table. */
  readonly existing: readonly Column[] | null;
  /** Called with the data's columns when all rows are loaded. If it throws, the load fails and nothing has changed. */
  readonly beforeSwap?: (columns: readonly Column[]) => Promise<void>;
  readonly signal: AbortSignal;
}

export interface LoadedFile {
  readonly rows: number;
  readonly columns: readonly Column[];
}
