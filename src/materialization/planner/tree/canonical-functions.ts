/** Canonical forms of functions that can be written in several ways. */
import { type AggregateNames, mergeFunctionOf, withoutCountDistinct } from '../text/aggregates.ts';
import { type Node, partNode, partOf, toNode, walk, withPart } from './canonical-node.ts';

const mirrored: ReadonlyMap<string, string> = new Map([
  ['greater', 'less'],
  ['greaterOrEquals', 'lessOrEquals'],
]);
const symmetric = new Set(['equals', 'notEquals']);

/** Puts the sides in a fixed order: `a > b` becomes `b < a`. */
export function canonicalComparison(node: Node): Node {
  const [left, right, ...others] = partOf(node, 'ARGUMENTS');
  if (left === undefined || right === undefined || others.length > 0) return node;
  const name = mirrored.get(node.name);
  const isTurned = name !== undefined || (symmetric.has(node.name) && left.key > right.key);
  if (!isTurned) return node;
  return withPart({ ...node, name: name ?? node.name }, 'ARGUMENTS', [right, left]);
}

export function isArrayJoin({ kind, name }: Node): boolean {
  return kind === 'FUNCTION' && /^(arrayJoin|unnest)$/i.test(name);
}

/** The operands of AND, including nested ANDs. */
export function conjunctsOf(where: readonly Node[]): readonly Node[] {
  return where.flatMap((node) =>
    node.kind === 'FUNCTION' && node.name === 'and'
      ? conjunctsOf(partOf(node, 'ARGUMENTS'))
      : [node],
  );
}

/** An aggregate under its canonical name; a merge of partial results becomes the aggregate over all their rows. */
export function canonicalAggregate(node: Node, names: AggregateNames): Node {
  const call = { ...node, name: canonicalName(node.name, names) };
  const [part, condition, ...others] = partOf(node, 'ARGUMENTS');
  if (isWindow(node) || part === undefined || others.length > 0) return toNode(call);
  if (!isAggregate(part)) return condition === undefined ? withCondition(call) : toNode(call);
  const isOf = condition === undefined ? call.name : call.name.replace(/If$/, '');
  if (condition !== undefined && isOf === call.name) return toNode(call);
  const whole = mergedPart({ ...call, name: isOf }, part, names);
  if (whole === null || condition === undefined) return whole ?? toNode(call);
  // The condition is the same for all rows of a partial result, which is grouped by the condition's columns.
  const args = [...partOf(whole, 'ARGUMENTS'), condition];
  const name = canonicalName(`${whole.name}If`, names);
  return withArguments({ ...whole, name, type: node.type }, args);
}

/** The aggregate over the rows of all partial results; null if the call does not merge them. */
function mergedPart(call: Omit<Node, 'key'>, part: Node, names: AggregateNames): Node | null {
  const partName = names(part.name);
  if (partName !== null && mergeFunctionOf(partName) === call.name) {
    return toNode({ ...part, type: call.type });
  }
  const merged = call.name.replace(/Merge$/, '');
  const isMerge = merged !== call.name && part.name === `${merged}State`;
  const whole = toNode(call);
  const hasSameParams = keysOf(partOf(whole, 'PARAMETERS')) === keysOf(partOf(part, 'PARAMETERS'));
  return isMerge && hasSameParams ? toNode({ ...part, name: merged, type: call.type }) : null;
}

/** `sum(if(condition, x, 0))` as `sumIf(x, condition)`, which is equivalent if x is not NULL. */
function withCondition(call: Omit<Node, 'key'>): Node {
  const node = toNode(call);
  const [chosen] = partOf(node, 'ARGUMENTS');
  const isChoice = chosen?.kind === 'FUNCTION' && /^(if|multiIf)$/.test(chosen.name);
  if (call.name !== 'sum' || chosen === undefined || !isChoice) return node;
  const [condition, value, other, ...more] = partOf(chosen, 'ARGUMENTS');
  const isZero = other?.kind === 'CONSTANT' && other.detail.startsWith('constant_value: UInt64_0,');
  if (condition === undefined || value === undefined || !isZero || more.length > 0) return node;
  if (!/^(U?Int|Float|Decimal)/.test(value.type)) return node;
  return withArguments({ ...node, name: 'sumIf' }, [value, condition]);
}

function withArguments(call: Omit<Node, 'key'>, args: readonly Node[]): Node {
  // count() has no such part.
  const others = call.args.filter(({ name }) => name !== 'ARGUMENTS');
  return toNode({ ...call, args: [...others, partNode('ARGUMENTS', args)] });
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

/**
 * The nodes a query computes itself, without its sources and subqueries.
 *
 * @param closed the keys of nodes that are not looked into.
 */
export function ownNodes(query: Node, closed: ReadonlySet<string> = new Set()): readonly Node[] {
  const isOpen = ({ kind, key }: Node) => kind !== 'QUERY' && kind !== 'UNION' && !closed.has(key);
  return query.args
    .filter(({ name }) => name !== 'JOIN TREE')
    .flatMap((part) => [...walk(part, isOpen)]);
}

/** The aggregates of a query, without those of its subqueries. */
export function aggregatesOf(query: Node): readonly Node[] {
  return ownNodes(query).filter(isAggregate);
}

/** The elements of a tuple or grouping set; the engine groups by a tuple as by its elements. */
export function groupingNodes(node: Node): readonly Node[] {
  if (node.kind === 'LIST') return node.args.flatMap(groupingNodes);
  if (node.kind !== 'FUNCTION' || node.name !== 'tuple') return [node];
  return partOf(node, 'ARGUMENTS').flatMap(groupingNodes);
}
