/** One canonical form for functions that can be written in several ways. */
import { type AggregateNames, mergeFunctionOf, withoutCountDistinct } from '../text/aggregates.ts';
import { type Node, partNode, partOf, toNode, walk, withPart } from './canonical-node.ts';

const mirrored: ReadonlyMap<string, string> = new Map([
  ['greater', 'less'],
  ['greaterOrEquals', 'lessOrEquals'],
]);
const symmetric = new Set(['equals', 'notEquals']);

/** With sides in a fixed order: `a > b` is `b < a`. */
export function canonicalComparison(node: Node): Node {
  const [left, right, ...others] = partOf(node, 'ARGUMENTS');
  if (left === undefined || right === undefined || others.length > 0) return node;
  const name = mirrored.get(node.name);
  const isTurned = name !== undefined || (symmetric.has(node.name) && left.key > right.key);
  if (!isTurned) return node;
  return withPart({ ...node, name: name ?? node.name }, 'ARGUMENTS', [right, left]);
}

/** The operands of AND, nested ANDs included. */
export function conjunctsOf(where: readonly Node[]): readonly Node[] {
  return where.flatMap((node) =>
    node.kind === 'FUNCTION' && node.name === 'and'
      ? conjunctsOf(partOf(node, 'ARGUMENTS'))
      : [node],
  );
}

/** An aggregate by its canonical name; one that merges stored parts as the aggregate over all their rows. */
export function canonicalAggregate(node: Node, names: AggregateNames): Node {
  const call = { ...node, name: canonicalName(node.name, names) };
  const [part, ...others] = partOf(node, 'ARGUMENTS');
  if (part === undefined || others.length > 0 || !isAggregate(part)) return toNode(call);
  const partName = names(part.name);
  if (partName !== null && mergeFunctionOf(partName) === call.name) return part;
  const merged = call.name.replace(/Merge$/, '');
  const isMerge = merged !== call.name && part.name === `${merged}State`;
  const hasSameParams = keysOf(partOf(call, 'PARAMETERS')) === keysOf(partOf(part, 'PARAMETERS'));
  return isMerge && hasSameParams
    ? toNode({ ...part, name: merged, type: node.type })
    : toNode(call);
}

function canonicalName(name: string, names: AggregateNames): string {
  const parsed = names(name);
  if (parsed === null) return name;
  const { base, combinators } = withoutCountDistinct(parsed);
  return `${base}${combinators.join('')}`;
}

export function isAggregate({ kind, detail }: Node): boolean {
  return kind === 'FUNCTION' && /function_type: aggregate/.test(detail);
}

export function isWindow({ kind, detail }: Node): boolean {
  return kind === 'FUNCTION' && /function_type: window/.test(detail);
}

function keysOf(nodes: readonly Node[]): string {
  return partNode('', nodes).key;
}

/** What a query computes itself: not what it reads from, nor what its subqueries compute. */
export function ownNodes(query: Node): readonly Node[] {
  return query.args
    .filter(({ name }) => name !== 'JOIN TREE')
    .flatMap((part) => [...walk(part, ({ kind }) => kind !== 'QUERY' && kind !== 'UNION')]);
}

/** The aggregates of a query without those of its subqueries. */
export function aggregatesOf(query: Node): readonly Node[] {
  return ownNodes(query).filter(isAggregate);
}

/** Elements of a tuple: the engine groups by it as by each of them. */
export function groupingNodes(node: Node): readonly Node[] {
  if (node.kind !== 'FUNCTION' || node.name !== 'tuple') return [node];
  return partOf(node, 'ARGUMENTS').flatMap(groupingNodes);
}
