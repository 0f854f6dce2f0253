/** What each sync checks of the columns that a query uses. */
import type { SourceCheck } from '../../../model/materialization-plan.ts';
import type { TreeNode } from '../../../sql/query-tree.ts';
import { hiddenValueChecks } from './hidden-values.ts';
import { utf8Checks } from './utf8-columns.ts';

/** Throws Refusal for what cannot be checked. @param nodes of the query's resolved tree. */
export function columnChecks(nodes: readonly TreeNode[]): readonly SourceCheck[] {
  return [...utf8Checks(nodes), ...hiddenValueChecks(nodes)];
}
