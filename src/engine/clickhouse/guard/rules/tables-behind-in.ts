/**
 * `x IN secret.t` reads a table without a FROM, and neither the syntax tree nor the unresolved tree distinguishes it
 * from a column. In a scalar subquery the engine reads the table while it resolves the text, so it has to be refused
 * before that. Pure.
 */
import { argumentsOf, attributeOf, isSearch, type TreeNode } from '../../../../sql/query-tree.ts';
import type { ProjectPlace } from '../../../project-place.ts';

/**
 * Does not look for tables and aliases of the same name: which of them the engine finds depends on what it has resolved
 * so far.
 *
 * @param nodes nodes of the unresolved tree.
 * @returns the first name after IN that may be a table of a database which the project is not bound to, or null.
 */
export function foreignTableBehindIn(
  nodes: readonly TreeNode[],
  { databases }: ProjectPlace,
): string | null {
  for (const node of nodes) {
    const named = node.kind === 'FUNCTION' ? argumentsOf(node)[1] : undefined;
    if (named?.kind !== 'IDENTIFIER' || !isSearch(node)) continue;
    const written = attributeOf(named, 'identifier');
    const [first = '', ...more] = written.split('.');
    if (more.length > 0 && !databases.includes(first)) return written;
  }
  return null;
}
