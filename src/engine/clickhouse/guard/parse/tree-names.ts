/** What a name in the query tree may refer to before the engine has resolved it. Pure. */
import { argumentsOf, attributeOf, partOf, type TreeNode } from '../../../../sql/query-tree.ts';

export interface Tree {
  /** The first node with each id. */
  readonly byId: ReadonlyMap<number, TreeNode>;
  readonly byAlias: ReadonlyMap<string, readonly TreeNode[]>;
  /** Calls by the function's name as written. */
  readonly calls: ReadonlyMap<string, readonly TreeNode[]>;
  /** Queries of WITH that are tables, by their names; the resolved tree has none. */
  readonly tables: ReadonlyMap<string, readonly TreeNode[]>;
  /** Names as written, before they are resolved. */
  readonly names: ReadonlyMap<string, readonly TreeNode[]>;
}

export function toTree(nodes: readonly TreeNode[]): Tree {
  const byId = new Map<number, TreeNode>();
  const byAlias = new Map<string, TreeNode[]>();
  const calls = new Map<string, TreeNode[]>();
  const tables = new Map<string, TreeNode[]>();
  const names = new Map<string, TreeNode[]>();
  for (const node of nodes) {
    if (node.id !== null && !byId.has(node.id)) byId.set(node.id, node);
    add(byAlias, attributeOf(node, 'alias'), node);
    if (node.kind === 'FUNCTION') add(calls, attributeOf(node, 'function_name'), node);
    if (node.kind === 'IDENTIFIER') add(names, attributeOf(node, 'identifier'), node);
    if (/^(?:QUERY|UNION)$/.test(node.kind)) add(tables, tableNameOf(node) ?? '', node);
  }
  return { byId, byAlias, calls, tables, names };
}

function add(map: Map<string, TreeNode[]>, key: string, node: TreeNode): void {
  if (key === '') return;
  const nodes = map.get(key);
  if (nodes === undefined) map.set(key, [node]);
  else nodes.push(node);
}

/** Lower case; empty for a node that is not a function. */
export function functionName(node: TreeNode): string {
  return attributeOf(node, 'function_name').toLowerCase();
}

/** The function whose argument this node is: above the node are the list, ARGUMENTS and the call. */
export function callAround(argument: TreeNode): TreeNode | null {
  return argument.parent?.parent?.parent ?? null;
}

/** The innermost enclosing node that matches. */
export function ancestorWhere(
  node: TreeNode,
  matches: (ancestor: TreeNode) => boolean,
): TreeNode | null {
  let at = node.parent;
  while (at !== null && !matches(at)) at = at.parent;
  return at;
}

export type Meaning =
  /** An argument of a lambda: everything that its calls pass to any of its arguments. */
  | { readonly kind: 'argument'; readonly given: readonly TreeNode[] }
  /** All nodes with that alias. A column of the name's own SELECT hides aliases of the SELECTs around it. */
  | {
      readonly kind: 'alias';
      readonly nodes: readonly TreeNode[];
      readonly isOfSameSelect: boolean;
    }
  /** Anything else: a column. */
  | { readonly kind: 'column' };

export function meaningOf(tree: Tree, identifier: TreeNode): Meaning {
  const written = attributeOf(identifier, 'identifier');
  const parts = written.split('.');
  const [first = '', last = ''] = [parts[0], parts.at(-1)];
  const lambda = [...new Set([first, written, last])]
    .map((name) => lambdaOf(identifier, name))
    .find((found) => found !== null);
  if (lambda !== undefined) return { kind: 'argument', given: givenTo(tree, lambda) };
  // `a.b` is an alias that contains a dot, an element of what `a` refers to, or column `b` of table `a`.
  const ofFirst = (tree.byAlias.get(first) ?? []).filter((node) => !standsInFrom(node));
  const named = [written, last].flatMap((name) => tree.byAlias.get(name) ?? []);
  const aliased = new Set([...ofFirst, ...named]);
  for (let at: TreeNode | null = identifier; at !== null && aliased.size > 0; at = at.parent) {
    aliased.delete(at);
  }
  if (aliased.size === 0) return { kind: 'column' };
  const nodes = [...aliased];
  const scope = scopeOf(identifier);
  return { kind: 'alias', nodes, isOfSameSelect: nodes.some((node) => scopeOf(node) === scope) };
}

