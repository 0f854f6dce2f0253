import { stableJson } from '../../lib/stable-json.ts';
import type { MaterializationPlan } from '../../model/materialization-plan.ts';

/** Whether both read and store in the same way. Stored queries are ignored, since their relative dates differ. */
export function isSamePlan(served: MaterializationPlan | null, plan: MaterializationPlan): boolean {
  return served !== null && stableShape(served) === stableShape(plan);
}

function stableShape(given: MaterializationPlan) {
  const { rollUps: _periods, distinctCounts: _counts, topGroups: _top, ...plan } = given;
  const furtherTables = plan.furtherTables?.map(({ sortingKey }) => sortingKey) ?? [];
  const { countsDistinct = false, topThreshold = null } = plan;
  // Plans of earlier releases have one instead of a list.
  const rolledUp = [plan.rolledUp ?? []].flat();
  const decided = { rolledUp, countsDistinct, topThreshold };
  return stableJson({ ...plan, storedQuery: '', furtherTables, ...decided });
}
