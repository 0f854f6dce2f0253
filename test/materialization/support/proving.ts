/** Plans by hand, and what the proof finds. */
import { expect } from 'vitest';
import type { Config } from '../../../src/config/config.ts';
import {
  type MaterializationPlan,
  type PlannedPredicate,
  storedTable,
} from '../../../src/model/materialization-plan.ts';
import type { TestApp } from '../../support/test-app.ts';
import { type HandPlanner, handPlanner } from './hand-plans.ts';
import { type Body, openMaterializedApp, save, statusOf, sync } from './materialized.ts';

/** As a planner writes it, with `FROM stored` for the table. */
export interface Written {
  readonly stored: string;
  readonly read?: string;
  /** `variable column operator` of each; `-` for no column. */
  readonly predicates?: readonly string[];
  /** The whole condition that the predicates are parts of. */
  readonly condition?: string;
  readonly sortingKey?: readonly string[];
}

export interface Proving {
  readonly test: TestApp;
  readonly planner: HandPlanner;
  /** The status after the first sync of a new endpoint. */
  prove(query: string | Body, written: Written): Promise<Body>;
  /** The name of the last one. */
  name(): string;
}

export async function openProving(settings: Partial<Config> = {}): Promise<Proving> {
  const planner = handPlanner();
  const test = await openMaterializedApp({ planMaterialization: planner.plan }, settings);
  let count = 0;
  return {
    test,
    planner,
    name: () => `q${count}`,
    prove: async (query, written) => {
      count += 1;
      planner.set({ kind: 'plan', plan: planOf(written) });
      await save(test, `q${count}`, { query, is_materialized: true });
      await sync(test);
      return statusOf(test, `q${count}`);
    },
  };
}

export function planOf({
  stored,
  read,
  predicates = [],
  condition = '',
  sortingKey = [],
}: Written): MaterializationPlan {
  const planned = predicates.map((text): PlannedPredicate => {
    const [variable = '', column = '', ...operator] = text.split(' ');
    const used = { expression: column, column: column === '-' ? null : column };
    return { variable, ...used, operator: operator.join(' '), condition };
  });
  return {
    storedQuery: stored,
    readQuery: (read ?? 'SELECT * FROM stored').replaceAll(
      /\bFROM stored\b/g,
      () => `FROM ${storedTable}`,
    ),
    sortingKey,
    predicates: planned,
    aggregates: [],
  };
}

export const proved = { status: 'Completed', error: null };

export const refused = (why: RegExp) => ({
  status: 'Failed',
  can_materialize: false,
  ready: false,
  error: expect.stringMatching(why),
});
