import { LRUCache } from 'lru-cache';
import type { QueryEngine } from '../engine/query-engine.ts';
import type { PlanResult } from '../model/materialization-plan.ts';
import { planMaterialization } from './planner/plan-materialization.ts';
import type { PlanRequest } from './planner/plan-request.ts';

const maxKnown = 2000;
const maxKnownBytes = 67_108_864;
/** A plan repeats its query about so often, in characters of two bytes. */
const copies = 8;

/**
 * The planner, with its questions asked of this engine. They are many, and their answers follow from the query and
 * the columns of the tables: while those stay as they are, so does the plan.
 */
export function openPlanner(engine: QueryEngine): (request: PlanRequest) => Promise<PlanResult> {
  const known = new LRUCache<string, { readonly schema: string; readonly result: PlanResult }>({
    max: maxKnown,
    maxSize: maxKnownBytes,
    sizeCalculation: (_plan, key) => 2 * copies * key.length,
  });
  return async (request) => {
    const { projectId, sql, definitions } = request;
    const key = JSON.stringify([projectId, sql, [...definitions]]);
    const schema = await engine.schemaFingerprint(projectId);
    const before = known.get(key);
    if (before?.schema === schema) return before.result;
    await engine.provision(projectId);
    const result = await planMaterialization(request, engine.analysis(projectId));
    const isSteady = (await engine.schemaFingerprint(projectId)) === schema;
    if (isSteady) known.set(key, { schema, result });
    return result;
  };
}
