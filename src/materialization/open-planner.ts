import { LRUCache } from 'lru-cache';
import type { QueryEngine } from '../engine/query-engine.ts';
import type { PlanResult } from '../model/materialization-plan.ts';
import { type PlanRequest, planMaterialization } from './planner/plan-materialization.ts';

const maxPlans = 2000;
const maxBytes = 67_108_864;
/** Approximate number of copies of the query in a plan; characters take two bytes. */
const copies = 8;

/**
 * The planner for this engine. Planning takes many engine requests, so plans are cached; a plan is valid as long as
 * the query and the columns of the project's tables stay the same. Refusals are not cached, since a temporarily
 * missing table may be the reason.
 */
export function openPlanner(engine: QueryEngine): (request: PlanRequest) => Promise<PlanResult> {
  const plans = new LRUCache<string, { readonly schema: string; readonly result: PlanResult }>({
    max: maxPlans,
    maxSize: maxBytes,
    sizeCalculation: (_plan, key) => 2 * copies * key.length,
  });
  return async (request) => {
    const { projectId, sql, definitions, columnsAlone = false } = request;
    const impossible = await engine.whyNot(projectId, 'store');
    if (impossible !== null) return { kind: 'refusal', reason: impossible };
    const key = JSON.stringify([projectId, sql, [...definitions], columnsAlone]);
    const schema = await engine.schemaFingerprint(projectId);
    const cached = plans.get(key);
    if (cached?.schema === schema) return cached.result;
    await engine.provision(projectId);
    const result = await planMaterialization(request, engine.analysis(projectId));
    const isUnchanged = (await engine.schemaFingerprint(projectId)) === schema;
    if (isUnchanged && result.kind === 'plan') plans.set(key, { schema, result });
    return result;
  };
}
