/** Reverts predicate pull-up in a plan, so that the plan can be compared with the query. */
import { canonicalComparison, conjunctsOf } from './canonical-functions.ts';
import {
  type Node,
  partNode,
  partOf,
  replaceNodes,
  toNode,
  walk,
  withPart,
} from './canonical-node.ts';

/** One line per result column: its name, a space, its type. */
export function resultColumnsOf(query: Node): string {
  return query.args.find(({ name }) => name === 'PROJECTION COLUMNS')?.detail ?? '';
}

/** Cuts names at the first space, which is safe for the planner's own names. */
export function columnNames(query: Node): readonly string[] {
  return resultColumnsOf(query)
    .split('\n')
    .map((line) => line.split(' ')[0] ?? '');
}

const isPulledUp = (name: string) => /^__h\d+$/.test(name);

/** The nested subqueries through which predicates were pulled up. */
export function pulledUpThrough(query: Node): readonly Node[] {
  const [source] = partOf(query, 'JOIN TREE');
  if (source?.kind !== 'QUERY' || !columnNames(source).some(isPulledUp)) return [];
  return [source, ...pulledUpThrough(source)];
}

/** Moves pulled-up predicates back into the WHERE of the subqueries. */
export function pushDown(query: Node, depth = 0): Node {
  const [source, ...others] = partOf(query, 'JOIN TREE');
  if (source?.kind !== 'QUERY' || others.length > 0) return query;
  const names = columnNames(source);
  const projection = partOf(source, 'PROJECTION');
  const pulledUp = new Map(
    projection.flatMap((node, at): [string, Node][] =>
      isPulledUp(names[at] ?? '') ? [[names[at] ?? '', node]] : [],
    ),
  );
  if (pulledUp.size === 0) return query;
  const own: Node[] = [];
  const pushed: Node[] = [];
  for (const condition of conjunctsOf(partOf(query, 'WHERE'))) {
    const written = replaceNodes(condition, ({ kind, detail, name }) =>
      kind === 'COLUMN' && detail === `${depth}.0` ? (pulledUp.get(name) ?? null) : null,
    );
    const moved = written === condition ? condition : withOrderedSides(written);
    const usesOwn = [...walk(moved)].some(
      ({ kind, detail }) => kind === 'COLUMN' && detail.startsWith(`${depth}.`),
    );
    (moved === condition || usesOwn ? own : pushed).push(moved);
  }
  let inner = withPart(source, 'WHERE', [...partOf(source, 'WHERE'), ...pushed]);
  const columns = projection.filter((_node, at) => !isPulledUp(names[at] ?? ''));
  inner = withPart(inner, 'PROJECTION', columns);
  inner = withExtraKeys(inner, [...pulledUp.values()]);
  return withPart(withPart(query, 'WHERE', own), 'JOIN TREE', [pushDown(inner, depth + 1)]);
}

/** Restores the canonical order of comparison sides, which substituting columns may change. */
function withOrderedSides(node: Node): Node {
  const args = node.args.map(withOrderedSides);
  const isSame = args.every((arg, at) => arg === node.args[at]);
  const ordered = isSame ? node : toNode({ ...node, args });
  return node.kind === 'FUNCTION' ? canonicalComparison(ordered) : ordered;
}

/** Replaces the names of pulled-up columns by their expressions, which GROUP BY may also contain. */
function withExtraKeys(query: Node, expressions: readonly Node[]): Node {
  const args = query.args.map((part) => {
    if (part.name !== 'PROJECTION COLUMNS') return part;
    const lines = part.detail.split('\n').filter((line) => !isPulledUp(line.split(' ')[0] ?? ''));
    return partNode(part.name, expressions, lines.join('\n'));
  });
  return toNode({ ...query, args });
}
