import { operandsOf, partOf, type TreeNode } from '../../../sql/query-tree.ts';

/** What the SELECTs of a subquery select under the name. */
export function selectedAs(
  name: string,
  from: TreeNode,
  isOne: (query: TreeNode) => boolean = () => true,
): readonly TreeNode[] {
  const queries = operandsOf(from);
  const [first] = queries;
  const named = first?.children.find((part) => part.kind === 'PROJECTION COLUMNS')?.children ?? [];
  return named.flatMap((column, at) =>
    column.kind.startsWith(`${name} `)
      ? queries.filter(isOne).flatMap((query) => partOf(query, 'PROJECTION')[at] ?? [])
      : [],
  );
}
