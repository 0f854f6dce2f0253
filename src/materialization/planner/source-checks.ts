/** What each sync checks of the source's rows. */
import type { MaterializationPlan, SourceCheck } from '../../model/materialization-plan.ts';

/** The plan with further checks, which come first. */
export function withSourceChecks(
  plan: MaterializationPlan,
  checks: readonly SourceCheck[],
): MaterializationPlan {
  if (checks.length === 0) return plan;
  return { ...plan, sourceChecks: [...checks, ...(plan.sourceChecks ?? [])] };
}
