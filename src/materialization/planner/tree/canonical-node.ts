/**
 * The engine's query tree in comparable form: without ids, and without the names the query gives to expressions and
 * tables.
 */

export interface Node {
  /** `COLUMN`, `FUNCTION`, `QUERY` … as in the tree, or `part` for a named part of a node. */
  readonly kind: string;
  /** Set for columns, functions and parts. */
  readonly name: string;
  /** Further identity: a column's source, a constant's value. */
  readonly detail: string;
  /** Result type; empty if the tree does not state it. Not part of the key, since it follows from the rest. */
  readonly type: string;
  readonly args: readonly Node[];
  /** Equal for equal expressions, and only for them. */
  readonly key: string;
}

export function toNode(fields: Omit<Node, 'key'>): Node {
  const head = JSON.stringify([fields.kind, fields.name, fields.detail]);
  return { ...fields, key: `${head}(${fields.args.map(({ key }) => key).join()})` };
}

export function partNode(name: string, args: readonly Node[], detail = ''): Node {
  return toNode({ kind: 'part', name, detail, type: '', args });
}

export function partOf(node: Node, part: string): readonly Node[] {
  return node.args.find(({ kind, name }) => kind === 'part' && name === part)?.args ?? [];
}

export function hasPart(node: Node, part: string): boolean {
  return node.args.some(({ kind, name }) => kind === 'part' && name === part);
}

/** Replaces the contents of a part; removes the part if they are empty. */
export function withPart(node: Node, part: string, args: readonly Node[]): Node {
  const others = node.args.filter(({ kind, name }) => kind !== 'part' || name !== part);
  const parts = args.length === 0 ? others : [...others, partNode(part, args)];
  return toNode({ ...node, args: parts.sort((a, b) => (a.name < b.name ? -1 : 1)) });
}

/** The node and its descendants, in pre-order. `enters` decides whether to visit a node's descendants. */
export function* walk(node: Node, enters: (inner: Node) => boolean = () => true): Generator<Node> {
  // Generators within generators would pass each node on through all levels above it.
  const open = [node];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    yield next;
    if (!enters(next)) continue;
    for (let at = next.args.length - 1; at >= 0; at -= 1) {
      const arg = next.args[at];
      if (arg !== undefined) open.push(arg);
    }
  }
}

export function replaceNodes(node: Node, replace: (node: Node) => Node | null): Node {
  const own = replace(node);
  if (own !== null) return own;
  const args = node.args.map((arg) => replaceNodes(arg, replace));
  return args.every((arg, at) => arg === node.args[at]) ? node : toNode({ ...node, args });
}
