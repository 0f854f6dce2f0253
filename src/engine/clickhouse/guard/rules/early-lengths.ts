/**
 * How long an argument can become, from the tree before names and types are resolved: resolution already evaluates
 * constant expressions and scalar subqueries. Underestimates what it does not know, such as the columns of a table, since
 * the resolved tree is checked as well. Pure.
 */
import {
  argumentsOf,
  numberOf,
  partOf,
  stringOf,
  type TreeNode,
} from '../../../../sql/query-tree.ts';
import {
  functionName,
  mayBeEvaluatedEarly,
  meaningOf,
  queriesInFrom,
  scopeOf,
  type Tree,
} from '../parse/tree-names.ts';
import {
  cuttingFunctions,
  growingFunctions,
  lengthPreservingFunctions,
  repeatedArguments,
} from './arguments.ts';

/** Maximum `n` in `left(x, n)`, and maximum length of a constant argument of a function without its own maximum. */
export const SHORT_BYTES = 10_000;

/** The elements of an array; those of `groupArray(x)` are as long as x. */
export function elementsOf(array: TreeNode): readonly TreeNode[] {
  const isCollected =
    array.kind === 'FUNCTION' && /^(?:group(?:uniq)?array|topk)/.test(functionName(array));
  return isCollected ? argumentsOf(array) : [array];
}

export function isCutting(node: TreeNode): boolean {
  const position = cuttingFunctions.get(functionName(node));
  const length = position === undefined ? undefined : argumentsOf(node)[position];
  return length !== undefined && numberOf(length) <= SHORT_BYTES;
}

/** Maximum estimate that counts as short. A constant of the maximum length is half of it. */
const MAX_LENGTH = 128;
const CONSTANT_LENGTH = 64;
/** Of a column, and of the result of a function that is not known to return long values. */
const COLUMN_LENGTH = 0.25;
/** How often a replacement may be repeated that is not a literal. */
const UNKNOWN_REPEATS = 1000;

interface Estimate {
  readonly tree: Tree;
  /** Maximum length of a constant that counts as short. */
  readonly bytes: number;
  /** 0 while the length of a node is computed: a name may lead back to itself, as `y.p AS p` in two subqueries. */
  readonly known: Map<TreeNode, number>;
}

export function growsEarly(tree: Tree, node: TreeNode, bytes: number): boolean {
  return lengthOf({ tree, bytes, known: new Map() }, node) > MAX_LENGTH;
}

function lengthOf(estimate: Estimate, node: TreeNode): number {
  const known = estimate.known.get(node);
  if (known !== undefined) return known;
  estimate.known.set(node, 0);
  const length = compute(estimate, node);
  estimate.known.set(node, length);
  return length;
}

function compute(estimate: Estimate, node: TreeNode): number {
  switch (node.kind) {
    case 'CONSTANT':
      return (CONSTANT_LENGTH * node.attributes.length) / estimate.bytes;
    case 'FUNCTION':
      return lengthOfCall(estimate, node);
    case 'IDENTIFIER':
      return lengthOfNamed(estimate, node);
    case 'MATCHER':
      return lengthOfColumn(estimate, node);
    default:
      return longest(estimate, node.children);
  }
}

function longest(estimate: Estimate, nodes: readonly TreeNode[]): number {
  return Math.max(0, ...nodes.map((node) => lengthOf(estimate, node)));
}

function lengthOfCall(estimate: Estimate, node: TreeNode): number {
  if (isCutting(node)) return COLUMN_LENGTH;
  const name = functionName(node);
  if (growingFunctions.test(name)) return Number.POSITIVE_INFINITY;
  if (!lengthPreservingFunctions.has(name))
    return Math.max(COLUMN_LENGTH, longest(estimate, node.children));
  const given = argumentsOf(node);
  const total = given.reduce((sum, argument) => sum + lengthOf(estimate, argument), 0);
  const repeated = given[repeatedArguments.get(name) ?? given.length];
  return repeated === undefined ? total : total * repeatsOf(repeated);
}

function repeatsOf(repeated: TreeNode): number {
  if (repeated.kind !== 'CONSTANT') return UNKNOWN_REPEATS;
  return Math.max(1, (stringOf(repeated) ?? '').length);
}

function lengthOfNamed(estimate: Estimate, identifier: TreeNode): number {
  const meaning = meaningOf(estimate.tree, identifier);
  if (meaning.kind === 'argument') return longest(estimate, meaning.given.flatMap(elementsOf));
  if (meaning.kind === 'column') return lengthOfColumn(estimate, identifier);
  const aliased = longest(estimate, meaning.nodes);
  return meaning.isOfSameSelect ? aliased : Math.max(aliased, lengthOfColumn(estimate, identifier));
}

/**
 * The longest column of the subqueries in the FROM around the name, if the engine may evaluate it early; a list of aliases
 * after a subquery, which the tree lacks, may rename any of them.
 */
function lengthOfColumn(estimate: Estimate, name: TreeNode): number {
  const { tree } = estimate;
  const scope = scopeOf(name);
  if (scope === null || !mayBeEvaluatedEarly(tree, name)) return COLUMN_LENGTH;
  const items = queriesInFrom(tree, scope).flatMap((query) => partOf(query, 'PROJECTION'));
  return Math.max(COLUMN_LENGTH, longest(estimate, items));
}
