import type { Node } from './canonical-node.ts';

export interface PlacedQuery {
  readonly query: Node;
  /** Number of enclosing queries. */
  readonly depth: number;
}

/** The node, if it is a query, and the queries within it, each before those that it encloses. */
export function placedQueries(node: Node, depth = 0): readonly PlacedQuery[] {
  const isQuery = node.kind === 'QUERY';
  const inner = node.args.flatMap((arg) => placedQueries(arg, isQuery ? depth + 1 : depth));
  return isQuery ? [{ query: node, depth }, ...inner] : inner;
}
