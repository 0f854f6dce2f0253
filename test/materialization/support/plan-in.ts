/** Plans of queries that tests expect to be planned. */
import { expect } from 'vitest';
import { type MaterializationPlan, tablesOf } from '../../../src/model/materialization-plan.ts';
import type { Laboratory, Query, Values } from './laboratory.ts';

/** Throws an error with the reason if the query is refused. */
export async function planIn(laboratory: Laboratory, query: Query): Promise<MaterializationPlan> {
  const planned = await laboratory.plan(query);
  if (planned.kind === 'refusal') throw new Error(`${query.sql}: ${planned.reason}`);
  return planned.plan;
}

/** The query's plan, after reads with each of the values have given what the query gives. */
export async function planReadWith(
  laboratory: Laboratory,
  sql: string,
  values: readonly Values[],
): Promise<MaterializationPlan> {
  const plan = await planIn(laboratory, { sql });
  const table = await laboratory.store(plan);
  for (const each of values) {
    const inline = await laboratory.run({ sql }, each);
    expect(inline[0]).not.toMatch(/^error/);
    expect([each, await laboratory.read({ plan, table }, { sql }, each)]).toEqual([each, inline]);
  }
  await laboratory.drop(table);
  return plan;
}

/** The SELECT of each of its tables. */
export function storedBy(plan: MaterializationPlan): readonly string[] {
  return tablesOf(plan).map((table) => table.storedQuery);
}
