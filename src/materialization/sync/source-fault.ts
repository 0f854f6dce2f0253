/** Whether the source has rows for which no stored table could be exact. */
import { RowFault } from '../../engine/row-fault.ts';
import type { MaterializationPlan } from '../../model/materialization-plan.ts';
import type { MaterializationDeps } from '../deps.ts';
import type { ProofSource } from '../proof/proof-source.ts';
import { readNumbers } from '../storage/measure-storage.ts';

interface CheckedSource {
  readonly projectId: number;
  readonly plan: MaterializationPlan;
  readonly source: Pick<ProofSource, 'inline'>;
  readonly signal: AbortSignal;
}

/**
 * The reason of the first of the plan's checks that finds such rows; null if none does. Over live tables, call it once
 * the rows are stored, so that it sees all of them.
 */
export async function sourceFault(
  deps: MaterializationDeps,
  { projectId, plan, source, signal }: CheckedSource,
): Promise<string | null> {
  for (const { countFaults: sql, reason } of plan.sourceChecks ?? []) {
    const { statement } = await source.inline({ projectId, sql, params: {} });
    try {
      const [faults = 0] = await readNumbers(deps, { projectId, signal }, statement.sql);
      if (faults > 0) return reason;
    } catch (error) {
      if (!(error instanceof RowFault)) throw error;
      return `What the query needs of its tables cannot be checked over the rows of all values of its variables: ${error.message} Let the expression itself leave these rows out, as in if(b > 0, intDiv(a, b), NULL).`;
    }
  }
  return null;
}
