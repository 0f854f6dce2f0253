/**
 * `x IN secret.t` reads a table without a FROM, and neither the syntax tree nor the tree before names are resolved tells it from
 * a column. In a scalar subquery the engine reads it while it resolves the text, so it has to be refused before. Pure.
 */
import { argumentsOf, attributeOf, type TreeNode } from '../../../../sql/query-tree.ts';
import type { ProjectPlace } from '../../../project-place.ts';
import { functionName } from '../parse/tree-names.ts';

/** What takes a table as its second argument. */
const TAKES_TABLE = /^(?:global)?(?:not)?(?:null)?in(?:ignoreset)?$/;

/**
 * Tables and aliases of the same name are not looked for: which of them the engine sees there depends on what it has resolved.
 *
 * @param nodes of the tree before names are resolved.
 * @returns the first name behind IN that may be a table of a database which the project is not bound to; null: there is none.
 */
export function foreignTableBehindIn(
  nodes: readonly TreeNode[],
  { databases }: ProjectPlace,
): string | null {
  for (const node of nodes) {
    const named = node.kind === 'FUNCTION' ? argumentsOf(node)[1] : undefined;
    if (named?.kind !== 'IDENTIFIER' || !TAKES_TABLE.test(functionName(node))) continue;
    const written = attributeOf(named, 'identifier');
    const [first = '', ...more] = written.split('.');
    if (more.length > 0 && !databases.includes(first)) return written;
  }
  return null;
}
