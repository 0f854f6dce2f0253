import { OverrunError } from '../engine/execution-origin.ts';
import { ServiceError } from '../errors/service-error.ts';
import type { MaterializationPlan, PlanResult } from '../model/materialization-plan.ts';
import type { ParsedQuery } from '../query/query-definition.ts';
import type { CoreDeps } from '../runs/deps.ts';

/** What the planner says of a query. Throws what the engine throws when it cannot be asked. */
export function planQuery(
  deps: CoreDeps,
  projectId: number,
  query: ParsedQuery,
): Promise<PlanResult> {
  const { definition, definitions } = query;
  return deps.planMaterialization({ projectId, sql: definition.query, definitions });
}

/** The same while a query is saved, which must not fail because nobody can say whether it could be materialized. */
export async function planQuietly(
  deps: CoreDeps,
  projectId: number,
  query: ParsedQuery,
): Promise<PlanResult | undefined> {
  try {
    return await planQuery(deps, projectId, query);
  } catch (error) {
    if (error instanceof OverrunError) throw error;
    deps.log.warn({ err: error, projectId }, 'a query could not be planned for materialization');
    return undefined;
  }
}

/** Throws `cannot_materialize` with the reason. */
export function requirePlanned(planned: PlanResult | undefined): MaterializationPlan {
  if (planned?.kind === 'plan') return planned.plan;
  const reason =
    planned?.reason ?? 'The engine could not say whether the query allows it. Try again.';
  throw cannotMaterialize(reason);
}

export function cannotMaterialize(reason: string): ServiceError {
  return new ServiceError('cannot_materialize', `Cannot materialize endpoint. ${reason}`, {
    attr: 'is_materialized',
  });
}
