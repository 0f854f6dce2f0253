/**
 * Functions that look at no limit while they work on one row: what they are given has to be short, as the query itself shows.
 * A text or an array is short when it stands in the query, is the value of a variable (which is checked at each run), is a
 * column of a table, or is made of these by functions that make nothing much longer. Pure.
 */
import { unquote } from '../../../../sql/clickhouse-type.ts';
import {
  argumentsOf,
  attributeOf,
  numberOf,
  partOf,
  stringOf,
  type TreeNode,
} from '../../../../sql/query-tree.ts';
import { type LexedText, placeOfName } from '../3-tokens.ts';
import { isInValue, meaningOf, type Tree } from '../parse/tree-names.ts';
import {
  cuttingFunctions,
  growingFunctions,
  keepingFunctions,
  memberFunctions,
  plainSearches,
  productFunctions,
  repeatedArguments,
  seriesFunctions,
  shortFunctions,
} from './arguments.ts';

/** Of what `left(x, n)` leaves, and of a constant given to a function that has no limit of its own. */
const SHORT_BYTES = 10_000;
/** Elements of an array that a function may be given whole. */
const SERIES_LENGTH = 1_000_000;
/** Functions around one another; more could double a text too often. */
const MAX_DEPTH = 12;

interface Sized extends Tree {
  /** Of a constant that counts as short. */
  readonly bytes: number;
  /** What may still be put together: `concat(x, x, …)` in subqueries around one another makes something long of anything. */
  readonly budget: { left: number };
}

/** In parts of a constant of the most bytes; a column of a table counts as some of them. */
const BUDGET = 128;
const COLUMN_COST = 4;
const CONSTANT_COST = 64;

function spend({ budget }: Sized, cost: number): boolean {
  budget.left -= cost;
  return budget.left >= 0;
}

function sized(tree: Tree, bytes: number): Sized {
  return { ...tree, bytes, budget: { left: BUDGET } };
}

/**
 * @param node of the resolved tree.
 * @returns a sentence for the author, or null when nothing is wrong.
 */
export function refusalOfCost(node: TreeNode, tree: Tree, lexed: LexedText): string | null {
  return refusalBy(node, lexed, (argument, bytes) => isShortIn(sized(tree, bytes), argument, 0));
}

/**
 * The same before anything is resolved, for what the engine evaluates while it resolves: only what is sure to become long
 * counts, whatever its names stand for.
 */
export function refusalOfEarlyCost(node: TreeNode, tree: Tree, lexed: LexedText): string | null {
  return refusalBy(node, lexed, (argument, bytes) => !grows(sized(tree, bytes), argument, 0));
}

type IsShort = (argument: TreeNode, bytes: number) => boolean;

function refusalBy(node: TreeNode, lexed: LexedText, isShort: IsShort): string | null {
  if (node.kind !== 'FUNCTION') return null;
  const written = attributeOf(node, 'function_name');
  const name = written.toLowerCase();
  if (plainSearches.has(name) && argumentsOf(node).slice(0, 2).some(isTinyLiteral(lexed)))
    return null;
  const what = isLongMembership(node, name, isShort)
    ? `its array, or the one that its lambda goes through, has to be ${SHORT}`
    : wantedOf(name, argumentsOf(node), isShort);
  if (what === null) return null;
  return `The function ${written}${placeOfName(lexed, written)} is not accepted like this, since the engine cannot stop it: ${what}.`;
}

/** `arrayFilter(x -> has(a, x), b)` compares each with each while the engine looks at no limit. */
function isLongMembership(node: TreeNode, name: string, isShort: IsShort): boolean {
  const [array] = argumentsOf(node);
  if (!memberFunctions.has(name) || array === undefined) return false;
  let lambda = node.parent;
  while (lambda !== null && lambda.kind !== 'LAMBDA') lambda = lambda.parent;
  if (lambda === null || isShort(array, SHORT_BYTES)) return false;
  const around = argumentsOf(callOf(lambda)).filter((argument) => argument !== lambda);
  return around.length === 0 || !around.every((given) => isShort(given, SHORT_BYTES));
}

/** Of a literal that may be looked for in a text of any length. */
const TINY_BYTES = 64;

