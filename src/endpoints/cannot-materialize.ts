import { ServiceError } from '../errors/service-error.ts';
import type { MaterializationPlan, PlanResult } from '../model/materialization-plan.ts';

/** Used instead of a plan when planning failed. */
export const notPlanned = {
  kind: 'refusal',
  reason: 'The engine could not determine whether the query can be materialized. Try again.',
} as const satisfies PlanResult;

/** Throws `cannot_materialize` with the reason. */
export function requirePlanned(planned: PlanResult | undefined): MaterializationPlan {
  if (planned?.kind === 'plan') return planned.plan;
  throw cannotMaterialize((planned ?? notPlanned).reason);
}

export function cannotMaterialize(reason: string): ServiceError {
  return new ServiceError('cannot_materialize', `Cannot materialize endpoint. ${reason}`, {
    attr: 'is_materialized',
  });
}
