/**
 * Leaves out of a query tree what its result does not depend on: columns of subqueries in FROM that nothing uses, such as
 * those that a `*` selects. The engine rewrites a correlated EXISTS to a subquery in FROM.
 */
import {
  attributeOf,
  columnOf,
  hasPart,
  partOf,
  type TreeNode,
  typeOf,
} from '../../../sql/query-tree.ts';

/** Without the unused columns that are columns of a source as they are. */
export function withoutUnused(root: TreeNode): TreeNode {
  return cutAll(root, isColumn);
}

/** Without any unused column, computed or not, except for those that change the number of rows. */
export function withoutUnusedExpressions(root: TreeNode): TreeNode {
  return cutAll(root, keepsRows);
}

/** Whether a selected expression may be left out where nothing uses it. */
type MayCut = (selected: TreeNode) => boolean;

function isColumn({ kind }: TreeNode): boolean {
  return kind === 'COLUMN';
}

function keepsRows(node: TreeNode): boolean {
  return attributeOf(node, 'function_name') !== 'arrayJoin' && node.children.every(keepsRows);
}

function cutAll(root: TreeNode, mayCut: MayCut): TreeNode {
  const cut = cutUnused(root, { uses: usesOf(root), mayCut });
  return cut === root ? root : cutAll(cut, mayCut);
}

interface Cutting {
  readonly uses: Uses;
  readonly mayCut: MayCut;
}

/** The columns that are used of each source. */
type Uses = ReadonlyMap<number, ReadonlySet<string>>;

function usesOf(root: TreeNode): Uses {
  const uses = new Map<number, Set<string>>();
  const visit = (node: TreeNode) => {
    const { source = null, name = '' } = columnOf(node) ?? {};
    if (source !== null) uses.set(source, (uses.get(source) ?? new Set()).add(name));
    for (const child of node.children) visit(child);
  };
  visit(root);
  return uses;
}

function cutUnused(node: TreeNode, cutting: Cutting, isInFrom = false): TreeNode {
  const isFrom = node.kind === 'JOIN TREE' || (isInFrom && isJoinOrPart(node));
  const own = node.kind === 'QUERY' && isInFrom && mayLose(node) ? withUsed(node, cutting) : node;
  const children = own.children.map((child) => cutUnused(child, cutting, isFrom));
  return children.every((child, at) => child === own.children[at]) ? own : { ...own, children };
}

/** Not a UNION, whose columns go by their position, and not the condition of a join. */
function isJoinOrPart({ kind, id }: TreeNode): boolean {
  if (id === null) return !kind.startsWith('JOIN EXPRESSION');
  return kind === 'JOIN' || kind === 'CROSS JOIN' || kind === 'ARRAY_JOIN';
}

/** Whether its rows depend on no column that it only selects. */
function mayLose(query: TreeNode): boolean {
  return !/(?:^|, )is_distinct: 1/.test(query.attributes) && !hasPart(query, 'INTERPOLATE');
}

/** Without what it selects and nobody uses. */
function withUsed(query: TreeNode, { uses, mayCut }: Cutting): TreeNode {
  const selected = partOf(query, 'PROJECTION');
  const named = query.children.find(({ kind }) => kind === 'PROJECTION COLUMNS')?.children ?? [];
  const used = query.id === null ? undefined : uses.get(query.id);
  const isLeft = selected.map((node, at) => {
    const name = mayCut(node) ? resultName(node, named[at]) : null;
    return name === null || used?.has(name) === true;
  });
  if (isLeft.every(Boolean) || named.length !== selected.length) return query;
  const children = query.children.map((part) => {
    if (part.kind === 'PROJECTION COLUMNS') return only(part, isLeft);
    if (part.kind !== 'PROJECTION') return part;
    return { ...part, children: part.children.map((list) => only(list, isLeft)) };
  });
  return { ...query, children };
}

/** The name of a selected expression in the result; null where the tree does not state its type. */
function resultName(node: TreeNode, named: TreeNode | undefined): string | null {
  const type = columnOf(node)?.type ?? typeOf(node);
  const behind = ` ${type}`;
  return type !== '' && named?.kind.endsWith(behind) === true
    ? named.kind.slice(0, -behind.length)
    : null;
}

function only(node: TreeNode, isLeft: readonly boolean[]): TreeNode {
  return { ...node, children: node.children.filter((_child, at) => isLeft[at]) };
}