/** A value of a variable is another one in each run, so a literal is what stands in the text itself. */
function isTinyLiteral({ sql, tokens }: LexedText): (argument: TreeNode) => boolean {
  return (argument) => {
    const text = stringOf(argument);
    if (text === null || Buffer.byteLength(text) > TINY_BYTES) return false;
    if (argument.children.length > 0 || argument.attributes.startsWith('alias: {')) return false;
    return tokens.some(
      ({ kind, start, end }) => kind === 'text' && unquote(sql.slice(start, end)) === text,
    );
  };
}

function wantedOf(name: string, given: readonly TreeNode[], isShort: IsShort): string | null {
  const product = productFunctions.get(name);
  if (product !== undefined) {
    const compared = product.positions.flatMap((position) => given[position] ?? []);
    const short = compared.filter((argument) => isShort(argument, product.bytes));
    const isEnough = product.short === 'one' ? short.length > 0 : short.length === compared.length;
    if (isEnough || compared.length < 2) return null;
    return product.short === 'one'
      ? `one of its arguments has to be ${SHORT}`
      : `its arguments have to be ${SHORT}`;
  }
  if (shortFunctions.has(name)) {
    const isFit = given.every((argument) => isShort(argument, SHORT_BYTES));
    return isFit ? null : `its arguments have to be ${SHORT}`;
  }
  const series = seriesFunctions.has(name) ? given[0] : undefined;
  if (series === undefined || isShort(series, SHORT_BYTES) || isCut(series)) return null;
  return `limit its array, as groupArray(${SERIES_LENGTH})(x) does`;
}

/** Whether the text below the node, or below what its names may stand for, makes something long. */
function grows(tree: Sized, node: TreeNode, depth: number): boolean {
  if (depth > 3 * MAX_DEPTH) return true;
  if (node.kind === 'CONSTANT') return node.attributes.length > 2 * tree.bytes;
  if (node.kind === 'FUNCTION') {
    const name = attributeOf(node, 'function_name').toLowerCase();
    if (isCutting(node)) return false;
    if (growingFunctions.test(name)) return true;
  }
  if (node.kind === 'IDENTIFIER') return mayGrow(tree, node, depth + 1);
  return node.children.some((child) => grows(tree, child, depth + 1));
}

/** A column may be one that a subquery makes; only what is evaluated early is looked at so closely. */
function mayGrow(tree: Sized, identifier: TreeNode, depth: number): boolean {
  const meaning = meaningOf(tree, identifier);
  if (meaning.kind === 'argument')
    return meaning.given.flatMap(elementsOf).some((given) => grows(tree, given, depth));
  if (meaning.kind === 'alias') return meaning.nodes.some((node) => grows(tree, node, depth));
  if (!isInValue(identifier)) return false;
  return meaning.sources.some((query) =>
    partOf(query, 'PROJECTION').some((item) => grows(tree, item, depth)),
  );
}

const SHORT =
  'short: a literal, a variable, a column of a table, or made of these by simple functions, as left(x, 1000)';

function isShortIn(tree: Sized, node: TreeNode, depth: number): boolean {
  if (depth > MAX_DEPTH || tree.budget.left < 0) return false;
  switch (node.kind) {
    case 'CONSTANT':
      // The dump escapes some characters and names the type.
      return (
        node.attributes.length <= 1.2 * tree.bytes + 200 &&
        spend(
          tree,
          1 + Math.floor((CONSTANT_COST * node.attributes.length) / (1.2 * tree.bytes + 200)),
        )
      );
    case 'COLUMN':
      return isShortColumn(tree, node, depth + 1);
    case 'FUNCTION':
      return isShortResult(tree, node, depth + 1);
    case 'QUERY':
      return partOf(node, 'PROJECTION').every((item) => isShortIn(tree, item, depth + 1));
    default:
      return false;
  }
}

