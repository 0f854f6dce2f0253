import type { PlanRequest, PlanResult } from '../../domain/materialization/plan.ts';
import { planMaterialization } from '../../domain/materialization/plan-materialization.ts';
import type { QueryEngine } from '../../engine/query-engine.ts';

/** The planner, with its questions asked of this engine. */
export function plannerOf(engine: QueryEngine): (request: PlanRequest) => Promise<PlanResult> {
  return async (request) => {
    await engine.provision(request.projectId);
    return planMaterialization(request, engine.analysis(request.projectId));
  };
}
