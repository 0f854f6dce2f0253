/** What each sync checks of the source's rows. */
import type { MaterializationPlan, SourceCheck } from '../../model/materialization-plan.ts';

/** The plan with further checks, which come first, each once. */
export function withSourceChecks(
  plan: MaterializationPlan,
  checks: readonly SourceCheck[],
): MaterializationPlan {
  if (checks.length === 0) return plan;
  const all = [...checks, ...(plan.sourceChecks ?? [])];
  const distinct = new Map(all.map((check) => [check.countFaults, check]));
  return { ...plan, sourceChecks: [...distinct.values()] };
}
