/** One generated query: planned once, then stored and read on several sets of generated rows. */
import {
  hasTop,
  isRolledUp,
  type MaterializationPlan,
} from '../../../src/model/materialization-plan.ts';
import { rolledPlans, topPlans } from './chosen-storage.ts';
import type { Laboratory, Query, Values } from './laboratory.ts';

export interface Case extends Query {
  /** Sets of values to run with. */
  readonly values: readonly Values[];
  /** Whether ORDER BY determines the position of every row. */
  readonly isTotallyOrdered: boolean;
}

export interface Outcome {
  /** Sets of rows on which it gave the same as inline; those for which the inline run fails not counted. */
  readonly compared: number;
  readonly withRows: number;
  /** Of these, through tables that store periods. */
  readonly byPeriod: number;
  /** Of these, through tables that set the greatest groups apart. */
  readonly byTop: number;
  /** Why the query was refused; null when it was planned. */
  readonly refusal: string | null;
}

const none = { compared: 0, withRows: 0, byPeriod: 0, byTop: 0 };

/**
 * Throws with both results when a read differs from the inline run.
 *
 * @param laboratories the same tables with other rows in each; the plan is made in the first.
 */
export async function compare(
  laboratories: readonly Laboratory[],
  example: Case,
): Promise<Outcome> {
  const planned = await laboratories[0]?.plan(example);
  if (planned === undefined) throw new Error('there is no laboratory');
  if (planned.kind === 'refusal') return { ...none, refusal: planned.reason };
  const others = [rolledPlans(planned.plan), topPlans(planned.plan)];
  const runs = laboratories.flatMap((laboratory, at) => {
    const values = example.values[at % example.values.length] ?? {};
    // Each set of rows by another period, and another threshold.
    const chosen = others.flatMap((plans) => plans[at % Math.max(1, plans.length)] ?? []);
    return [planned.plan, ...chosen].map((plan) => ({ laboratory, example, values, plan }));
  });
  const outcomes = await Promise.all(
    runs.map(({ laboratory, ...onRows }) => compareOnRows(laboratory, onRows)),
  );
  return {
    compared: outcomes.filter((outcome) => outcome !== 'failed').length,
    withRows: outcomes.filter((outcome) => outcome === 'rows').length,
    byTop: runs.filter(({ plan }, at) => hasTop(plan) && outcomes[at] === 'rows').length,
    byPeriod: runs.filter(({ plan }, at) => isRolledUp(plan) && outcomes[at] === 'rows').length,
    refusal: null,
  };
}

interface OnRows {
  readonly example: Case;
  readonly values: Values;
  readonly plan: MaterializationPlan;
}

async function compareOnRows(
  laboratory: Laboratory,
  { example, values, plan }: OnRows,
): Promise<'rows' | 'none' | 'failed'> {
  const table = (await hasFaults(laboratory, plan))
    ? null
    : await laboratory.store(plan).catch(meetsZero);
  if (table === null) return 'failed';
  const [inline, read] = await Promise.all([
    laboratory.run(example, values),
    laboratory.read({ plan, table }, example, values),
  ]);
  await laboratory.drop(table);
  // A query that fails, as on values that its column's type does not take, has no rows to compare.
  if (inline[0]?.startsWith('error')) return 'failed';
  const isSame = example.isTotallyOrdered
    ? inline.join('\n') === read.join('\n')
    : sorted(inline).join('\n') === sorted(read).join('\n');
  if (isSame) return inline.length > 2 ? 'rows' : 'none';
  throw new Error(
    [
      example.sql,
      `values: ${JSON.stringify(values)}`,
      `stored: ${plan.storedQuery}`,
      `read:   ${plan.readQuery}`,
      `inline:\n${inline.slice(0, 20).join('\n')}`,
      `materialized:\n${read.slice(0, 20).join('\n')}`,
    ].join('\n'),
  );
}

/** Whether a sync would refuse the plan for the source's rows. */
export async function hasFaults(
  laboratory: Laboratory,
  { sourceChecks = [] }: MaterializationPlan,
): Promise<boolean> {
  for (const { countFaults } of sourceChecks) {
    // The plan may be of another project with the same tables.
    const sql = countFaults.replace(/`?project_\d+`?\./g, '');
    const [, , faults] = await laboratory.run({ sql }, {});
    if (faults === undefined) throw new Error(`the check gives no number: ${countFaults}`);
    if (!/^\["?0"?\]$/.test(faults)) return true;
  }
  return false;
}

/** Null for a table that -0 in the data kept from being built. */
export function meetsZero(error: unknown): null {
  if (/meets -0(, or a NaN of unusual bits,)? in the data/.test(String(error))) return null;
  throw error;
}

function sorted(lines: readonly string[]): readonly string[] {
  return [...lines.slice(0, 2), ...lines.slice(2).sort()];
}
