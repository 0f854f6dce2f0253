/** Parses the lines of `EXPLAIN AST` into a tree. Pure. */

export interface SyntaxNode {
  /** For example `Function`. */
  readonly kind: string;
  /** The line without its indentation and its number of children. */
  readonly text: string;
  readonly parent: SyntaxNode | null;
  readonly children: readonly SyntaxNode[];
}

interface Growing extends SyntaxNode {
  readonly parent: Growing | null;
  readonly children: Growing[];
  readonly expected: number;
  readonly depth: number;
}

/**
 * Every node, parents first. Null when the lines are not a tree: an indentation skips a level, there is a second root,
 * or the number of children differs from what a line announces.
 */
export function readSyntaxLines(lines: readonly string[]): readonly SyntaxNode[] | null {
  const nodes: Growing[] = [];
  let open: Growing[] = [];
  for (const line of lines) {
    const depth = line.length - line.trimStart().length;
    if (depth > open.length || (depth === 0 && nodes.length > 0)) return null;
    const parent = depth === 0 ? null : (open[depth - 1] ?? null);
    const node = toNode(line.slice(depth), depth, parent);
    parent?.children.push(node);
    open = [...open.slice(0, depth), node];
    nodes.push(node);
  }
  const isWhole = nodes.every((node) => node.children.length === node.expected);
  return isWhole && nodes.length > 0 ? nodes : null;
}

function toNode(line: string, depth: number, parent: Growing | null): Growing {
  const counted = / \(children (\d+)\)$/.exec(line);
  const text = counted === null ? line : line.slice(0, counted.index);
  const kind = /^[\w:]+/.exec(text)?.[0] ?? '';
  return { kind, text, parent, children: [], expected: Number(counted?.[1] ?? 0), depth };
}
