import type { Readable } from 'node:stream';
import type { Log } from '../../../lib/log.ts';
import type { Column } from '../../query-engine.ts';
import type { CsvShape, LoadFormat, LoadMode } from '../../table-loader.ts';
import type { EngineConnection } from '../http/connection.ts';

export interface LoadRequest {
  readonly connection: EngineConnection;
  readonly projectId: number;
  readonly table: string;
  readonly format: LoadFormat;
  readonly csv?: CsvShape;
  /** A file's path, those of several files, or bytes; a stream is consumed, also by a failure. */
  readonly source: string | readonly string[] | Readable;
  /** How a file is named in errors; absent: by the last part of its path. */
  readonly nameOf?: (path: string) => string;
  /** All columns of the data with their types, NULL allowed only where the type says so. */
  readonly columns: readonly Column[];
  /** The types of data that has types, where they differ from those of the columns. */
  readonly fileTypes?: ReadonlyMap<string, string>;
  /** Columns that the table is sorted by; appending does not change the order of an existing table. */
  readonly orderBy?: readonly string[];
  readonly mode: LoadMode;
  /** Called when all rows are in, before the table changes. What it throws ends the load, and nothing has changed. */
  readonly beforeSwap?: (loaded: { readonly rows: number }) => Promise<void>;
  /** Called with the bytes sent so far, over all files. */
  readonly onProgress?: (bytesSent: number) => void;
  readonly signal?: AbortSignal | undefined;
  readonly log: Log;
}
