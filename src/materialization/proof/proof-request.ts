import type { TableRead } from '../../model/materialization-plan.ts';
import type { ParsedQuery } from '../../query/query-definition.ts';

/** A stored table to compare with its query on the source data. */
export interface ProofRequest extends TableRead {
  readonly projectId: number;
  readonly query: ParsedQuery;
  /** Rows of the table. */
  readonly rows: number;
  /** How long building it took. */
  readonly buildMs: number;
  readonly signal: AbortSignal;
}
