import { cannotMaterialize, requirePlanned } from '../endpoints/cannot-materialize.ts';
import type { Eligibility } from '../endpoints/deps.ts';
import type { PlanResult } from '../model/materialization-plan.ts';
import { type RowLimits, rowLimitOf, tooManyRows } from '../model/row-limit.ts';
import { countRows, estimateSourceRows, type SizeDeps } from './estimate-size.ts';
import type { PlanRequest } from './planner/plan-materialization.ts';

export interface EligibilityOptions extends SizeDeps {
  readonly config: RowLimits;
  readonly planner: (request: PlanRequest) => Promise<PlanResult>;
}

/** Decides whether a query can be materialized, by the planner and by the number of rows it would store. */
export function openEligibility(options: EligibilityOptions): Eligibility {
  const { config, planner } = options;
  return {
    plan(projectId, { definition, definitions }, columnsAlone = false) {
      return planner({ projectId, sql: definition.query, definitions, columnsAlone });
    },
    // Counts only if the source has more rows than the limit. What cannot be counted in seconds is left to the sync,
    // which enforces the limit.
    async checkRowLimit({ projectId, planned, maxRows }) {
      const plan = requirePlanned(planned);
      const limit = rowLimitOf(maxRows, config);
      const atMost = await estimateSourceRows(options, { projectId, plan });
      // 0 means the engine has no estimate, as for numbers().
      if (atMost !== null && atMost > 0 && atMost <= limit) return;
      const rows = await countRows(options, { projectId, plan });
      if (rows === null || rows <= limit) return;
      throw cannotMaterialize(tooManyRows({ rows, limit }, config));
    },
  };
}
