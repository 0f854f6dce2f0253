/** Whether the functions of a query give the same value each time, or are where a stored table allows others. */
import { attributeOf, readQueryTree, type TreeNode } from '../../sql/query-tree.ts';
import type { CatalogFunction, SampleParams, SqlAnalysis } from '../../sql/sql-analysis.ts';
import { hasBareTime, requireDeterministic } from './text/determinism.ts';
import { type Tokens, textOf } from './text/tokens.ts';

interface OfQuery {
  readonly analysis: SqlAnalysis;
  readonly catalog: readonly CatalogFunction[];
  readonly samples: SampleParams;
}

/**
 * Throws Refusal for the first function of which no value can be stored.
 *
 * @param formatted the query in the engine's formatting.
 */
export async function requireFixedFunctions(
  formatted: Tokens,
  { analysis, catalog, samples }: OfQuery,
): Promise<void> {
  if (!hasBareTime(formatted)) return requireDeterministic(formatted, catalog, new Set());
  const tree = readQueryTree(await analysis.tree(textOf(formatted), samples)) ?? [];
  requireDeterministic(formatted, catalog, new Set(tree.flatMap(functionsIn)));
}

/** The names of the functions at a node and within it, in lower case. */
function functionsIn(node: TreeNode): readonly string[] {
  const own = attributeOf(node, 'function_name').toLowerCase();
  return [...(own === '' ? [] : [own]), ...node.children.flatMap(functionsIn)];
}
