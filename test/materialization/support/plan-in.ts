/** Plans of queries that tests expect to be planned. */
import { type MaterializationPlan, tablesOf } from '../../../src/model/materialization-plan.ts';
import type { Laboratory, Query } from './laboratory.ts';

/** Throws an error with the reason if the query is refused. */
export async function planIn(laboratory: Laboratory, query: Query): Promise<MaterializationPlan> {
  const planned = await laboratory.plan(query);
  if (planned.kind === 'refusal') throw new Error(`${query.sql}: ${planned.reason}`);
  return planned.plan;
}

/** The SELECT of each of its tables. */
export function storedBy(plan: MaterializationPlan): readonly string[] {
  return tablesOf(plan).map((table) => table.storedQuery);
}
