import { readQueryTree, type TreeNode } from '../../sql/query-tree.ts';
import { isTextError, type SampleParams, type SqlAnalysis } from '../../sql/sql-analysis.ts';

/** Every node of the engine's tree of a text, the root first; none for a text that means nothing on its own. */
export async function readTree(
  { tree }: Pick<SqlAnalysis, 'tree'>,
  text: string,
  samples: SampleParams,
): Promise<readonly TreeNode[]> {
  try {
    return readQueryTree(await tree(text, samples)) ?? [];
  } catch (error) {
    if (!isTextError(error)) throw error;
    return [];
  }
}
