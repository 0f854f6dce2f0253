/** Expressions that are written in several ways and mean the same. */
import type { AggregateNames } from '../text/aggregates.ts';
import { type Node, partNode, partOf, toNode, withPart } from './canonical-node.ts';

const mirrored: ReadonlyMap<string, string> = new Map([
  ['greater', 'less'],
  ['greaterOrEquals', 'lessOrEquals'],
]);
const symmetric = new Set(['equals', 'notEquals']);

/** Comparisons the same way round. */
export function canonicalComparison(node: Node): Node {
  const [left, right, ...others] = partOf(node, 'ARGUMENTS');
  if (left === undefined || right === undefined || others.length > 0) return node;
  const name = mirrored.get(node.name);
  const isTurned = name !== undefined || (symmetric.has(node.name) && left.key > right.key);
  if (!isTurned) return node;
  return withPart({ ...node, name: name ?? node.name }, 'ARGUMENTS', [right, left]);
}

/** The conditions of which all must hold. */
export function conjunctsOf(where: readonly Node[]): readonly Node[] {
  return where.flatMap((node) =>
    node.kind === 'FUNCTION' && node.name === 'and'
      ? conjunctsOf(partOf(node, 'ARGUMENTS'))
      : [node],
  );
}

/** By what parts of an aggregate are put together that are results themselves. */
const mergeableBy: ReadonlyMap<string, readonly string[]> = new Map([
  ['sum', ['count', 'sum', 'countIf', 'sumIf']],
  ['min', ['min']],
  ['max', ['max']],
  ['groupBitAnd', ['groupBitAnd']],
  ['groupBitOr', ['groupBitOr', 'groupBitOrIf']],
  ['groupBitXor', ['groupBitXor', 'groupBitXorIf']],
]);

/** An aggregate under its own name; one that was put together from parts as the aggregate over all of them. */
export function canonicalAggregate(node: Node, names: AggregateNames): Node {
  const call = { ...node, name: canonicalName(node.name, names) };
  const [part, ...others] = partOf(node, 'ARGUMENTS');
  const isOne = part !== undefined && others.length === 0 && isAggregate(part);
  if (isOne && mergeableBy.get(call.name)?.includes(part.name) === true) return part;
  const whole = call.name.replace(/Merge$/, '');
  const sameParams =
    isOne && keysOf(partOf(call, 'PARAMETERS')) === keysOf(partOf(part, 'PARAMETERS'));
  if (sameParams && whole !== call.name && part.name === `${whole}State`) {
    return toNode({ ...part, name: whole, type: node.type });
  }
  return toNode(call);
}

function canonicalName(name: string, names: AggregateNames): string {
  const read = names(name);
  if (read === null) return name;
  const [first, ...others] = read.combinators;
  const isCounting = read.base === 'count' && first === 'Distinct';
  return isCounting ? `uniqExact${others.join('')}` : `${read.base}${read.combinators.join('')}`;
}

export function isAggregate({ kind, detail }: Node): boolean {
  return kind === 'FUNCTION' && /function_type: aggregate/.test(detail);
}

export function isWindow({ kind, detail }: Node): boolean {
  return kind === 'FUNCTION' && /function_type: window/.test(detail);
}

export function keysOf(nodes: readonly Node[]): string {
  return partNode('', nodes).key;
}
