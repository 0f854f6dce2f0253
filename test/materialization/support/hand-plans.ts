/** Plans written by hand, right and wrong ones, for tests that are about what happens to a plan. */
import type { EligibilityOptions } from '../../../src/materialization/eligibility.ts';
import {
  type MaterializationPlan,
  type PlanResult,
  storedTable,
} from '../../../src/model/materialization-plan.ts';
import { ofCountry } from './materialized.ts';

type Planner = EligibilityOptions['planner'];

const whole = {
  sortingKey: [],
  predicates: [],
  aggregates: [],
} as const;

const byVariable = {
  ...whole,
  sortingKey: ['country'],
  predicates: [{ variable: 'country', expression: 'country', operator: '=', column: 'country' }],
} as const;

export const rightPlan: MaterializationPlan = {
  ...byVariable,
  storedQuery: 'SELECT country, day, amount FROM sales',
  readQuery: `SELECT day, amount FROM ${storedTable} WHERE country = {country:String} ORDER BY day, amount`,
};

/** Loses the rows of one country. */
export const wrongPlan: MaterializationPlan = {
  ...rightPlan,
  storedQuery:
    "SELECT country, day, toUInt32(sales.amount + (country = 'de')) AS amount FROM sales",
};

export interface HandPlanner {
  readonly plan: Planner;
  /** What it returns from now on. */
  set(response: PlanResult | (() => Promise<PlanResult>)): void;
}

export function handPlanner(): HandPlanner {
  let response: () => Promise<PlanResult> = async () => ({ kind: 'plan', plan: rightPlan });
  return {
    plan: () => response(),
    set(next) {
      response = typeof next === 'function' ? next : async () => next;
    },
  };
}

/** By text: those of `ofCountry`; everything else is stored as it is. */
export const plansByText: Planner = async ({ sql }) => {
  if (sql === ofCountry) return { kind: 'plan', plan: rightPlan };
  if (sql.includes('{')) return { kind: 'refusal', reason: 'No plan was written for it.' };
  return {
    kind: 'plan',
    plan: {
      ...whole,
      storedQuery: sql,
      readQuery: `SELECT * FROM ${storedTable} ORDER BY ALL`,
    },
  };
};
