/** Whether a query, or a view that it reads, writes 64-bit integers within texts. */
import { type TreeNode, tableNameOf } from '../../sql/query-tree.ts';
import type { QueryContext } from './plan-context.ts';
import { readTree } from './read-tree.ts';
import { isRefusal } from './refusal.ts';
import { canonicalize } from './tree/canonicalize.ts';
import { writesIntegers } from './tree/written-values.ts';
import { parametersOfView } from './view-parameters.ts';

/** @param tree of the query, with names resolved; a view is a table in it. */
export async function writesIntegersIn(
  tree: readonly TreeNode[],
  { analysis, names }: Pick<QueryContext, 'analysis' | 'names'>,
): Promise<boolean> {
  const seen = new Set<string>();
  const visit = async (nodes: readonly TreeNode[]): Promise<boolean> => {
    const [root] = nodes;
    if (root === undefined || writesIntegers(canonicalize(root, names))) return true;
    for (const name of new Set(nodes.map(tableNameOf))) {
      if (name === '' || seen.has(name)) continue;
      seen.add(name);
      const select = (await analysis.views()).get(name);
      if (select === undefined) continue;
      // A text that cannot be read may write integers.
      const { text, samples } = parametersOfView(select);
      if (await visit(await readTree(analysis, text, samples))) return true;
    }
    return false;
  };
  try {
    return await visit(tree);
  } catch (error) {
    if (!isRefusal(error)) throw error;
    return true;
  }
}
