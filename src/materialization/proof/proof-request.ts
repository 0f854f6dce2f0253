import type { TableRead } from '../../model/materialization-plan.ts';
import type { ParsedQuery } from '../../query/query-definition.ts';

/** A stored table that is to be compared with the query on source data. */
export interface ProofRequest extends TableRead {
  readonly projectId: number;
  readonly query: ParsedQuery;
  /** Rows of the table. */
  readonly rows: number;
  /** How long it took to build. */
  readonly buildMs: number;
  readonly signal: AbortSignal;
}
