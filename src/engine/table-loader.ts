/** What loads name, and what they do to a project's own tables beside filling them. Methods reject with ServiceError. */
import type { Column, EngineStatement } from './query-engine.ts';

/** As the engine names them. */
export type LoadFormat = 'Parquet' | 'CSVWithNames' | 'JSONEachRow' | 'Arrow' | 'ArrowStream';

/** How a CSV is written, where it is not by RFC 4180. */
export interface CsvShape {
  /** One character; default a comma. */
  readonly delimiter?: string | undefined;
  /** A field of this text without quotes is NULL. Default: `\N`, and an empty field of any type but text. */
  readonly nullAs?: string | undefined;
}

/** `create` refuses a table that exists, `append` one that does not or has other columns. */
export type LoadMode = 'create' | 'replace' | 'append';

export interface TableLoader {
  /** Tries saved texts with another table in place of one that exists. Nothing changes. */
  openTrial(trial: TrialTable): Promise<TableTrial>;
  /** Idempotent. */
  drop(projectId: number, table: string): Promise<void>;
  close(): void;
}

/** A table that takes the place of one of the same name; null: none does. */
export interface TrialTable {
  readonly projectId: number;
  readonly table: string;
  readonly columns: readonly Column[] | null;
}

/** What saved queries would be then. The methods reject with `invalid_query`. */
export interface TableTrial {
  /** The columns of the statement's result with the tables as they are. */
  columnsNow(statement: EngineStatement): Promise<readonly Column[]>;
  /** With the trial's table. */
  columnsThen(statement: EngineStatement): Promise<readonly Column[]>;
  /** Whether the statement reads the table that exists. */
  readsTable(statement: EngineStatement): Promise<boolean>;
  close(): Promise<void>;
}

/** Loads one file, whose columns it finds, completely or not at all. */
export interface FileLoader {
  /**
   * @throws ServiceError `invalid_input` for data that is not of the format or does not fit the table, with the line of a
   * row where that is known, and the codes of an engine that is unavailable.
   */
  load(file: FileLoad): Promise<LoadedFile>;
}

export interface FileLoad {
  readonly projectId: number;
  readonly table: string;
  readonly mode: LoadMode;
  /** Not compressed; text in UTF-8. */
  readonly path: string;
  /** How the file is named in errors. */
  readonly name: string;
  readonly format: LoadFormat;
  readonly csv: CsvShape;
  /** The columns of a table that is appended to; null: there is no table. */
  readonly existing: readonly Column[] | null;
  /** Called with the columns of the data when all rows are in. What it throws ends the load, and nothing has changed. */
  readonly beforeSwap?: (columns: readonly Column[]) => Promise<void>;
  readonly signal: AbortSignal;
}

export interface LoadedFile {
  readonly rows: number;
  readonly columns: readonly Column[];
}
