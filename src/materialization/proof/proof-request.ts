import type { TableRead } from '../../model/materialization-plan.ts';
import type { ParsedQuery } from '../../query/query-definition.ts';
import type { ProofSource } from './proof-source.ts';

/** A stored table to compare with its query over the source data. */
export interface ProofRequest extends TableRead {
  readonly projectId: number;
  readonly query: ParsedQuery;
  /** Rows of the table. */
  readonly rows: number;
  /** Duration of the build. */
  readonly buildMs: number;
  readonly signal: AbortSignal;
  /** The source the table was built from; by default the tables themselves. */
  readonly source?: ProofSource;
}
