/**
 * How long an argument can become, from the tree before names and types are resolved: resolution already evaluates
 * constant expressions and scalar subqueries. Underestimates what it does not know, such as the columns of a table, since
 * the resolved tree is checked as well. Pure.
 */
import {
  argumentsOf,
  attributeOf,
  numberOf,
  partOf,
  stringOf,
  type TreeNode,
} from '../../../../sql/query-tree.ts';
import type { LexedText } from '../parse/lexed-text.ts';
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

/** Nodes within each other, with those that names refer to. */
const MAX_DEPTH = 200;

interface Estimate {
  readonly tree: Tree;
  readonly bytes: number;
  readonly lexed: LexedText;
  /** 0 while the length of a node is computed: a name may lead back to itself, as `y.p AS p` in two subqueries. */
  readonly known: Map<TreeNode, number>;
  depth: number;
}

export interface EarlyText {
  readonly tree: Tree;
  readonly lexed: LexedText;
  /** Maximum length of a constant that counts as short. */
  readonly bytes: number;
}

export function growsEarly(node: TreeNode, { tree, lexed, bytes }: EarlyText): boolean {
  return lengthOf({ tree, lexed, bytes, known: new Map(), depth: 0 }, node) > MAX_LENGTH;
}

function lengthOf(estimate: Estimate, node: TreeNode): number {
  const known = estimate.known.get(node);
  if (known !== undefined) return known;
  if (estimate.depth > MAX_DEPTH) return Number.POSITIVE_INFINITY;
  estimate.known.set(node, 0);
  estimate.depth += 1;
  const length = compute(estimate, node);
  estimate.depth -= 1;
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
      return lengthOfMatched(estimate, node, null);
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
  const given = argumentsOf(node);
  const total = () => given.reduce((sum, argument) => sum + lengthOf(estimate, argument), 0);
  if (name === 'format') return total() * placesOf(given[0]);
  if (!lengthPreservingFunctions.has(name))
    return Math.max(COLUMN_LENGTH, longest(estimate, node.children));
  const repeated = given[repeatedArguments.get(name) ?? given.length];
  return repeated === undefined ? total() : total() * repeatsOf(repeated);
}

/** How many arguments `format` puts in at most: `{0}` may be written many times. */
function placesOf(pattern: TreeNode | undefined): number {
  if (pattern?.kind !== 'CONSTANT') return UNKNOWN_REPEATS;
  return Math.max(1, (stringOf(pattern) ?? '').split('{').length - 1);
}

function repeatsOf(repeated: TreeNode): number {
  if (repeated.kind !== 'CONSTANT') return UNKNOWN_REPEATS;
  return Math.max(1, (stringOf(repeated) ?? '').length);
}

function lengthOfNamed(estimate: Estimate, identifier: TreeNode): number {
  const meaning = meaningOf(estimate.tree, identifier);
  if (meaning.kind === 'argument') return longest(estimate, meaning.given.flatMap(elementsOf));
  const name = lastPart(identifier);
  if (meaning.kind === 'column') return lengthOfColumn(estimate, identifier, name);
  const aliased = longest(estimate, meaning.nodes);
  if (meaning.isOfSameSelect) return aliased;
  return Math.max(aliased, lengthOfColumn(estimate, identifier, name));
}

/**
 * The column of the subqueries in the FROM around a node, if the engine may evaluate it early.
 *
 * @param name null for the longest of all.
 */
function lengthOfColumn(estimate: Estimate, node: TreeNode, name: string | null): number {
  const { tree } = estimate;
  const scope = scopeOf(node);
  if (scope === null || !mayBeEvaluatedEarly(tree, node)) return COLUMN_LENGTH;
  const lengths = queriesInFrom(tree, scope).map((query) => lengthOfItem(estimate, query, name));
  return Math.max(COLUMN_LENGTH, ...lengths);
}

function lengthOfItem(estimate: Estimate, query: TreeNode, name: string | null): number {
  const items = partOf(query, 'PROJECTION');
  // With a list of aliases, which the tree lacks, any column may have any name.
  if (name === null || hasAliasList(estimate.lexed)) return longest(estimate, items);
  const named = items.filter((item) => isNamed(item, name));
  if (named.length > 0) return longest(estimate, named);
  // The names of a UNION are those of its first SELECT.
  if (isOfUnion(query)) return longest(estimate, items);
  const matchers = items.filter(({ kind }) => kind === 'MATCHER');
  return Math.max(0, ...matchers.map((matcher) => lengthOfMatched(estimate, matcher, name)));
}

/** What `*` or `COLUMNS(…)` brings under a name, with what APPLY and REPLACE make of it. */
function lengthOfMatched(estimate: Estimate, matcher: TreeNode, name: string | null): number {
  return Math.max(longest(estimate, matcher.children), lengthOfColumn(estimate, matcher, name));
}

/** By its alias, or as a column that keeps its name. */
function isNamed(item: TreeNode, name: string): boolean {
  const alias = attributeOf(item, 'alias');
  return alias === '' ? lastPart(item) === name : alias === name;
}

function lastPart(identifier: TreeNode): string {
  return attributeOf(identifier, 'identifier').split('.').at(-1) ?? '';
}

function isOfUnion(query: TreeNode): boolean {
  return query.parent?.parent?.kind === 'QUERIES';
}

/** `(SELECT …) AS q(a, b)`, with or without AS, or `WITH q(a, b) AS (SELECT …)`. */
function hasAliasList({ sql, tokens }: LexedText): boolean {
  const textAt = (at: number) => sql.slice(tokens[at]?.start, tokens[at]?.end);
  return tokens.some((_token, at) => {
    if (at < 2 || textAt(at) !== '(') return false;
    const isAs = /^as$/i.test(textAt(at - 1));
    if (isAs) return textAt(at - 2) === ')';
    if (!/^[\w`"]/.test(textAt(at - 1)) || NO_ALIAS.test(textAt(at - 1))) return false;
    return textAt(/^as$/i.test(textAt(at - 2)) ? at - 3 : at - 2) === ')';
  });
}

/** Keywords before a parenthesis, and types with arguments, which follow AS in a CAST. */
const NO_ALIAS =
  /^(?:and|or|xor|not|in|is|like|ilike|between|div|mod|over|filter|using|on|where|prewhere|having|qualify|by|select|then|else|when|case|union|all|distinct|intersect|except|replace|apply|from|join|limit|offset|to|step|interpolate|array|nullable|lowcardinality|map|tuple|decimal\w*|datetime\w*|fixedstring|enum\w*|nested|variant|dynamic|json|time64)$/i;
