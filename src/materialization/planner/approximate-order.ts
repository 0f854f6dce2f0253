/** Orders that the engine reads from an index for vector search, which finds near rows instead of the nearest. */
import { attributeOf, hasPart, partOf, type TreeNode, tableNameOf } from '../../sql/query-tree.ts';
import type { SqlAnalysis } from '../../sql/sql-analysis.ts';
import { refuse } from './refusal.ts';

const DISTANCE = /^(?:L2Distance|cosineDistance|dotProduct)$/;

/**
 * Throws Refusal for ORDER BY a distance with LIMIT over a table with a `vector_similarity` index: inline, its rows and
 * distances are approximate, and WHERE is applied to the rows that the index has found. The engine uses the index only
 * for a distance without anything around it. A view of a project that has such an index may read it.
 *
 * @param tree every node of the query's tree.
 */
export async function requireExactOrder(
  tree: readonly TreeNode[],
  analysis: Pick<SqlAnalysis, 'vectorIndexes' | 'views'>,
): Promise<void> {
  const distance = tree.map(orderedDistance).find((name) => name !== null);
  if (distance === undefined) return;
  const indexes = await analysis.vectorIndexes();
  if (indexes.size === 0) return;
  const views = await analysis.views();
  for (const table of tree.map(tableNameOf)) {
    const name = table.split('.').at(-1);
    const index = indexes.get(table);
    const source =
      index === undefined
        ? `an index behind the view ${name}`
        : `the index ${index} of the table ${name}`;
    if (index === undefined && !views.has(table)) continue;
    refuse(
      `The function ${distance} is read from ${source}, which finds approximate distances; write ORDER BY ${distance}(…) + 0 for the exact ones, which reads all rows.`,
    );
  }
}

/** The name of the distance that alone the query sorts its first rows by, as the engine needs it to use an index. */
function orderedDistance(query: TreeNode): string | null {
  if (query.kind !== 'QUERY' || !hasPart(query, 'LIMIT')) return null;
  // The part is called `EXPRESSION d` where the author wrote an alias.
  const keys = partOf(query, 'ORDER BY').flatMap((key) =>
    key.children
      .filter(({ kind }) => kind.startsWith('EXPRESSION'))
      .flatMap((part) => part.children),
  );
  const [name = ''] = keys.map((key) => attributeOf(key, 'function_name'));
  return keys.length === 1 && DISTANCE.test(name) ? name : null;
}
