import type { Variable } from '../query/variables.ts';

export interface DocumentedColumn {
  readonly name: string;
  /** A ClickHouse type. */
  readonly type: string;
}

/** The facts that the document of one version is built from. */
export interface DocumentedVersion {
  readonly projectId: number;
  readonly name: string;
  readonly version: number;
  readonly description: string;
  readonly columns: readonly DocumentedColumn[];
  readonly variables: readonly Variable[];
}
