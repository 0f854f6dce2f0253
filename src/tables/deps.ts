import type { AccessDeps } from '../access/deps.ts';
import type { QueryEngine } from '../engine/query-engine.ts';
import type { FileLoader, TableLoader } from '../engine/table-loader.ts';
import type { EndpointStore } from '../store/endpoint-store.ts';
import type { LoadSlots } from './load-slots.ts';

export interface TableDeps extends AccessDeps {
  readonly engine: QueryEngine;
}

/** Loads rows into projects' tables. */
export interface RowLoads {
  readonly files: FileLoader;
  readonly tables: Pick<TableLoader, 'openTrial' | 'close'>;
  readonly slots: LoadSlots;
}

export interface LoadRowsDeps extends TableDeps {
  readonly endpoints: EndpointStore;
  readonly loads: RowLoads;
  /** The types of columns that filters name. */
  readonly filterTypes: { forget(projectId: number): void };
}
