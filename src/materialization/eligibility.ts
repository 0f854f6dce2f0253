import { cannotMaterialize, requirePlanned } from '../endpoints/cannot-materialize.ts';
import type { Eligibility } from '../endpoints/deps.ts';
import type { PlanResult } from '../model/materialization-plan.ts';
import { type RowLimits, rowLimitOf, tooManyRows } from '../model/row-limit.ts';
import { countRows, estimateSourceRows, type SizeDeps } from './estimate-size.ts';
import type { PlanRequest } from './planner/plan-request.ts';

export interface EligibilityOptions extends SizeDeps {
  readonly config: RowLimits;
  readonly planner: (request: PlanRequest) => Promise<PlanResult>;
}

/** Whether a query can be materialized, by the planner and by the rows that it would store. */
export function openEligibility(options: EligibilityOptions): Eligibility {
  const { config, planner } = options;
  return {
    plan(projectId, { definition, definitions }) {
      return planner({ projectId, sql: definition.query, definitions });
    },
    // Where the source has fewer rows nothing is counted; what cannot be counted in seconds is left to the sync, which
    // holds the limit.
    async checkRowLimit({ projectId, planned, maxRows }) {
      const { storedQuery: sql } = requirePlanned(planned);
      const limit = rowLimitOf(maxRows, config);
      const atMost = await estimateSourceRows(options, { projectId, sql });
      // 0: the engine knows nothing of what is read, as of numbers().
      if (atMost !== null && atMost > 0 && atMost <= limit) return;
      const rows = await countRows(options, { projectId, sql });
      if (rows === null || rows <= limit) return;
      throw cannotMaterialize(tooManyRows({ rows, limit }, config));
    },
  };
}