/** Numbers, times and the like have no length. */
const PLAIN =
  /^(?:(?:Nullable|LowCardinality)\()*(?:U?Int\d+|B?Float\d+|Decimal|Bool|Date|DateTime|Time|Enum|UUID|IPv|Interval|FixedString)/;

/** A type or a name of the author's may hold the words before the type: each time they have to be followed by a plain one. */
function isPlain({ attributes }: TreeNode): boolean {
  const [, ...types] = attributes.split('result_type: ');
  return types.length > 0 && types.every((type) => PLAIN.test(type));
}

const REPEATED_LENGTH = 16;
const REPEATED_COST = 40;

function repeatsLittle(tree: Sized, name: string, given: readonly TreeNode[]): boolean {
  const repeated = given[repeatedArguments.get(name) ?? given.length];
  if (repeated === undefined) return true;
  const text = stringOf(repeated);
  if (text === null || text.length > REPEATED_LENGTH) return false;
  return text.length <= 1 || spend(tree, REPEATED_COST);
}

/** `groupArray(x)` is long; what it has in it is as long as x. */
function elementsOf(array: TreeNode): readonly TreeNode[] {
  const name = attributeOf(array, 'function_name');
  const isCollected = array.kind === 'FUNCTION' && /^(?:group(?:uniq)?array|topk)/i.test(name);
  return isCollected ? argumentsOf(array) : [array];
}

function isCutting(node: TreeNode): boolean {
  const position = cuttingFunctions.get(attributeOf(node, 'function_name').toLowerCase());
  const length = position === undefined ? undefined : argumentsOf(node)[position];
  return length !== undefined && numberOf(length) <= SHORT_BYTES;
}

function isShortResult(tree: Sized, node: TreeNode, depth: number): boolean {
  if (isPlain(node)) return true;
  const name = attributeOf(node, 'function_name').toLowerCase();
  const given = argumentsOf(node);
  if (isCutting(node)) return true;
  if (!repeatsLittle(tree, name, given)) return false;
  return (
    keepingFunctions.has(name) && given.every((argument) => isShortArgument(tree, argument, depth))
  );
}

/** A lambda is as short as what it makes of each element. */
function isShortArgument(tree: Sized, argument: TreeNode, depth: number): boolean {
  if (argument.kind !== 'LAMBDA') return isShortIn(tree, argument, depth);
  return partOf(argument, 'EXPRESSION').every((made) => isShortIn(tree, made, depth));
}

function isShortColumn(tree: Sized, column: TreeNode, depth: number): boolean {
  const source = tree.byId.get(Number(/, source_id: (\d+)$/.exec(column.attributes)?.[1]));
  if (source === undefined || isPlain(column)) return source !== undefined;
  if (source.kind === 'TABLE' || source.kind === 'TABLE_FUNCTION') return spend(tree, COLUMN_COST);
  if (source.kind === 'QUERY') return isShortItem(tree, source, { column, depth });
  if (source.kind === 'UNION') {
    return partOf(source, 'QUERIES').every((query) => isShortIn(tree, query, depth));
  }
  if (source.kind === 'LAMBDA') {
    const [, ...arrays] = argumentsOf(callOf(source));
    return arrays.flatMap(elementsOf).every((made) => isShortIn(tree, made, depth));
  }
  if (source.kind === 'ARRAY_JOIN') {
    return partOf(source, 'JOIN EXPRESSIONS').every((joined) =>
      joined.children
        .flatMap((child) => child.children)
        .every((made) => isShortIn(tree, made, depth)),
    );
  }
  return false;
}

/** The item of a subquery that a column of it is. */
function isShortItem(
  tree: Sized,
  query: TreeNode,
  { column, depth }: { readonly column: TreeNode; readonly depth: number },
): boolean {
  const written = /column_name: (.*), source_id: \d+$/s.exec(column.attributes)?.[1];
  const line = written?.replace(', result_type: ', ' ');
  const lines = partOf(query, 'PROJECTION COLUMNS');
  const items = partOf(query, 'PROJECTION');
  const found = items.filter((_item, at) => lines[at]?.kind === line);
  // Names that are not told apart: each of the items has to be short.
  const isCertain = found.length === 1 && lines.length === items.length;
  return (isCertain ? found : items).every((item) => isShortIn(tree, item, depth));
}

/** The function that a lambda is an argument of. */
function callOf(lambda: TreeNode): TreeNode {
  return lambda.parent?.parent?.parent ?? lambda;
}

/** `groupArray(1000)(x)` and `arraySlice(xs, 1, 1000)`. */
function isCut(node: TreeNode): boolean {
  const name = attributeOf(node, 'function_name').toLowerCase();
  if (/^grouparray/.test(name)) {
    const [limit] = partOf(node, 'PARAMETERS');
    return limit !== undefined && numberOf(limit) <= SERIES_LENGTH;
  }
  if (/^(?:arraymap|arraysort|arrayslice|cast|_cast|tuple|arrayreverse)$/.test(name)) {
    const given = argumentsOf(node).filter(({ kind }) => kind !== 'LAMBDA');
    const length = name === 'arrayslice' ? given[2] : undefined;
    if (length !== undefined) return numberOf(length) <= SERIES_LENGTH;
    return given[0] !== undefined && stringOf(given[0]) === null && isCut(given[0]);
  }
  return false;
}
