import type { TableRead } from '../../model/materialization-plan.ts';
import type { ParsedQuery } from '../../query/query-definition.ts';
import type { ProofSource } from './proof-source.ts';

/** A stored table to compare with its query on the source data. */
export interface ProofRequest extends TableRead {
  readonly projectId: number;
  readonly query: ParsedQuery;
  /** Rows of the table. */
  readonly rows: number;
  /** How long building it took. */
  readonly buildMs: number;
  readonly signal: AbortSignal;
  /** What the table was built from; absent: the tables themselves. */
  readonly source?: ProofSource;
}
