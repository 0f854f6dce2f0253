/** Whether the source has rows for which no stored table could be exact. */
import { syncShare } from '../../access/admission/admission.ts';
import { uuidv7 } from '../../lib/ids.ts';
import type { MaterializationPlan } from '../../model/materialization-plan.ts';
import type { MaterializationDeps } from '../deps.ts';
import type { ProofSource } from '../proof/proof-source.ts';

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
  { engine, clock }: MaterializationDeps,
  { projectId, plan, source, signal }: CheckedSource,
): Promise<string | null> {
  for (const { countFaults: sql, reason } of plan.sourceChecks ?? []) {
    const { statement } = await source.inline({ projectId, sql, params: {} });
    const queryId = uuidv7(clock.now());
    const form = { queryId, limit: 1, offset: 0, integers: 'number', share: syncShare } as const;
    const { rows } = await engine.query({ ...statement, ...form }, signal);
    const [[faults]] = JSON.parse(rows.toString('utf8')) as [[number]];
    if (faults > 0) return reason;
  }
  return null;
}
