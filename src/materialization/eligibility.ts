import { cannotMaterialize, requirePlanned } from '../endpoints/cannot-materialize.ts';
import type { Eligibility, SizedQuery } from '../endpoints/deps.ts';
import type { MaterializationPlan, PlanResult } from '../model/materialization-plan.ts';
import { type RowLimits, rowLimitOf, tooManyRows } from '../model/row-limit.ts';
import type { ParsedQuery } from '../query/query-definition.ts';
import { countRows, exceedsRows, type SizeDeps } from './estimate-size.ts';
import type { PlanRequest } from './planner/plan-materialization.ts';

export interface EligibilityOptions extends SizeDeps {
  readonly config: RowLimits;
  readonly planner: (request: PlanRequest) => Promise<PlanResult>;
}

/** Decides whether a query can be materialized, by the planner and by the number of rows it would store. */
export function openEligibility(options: EligibilityOptions): Eligibility {
  const { config, planner } = options;
  const plan = (
    projectId: number,
    { definition, definitions }: ParsedQuery,
    columnsAlone = false,
  ): Promise<PlanResult> =>
    planner({ projectId, sql: definition.query, definitions, columnsAlone });
  const planWithin = async (
    { projectId, query, signal }: SizedQuery,
    limit: number,
  ): Promise<MaterializationPlan | null> => {
    const other = await plan(projectId, query, true);
    if (other.kind === 'refusal') return null;
    const request = { projectId, plan: other.plan, signal };
    return (await exceedsRows(options, request, limit)) === false ? other.plan : null;
  };
  return {
    plan,
    planWithin,
    // What cannot be counted in seconds is left to the sync, which enforces the limit.
    async checkRowLimit({ projectId, query, planned, maxRows }) {
      const request = { projectId, plan: requirePlanned(planned) };
      const limit = rowLimitOf(maxRows, config);
      if ((await exceedsRows(options, request, limit)) !== true) return;
      if ((await planWithin({ projectId, query }, limit)) !== null) return;
      const rows = await countRows(options, request);
      throw cannotMaterialize(tooManyRows({ rows, limit }, config));
    },
  };
}
