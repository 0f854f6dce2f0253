/** What each sync checks of the source's rows. */
import type { MaterializationPlan, SourceCheck } from '../../model/materialization-plan.ts';

/** The plan with further checks, which come first, each once. */
export function withSourceChecks(
  plan: MaterializationPlan,
  checks: readonly SourceCheck[],
): MaterializationPlan {
  if (checks.length === 0) return plan;
  const own = plan.sourceChecks ?? [];
  const isKnown = (text: string) => own.some(({ countFaults }) => countFaults === text);
  const others = checks.filter(({ countFaults }) => !isKnown(countFaults));
  return { ...plan, sourceChecks: [...others, ...own] };
}
