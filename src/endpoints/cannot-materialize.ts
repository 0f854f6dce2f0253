import { ServiceError } from '../errors/service-error.ts';
import type { MaterializationPlan, PlanResult } from '../model/materialization-plan.ts';

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
