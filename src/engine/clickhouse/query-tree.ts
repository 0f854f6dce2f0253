/** The lines of `EXPLAIN QUERY TREE` as the tree that they draw. Pure. */

export interface TreeNode {
  /** The line without its indentation: a node, as `QUERY id: 0, …`, or a part of one, as `JOIN TREE`. */
  readonly text: string;
  readonly parent: TreeNode | null;
  readonly children: readonly TreeNode[];
}

interface Growing extends TreeNode {
  readonly children: Growing[];
}

/** Every line, its parent before it. */
export function readQueryTree(lines: readonly string[]): readonly TreeNode[] {
  const open: Growing[] = [];
  return lines.map((line) => {
    const text = line.trimStart();
    const depth = Math.min(Math.floor((line.length - text.length) / 2), open.length);
    const parent = open[depth - 1] ?? null;
    const node: Growing = { text, parent, children: [] };
    parent?.children.push(node);
    open.length = depth;
    open.push(node);
    return node;
  });
}

/** `QUERY`, `FUNCTION`, `JOIN TREE`: what the line begins with. */
export function kindOf({ text }: TreeNode): string {
  return /^[A-Z_ ]+?(?= id:|$)/.exec(text)?.[0] ?? '';
}

export function isQuery(node: TreeNode): boolean {
  return kindOf(node) === 'QUERY';
}

/** The part of that name: a query's GROUP BY, a function's ARGUMENTS. */
export function partOf(node: TreeNode, name: string): TreeNode | undefined {
  return node.children.find((child) => child.text === name);
}
