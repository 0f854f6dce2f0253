/** Whether a read over pieces gives the same result as its query. */
import { isLookup } from '../../../sql/lookup-functions.ts';
import { readQueryTree, type TreeNode } from '../../../sql/query-tree.ts';
import { refuseLookup } from '../lookups.ts';
import type { AggregateNames } from '../text/aggregates.ts';
import { conjunctsOf } from './canonical-functions.ts';
import { type Node, partNode, toNode } from './canonical-node.ts';
import { canonicalize } from './canonicalize.ts';
import { inlinePieces } from './inline-pieces.ts';
import { withoutUnused } from './unused-columns.ts';

export interface ComparedPiece {
  readonly name: string;
  readonly kind: string;
  /** Tree of its stored query alone. */
  readonly lines: readonly string[];
}

export interface ComparedRead {
  /** Tree of the query. */
  readonly original: TreeNode;
  /** Tree of the read, with each piece as a CTE of its name. */
  readonly lines: readonly string[];
  readonly pieces: readonly ComparedPiece[];
  /** As for `canonicalize`. */
  readonly hasSubcolumns: boolean;
}

/** Null if the read, with stored queries inlined, is the query; otherwise what differs. */
export function findPieceDifference(
  { original, lines, pieces, hasSubcolumns }: ComparedRead,
  names: AggregateNames,
): string | null {
  const root = readQueryTree(lines)?.[0];
  if (root === undefined) return 'the text';
  const kinds = new Map(pieces.map(({ name, kind }) => [name, kind]));
  const read = inlinePieces(root, (name) => kinds.get(name) ?? '');
  if (read === null) return 'what is stored';
  const [composed, asked] = [read.root, original].map((tree) =>
    keyOf(canonicalize(withoutUnused(tree), names, { hasSubcolumns })),
  );
  if (composed !== asked) return 'the names';
  for (const { name, query } of read.pieces) {
    const alone = readQueryTree(pieces.find((piece) => piece.name === name)?.lines ?? [])?.[0];
    if (alone === undefined) return 'the text';
    if (canonicalize(alone, names).key !== canonicalize(query, names).key) return 'a name';
  }
  return readsElsewhere(
    root,
    read.pieces.map(({ query }) => query),
  );
}

/** Compares queries regardless of their result column names. */
function keyOf(query: Node): string {
  return comparable(withoutResultNames(query)).key;
}

function withoutResultNames(query: Node): Node {
  const args = query.args.filter(({ name }) => name !== 'PROJECTION COLUMNS');
  return toNode({ ...query, args });
}

/** Treats the predicates of every WHERE and HAVING as a set. The names of a UNION are those of its first SELECT. */
function comparable(node: Node): Node {
  const isUnion = node.kind === 'part' && node.name === 'QUERIES';
  const args = node.args.map((arg, at) =>
    comparable(isUnion && at > 0 ? withoutResultNames(arg) : arg),
  );
  const isCondition = node.kind === 'part' && /^(WHERE|HAVING)$/.test(node.name);
  if (!isCondition) return toNode({ ...node, args });
  const unique = new Map(conjunctsOf(args).map((each) => [each.key, each]));
  return partNode(
    node.name,
    [...unique.values()].toSorted((a, b) => (a.key < b.key ? -1 : 1)),
  );
}

/** The source of a SELECT without FROM. */
const ONE_ROW = /table_name: system\.one(,|$)/;
const GENERATOR =
  /table_function_name: (numbers|numbers_mt|zeros|zeros_mt|generate_series|generateSeries|values|null)(,|$)/;

/** What a read uses outside its pieces; null if nothing. */
function readsElsewhere(root: TreeNode, pieces: readonly TreeNode[]): string | null {
  const inside = new Set(pieces);
  const visit = (node: TreeNode): string | null => {
    if (inside.has(node)) return null;
    if (node.kind === 'TABLE' && !ONE_ROW.test(node.attributes)) return 'a table';
    if (node.kind === 'TABLE_FUNCTION' && !GENERATOR.test(node.attributes))
      return 'a table function';
    const name = /function_name: ([^,]*)/.exec(node.attributes)?.[1] ?? '';
    if (node.kind === 'FUNCTION' && isLookup(name)) refuseLookup(name);
    for (const child of node.children) {
      const found = visit(child);
      if (found !== null) return found;
    }
    return null;
  };
  return visit(root);
}