/** The innermost enclosing lambda with an argument of that name. */
function lambdaOf(identifier: TreeNode, name: string): TreeNode | null {
  return ancestorWhere(
    identifier,
    (at) =>
      at.kind === 'LAMBDA' &&
      partOf(at, 'ARGUMENTS').some((own) => attributeOf(own, 'identifier') === name),
  );
}

/** For a named lambda the arguments of its calls, otherwise its sibling arguments. */
function givenTo(tree: Tree, lambda: TreeNode): readonly TreeNode[] {
  const name = attributeOf(lambda, 'alias');
  if (name !== '') return (tree.calls.get(name) ?? []).flatMap(argumentsOf);
  const taker = callAround(lambda);
  const beside = taker === null ? [] : argumentsOf(taker);
  return beside.filter((node) => node !== lambda);
}

/** The enclosing SELECT. */
export function scopeOf(node: TreeNode): TreeNode | null {
  return ancestorWhere(node, ({ kind }) => kind === 'QUERY');
}

/** The SELECTs in the FROM of a SELECT, also those that it names, without those nested in them. */
export function queriesInFrom(tree: Tree, query: TreeNode): readonly TreeNode[] {
  const seen = new Set<TreeNode>();
  const outermost = (node: TreeNode): readonly TreeNode[] => {
    if (seen.has(node)) return [];
    seen.add(node);
    if (node.kind === 'QUERY') return [node];
    const named = tree.tables.get(attributeOf(node, 'identifier')) ?? [];
    return [...node.children, ...named].flatMap(outermost);
  };
  return query.children.filter(({ kind }) => kind === 'JOIN TREE').flatMap(outermost);
}

const ofFrom =
  /^(?:QUERY|UNION|LIST|QUERIES|JOIN|CROSS JOIN|ARRAY_JOIN|JOIN TREE|(?:LEFT |RIGHT )?TABLE EXPRESSION)$/;

/** Whether the node is a table of a FROM. */
export function standsInFrom(node: TreeNode): boolean {
  const edge = ancestorWhere(node, ({ kind }) => kind === 'JOIN TREE' || !ofFrom.test(kind));
  return edge?.kind === 'JOIN TREE';
}

/** Of names of queries of WITH, each within the next. */
const MAX_FOLLOWED = 100;

/**
 * Whether an enclosing SELECT is a scalar value of another one, which the engine may evaluate while it resolves the
 * text. A query of WITH is one where it is named.
 */
export function mayBeEvaluatedEarly(
  tree: Tree,
  node: TreeNode,
  followed = new Set<TreeNode>(),
): boolean {
  for (let query = scopeOf(node); query !== null; query = scopeOf(query)) {
    const edge = ancestorWhere(query, ({ kind }) => kind === 'QUERY' || !ofFrom.test(kind));
    if (edge?.kind === 'WITH' && !isEvaluatedWhereNamed(tree, query, followed)) continue;
    if (edge !== null && edge.kind !== 'QUERY') return true;
  }
  return false;
}

function isEvaluatedWhereNamed(tree: Tree, query: TreeNode, followed: Set<TreeNode>): boolean {
  const union = query.parent?.parent?.parent;
  const name = tableNameOf(query) ?? (union?.kind === 'UNION' ? tableNameOf(union) : null);
  const references = (name === null ? undefined : tree.names.get(name)) ?? [];
  return (
    references.length === 0 ||
    references.some((reference) => {
      if (!standsInFrom(reference)) return true;
      if (followed.has(reference)) return false;
      followed.add(reference);
      if (followed.size > MAX_FOLLOWED) return true;
      return mayBeEvaluatedEarly(tree, reference, followed);
    })
  );
}

/** Null for a query without a name, and for a name that could be read as more than one attribute. */
function tableNameOf({ attributes }: TreeNode): string | null {
  const isCertain = ['cte_name: ', 'union_mode: '].every(
    (key) => attributes.split(key).length <= 2,
  );
  const found = /cte_name: (\w+)(?:, union_mode: \w+)?$/.exec(attributes);
  return isCertain ? (found?.[1] ?? null) : null;
}
