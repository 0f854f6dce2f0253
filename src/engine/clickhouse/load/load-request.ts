import type { Readable } from 'node:stream';
import type { Log } from '../../../lib/log.ts';
import type { Column } from '../../query-engine.ts';
import type { CsvShape, LoadFormat, LoadMode } from '../../table-loader.ts';
import type { EngineConnection } from '../http/connection.ts';

/** Types by the names of columns. */
export type ColumnTypes = ReadonlyMap<string, string>;

export interface LoadRequest {
  readonly connection: EngineConnection;
  readonly projectId: number;
  readonly table: string;
  readonly format: LoadFormat;
  readonly csv?: CsvShape;
  /** A path, several paths, or bytes. A stream is consumed even when the load fails. */
  readonly source: string | readonly string[] | Readable;
  /** A file's name in errors; absent for the last part of its path. */
  readonly nameOf?: (path: string) => string;
  /** All columns of the data with their types; only Nullable types accept NULL. */
  readonly columns: readonly Column[];
  /** For a typed format: the types of each file's columns, where they may differ from those of the table. */
  readonly fileTypes?: ReadonlyMap<string, ColumnTypes>;
  /** Sort columns of a new table; appending keeps the order of the existing one. */
  readonly orderBy?: readonly string[];
  readonly mode: LoadMode;
  /**
   * Called when all rows are loaded, before the table changes. If it throws, the load fails and nothing has changed.
   */
  readonly beforeSwap?: (loaded: { readonly rows: number }) => Promise<void>;
  /** Called with the total bytes sent over all files so far. */
  readonly onProgress?: (bytesSent: number) => void;
  readonly signal?: AbortSignal | undefined;
  readonly log: Log;
}
