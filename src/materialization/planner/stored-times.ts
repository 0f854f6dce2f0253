/** Columns and functions of the engine that are computed by the current time, which no query text shows. */
import { type MaterializationPlan, tablesOf } from '../../model/materialization-plan.ts';
import type { TreeNode } from '../../sql/query-tree.ts';
import type { QueryContext } from './plan-context.ts';
import { readTree } from './read-tree.ts';
import { canonicalize } from './tree/canonicalize.ts';
import { requireTimesInConditions, usesTime } from './tree/repeatability.ts';

/**
 * Throws TimeRefusal if a stored table would keep the time of its sync, as for an ALIAS column `now() - at`.
 *
 * @param root of the query's tree.
 */
export async function requireNoStoredTimes(
  root: TreeNode | undefined,
  plan: MaterializationPlan,
  { analysis, names }: Pick<QueryContext, 'analysis' | 'names'>,
): Promise<void> {
  if (root === undefined || !usesTime(root)) return;
  for (const { storedQuery } of tablesOf(plan)) {
    const [stored] = await readTree(analysis, storedQuery, {});
    if (stored !== undefined) requireTimesInConditions(canonicalize(stored, names));
  }
}
