/** What a name of the query tree may stand for before the engine has resolved it. Pure. */
import { argumentsOf, attributeOf, partOf, type TreeNode } from '../../../../sql/query-tree.ts';

export interface Tree {
  /** The first node of each id. */
  readonly byId: ReadonlyMap<number, TreeNode>;
  readonly byAlias: ReadonlyMap<string, readonly TreeNode[]>;
  /** Calls by the name as it is written. */
  readonly calls: ReadonlyMap<string, readonly TreeNode[]>;
}

export function toTree(nodes: readonly TreeNode[]): Tree {
  const byId = new Map<number, TreeNode>();
  const byAlias = new Map<string, TreeNode[]>();
  const calls = new Map<string, TreeNode[]>();
  for (const node of nodes) {
    if (node.id !== null && !byId.has(node.id)) byId.set(node.id, node);
    add(byAlias, attributeOf(node, 'alias'), node);
    if (node.kind === 'FUNCTION') add(calls, attributeOf(node, 'function_name'), node);
  }
  return { byId, byAlias, calls };
}

function add(map: Map<string, TreeNode[]>, key: string, node: TreeNode): void {
  if (key === '') return;
  const known = map.get(key);
  if (known === undefined) map.set(key, [node]);
  else known.push(node);
}

export type Meaning =
  /** An argument of a lambda: what its calls give to any of them. */
  | { readonly kind: 'argument'; readonly given: readonly TreeNode[] }
  /** What has that name as its alias, anywhere. */
  | { readonly kind: 'alias'; readonly nodes: readonly TreeNode[] }
  /** Anything else: a column, of the given subqueries where there are any. */
  | { readonly kind: 'column'; readonly sources: readonly TreeNode[] };

export function meaningOf(tree: Tree, identifier: TreeNode): Meaning {
  const written = attributeOf(identifier, 'identifier');
  const parts = written.split('.');
  const [first = '', last = ''] = [parts[0], parts.at(-1)];
  const lambda = [first, written, last]
    .map((name) => lambdaOf(identifier, name))
    .find((found) => found !== null);
  if (lambda !== undefined) return { kind: 'argument', given: givenTo(tree, lambda) };
  // `a.b` is an alias with a dot in it, an element of what `a` stands for, or `b` of the table `a`.
  const ofFirst = (tree.byAlias.get(first) ?? []).filter((node) => !standsInFrom(node));
  const named = [written, last].flatMap((name) => tree.byAlias.get(name) ?? []);
  const nodes = [...new Set([...ofFirst, ...named])].filter(
    (node) => node !== identifier && !isWithin(identifier, node),
  );
  if (nodes.length > 0) return { kind: 'alias', nodes };
  const scope = scopeOf(identifier);
  return { kind: 'column', sources: scope === null ? [] : subqueriesOf(scope) };
}

/** The innermost lambda around it that has an argument of the name. */
function lambdaOf(identifier: TreeNode, name: string): TreeNode | null {
  for (let at = identifier.parent; at !== null; at = at.parent) {
    const isOwn = partOf(at, 'ARGUMENTS').some((own) => attributeOf(own, 'identifier') === name);
    if (at.kind === 'LAMBDA' && isOwn) return at;
  }
  return null;
}

/** Of a lambda with a name, the arguments of its calls; else those beside it. */
function givenTo(tree: Tree, lambda: TreeNode): readonly TreeNode[] {
  const name = attributeOf(lambda, 'alias');
  if (name !== '') return (tree.calls.get(name) ?? []).flatMap(argumentsOf);
  const taker = lambda.parent?.parent?.parent;
  const beside = taker === undefined || taker === null ? [] : argumentsOf(taker);
  return beside.filter((node) => node !== lambda);
}

function isWithin(node: TreeNode, outer: TreeNode): boolean {
  for (let at = node.parent; at !== null; at = at.parent) if (at === outer) return true;
  return false;
}

/** The SELECT that it stands in. */
export function scopeOf(node: TreeNode): TreeNode | null {
  for (let at = node.parent; at !== null; at = at.parent) if (at.kind === 'QUERY') return at;
  return null;
}

/** The SELECTs that a SELECT reads, themselves and not those within. */
function subqueriesOf(query: TreeNode): readonly TreeNode[] {
  const found: TreeNode[] = [];
  const look = (node: TreeNode) => {
    if (node.kind === 'QUERY') found.push(node);
    else for (const child of node.children) look(child);
  };
  for (const child of query.children) if (child.kind === 'JOIN TREE') look(child);
  return found;
}

const ofFrom =
  /^(?:QUERY|UNION|LIST|QUERIES|JOIN|CROSS JOIN|ARRAY_JOIN|JOIN TREE|(?:LEFT |RIGHT )?TABLE EXPRESSION)$/;

/** Whether it is a table of a FROM. */
function standsInFrom(node: TreeNode): boolean {
  let at = node.parent;
  while (at !== null && at.kind !== 'JOIN TREE' && ofFrom.test(at.kind)) at = at.parent;
  return at?.kind === 'JOIN TREE';
}

/** Whether a SELECT around it is a value of another one, which the engine may evaluate while it resolves the text. */
export function isInValue(node: TreeNode): boolean {
  for (let query = scopeOf(node); query !== null; query = scopeOf(query)) {
    for (let at = query.parent; at !== null && at.kind !== 'QUERY'; at = at.parent) {
      if (!ofFrom.test(at.kind)) return true;
    }
  }
  return false;
}
