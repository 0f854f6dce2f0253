/** Plans whose tables store periods, count distinct values or set groups apart, also of so few rows that a sync would not choose that. */
import type { EligibilityOptions } from '../../../src/materialization/eligibility.ts';
import { countedPlan } from '../../../src/materialization/storage/choose-counts.ts';
import { periodsOf, rolledPlan } from '../../../src/materialization/storage/rolled-plan.ts';
import { topPlan } from '../../../src/materialization/storage/top-plan.ts';
import type { MaterializationPlan } from '../../../src/model/materialization-plan.ts';

/** Integers have periods of 10, 100 and 1,000. */
const span = 100_000;

/** One for each column and period of a table; the other tables have periods of their first column. */
export function rolledPlans(plan: MaterializationPlan): readonly MaterializationPlan[] {
  const { rollUps = [] } = plan;
  const firstOf = (table: number) => rollUps.find((one) => one.table === table);
  return rollUps.flatMap(({ table, column, type }) =>
    periodsOf(type, span).flatMap((period, at) => {
      const others = [...new Set(rollUps.map((one) => one.table))]
        .filter((other) => other !== table)
        .flatMap((other) => firstOf(other) ?? [])
        .map((other) => {
          const periods = periodsOf(other.type, span);
          return { column: other.column, period: periods[at % periods.length] ?? 'month' };
        });
      return rolledPlan(plan, [{ column, period }, ...others]) ?? [];
    }),
  );
}

/** @param at chooses one of them. A sync takes it as it is; null where the plan has none. */
export function rolledUpAlready(plan: MaterializationPlan, at: number): MaterializationPlan | null {
  const plans = rolledPlans(plan);
  const { rollUps: _possible, ...rolled } = plans[at % Math.max(1, plans.length)] ?? plan;
  return plans.length === 0 ? null : rolled;
}

type Planner = EligibilityOptions['planner'];

export interface SwitchedPlanner {
  readonly plan: Planner;
  /** Has to be given before the first plan. */
  use(planner: Planner): void;
}

export function switchedPlanner(): SwitchedPlanner {
  let current: Planner = async () => ({ kind: 'refusal', reason: 'no planner is given' });
  return {
    plan: (request) => current(request),
    use: (planner) => {
      current = planner;
    },
  };
}

/** Stores periods wherever it is possible. `at` chooses the column and the period. */
export function byPeriods(planner: Planner, at: () => number): Planner {
  return async (request) => {
    const planned = await planner(request);
    if (planned.kind === 'refusal') return planned;
    return { kind: 'plan', plan: rolledUpAlready(planned.plan, at()) ?? planned.plan };
  };
}

/** Counts distinct values wherever it is possible, also of so few that a sync would store sets of them. */
export function byCounts(planner: Planner): Planner {
  return async (request) => {
    const planned = await planner(request);
    if (planned.kind === 'refusal') return planned;
    const { distinctCounts, rollUps: _periods, ...plan } = planned.plan;
    if (distinctCounts === undefined) return planned;
    return { kind: 'plan', plan: countedPlan(plan, distinctCounts) };
  };
}

/** Sets the greatest groups apart wherever it is possible. A text is always stored from the same threshold on. */
export function byTop(planner: Planner, threshold: (sql: string) => string): Planner {
  return async (request) => {
    const planned = await planner(request);
    if (planned.kind === 'refusal') return planned;
    const { topGroups, rollUps: _periods, distinctCounts: _counts, ...plan } = planned.plan;
    if (topGroups === undefined) return planned;
    return { kind: 'plan', plan: topPlan(plan, topGroups, threshold(request.sql)) };
  };
}

/** One for each of some thresholds: all groups are at the top, most, a few, none. */
export function topPlans(plan: MaterializationPlan): readonly MaterializationPlan[] {
  const { topGroups } = plan;
  if (topGroups === undefined) return [];
  return thresholds.map((threshold) => topPlan(plan, topGroups, threshold));
}

const thresholds = ['1', '3', '12', '100000'] as const;

export function thresholdOf(sql: string): string {
  return thresholds[sql.length % thresholds.length] ?? '1';
}
