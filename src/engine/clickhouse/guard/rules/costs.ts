/**
 * Some functions do not check the time limit while they process one row, so the engine cannot stop them. They are accepted
 * only if the query shows that their arguments are short. A string or an array counts as short if it is a literal, a variable
 * (whose value is checked at each run), a column of a table, or computed from these by length-preserving functions. Pure.
 */
import {
  argumentsOf,
  attributeOf,
  numberOf,
  partOf,
  stringOf,
  type TreeNode,
} from '../../../../sql/query-tree.ts';
import { type LexedText, positionOfName } from '../parse/lexed-text.ts';
import { ancestorWhere, callAround, functionName, type Tree } from '../parse/tree-names.ts';
import {
  lengthPreservingFunctions,
  memberFunctions,
  plainSearches,
  productFunctions,
  repeatedArguments,
  seriesFunctions,
  shortFunctions,
} from './arguments.ts';
import { elementsOf, growsEarly, isCutting, SHORT_BYTES } from './early-lengths.ts';
import { type GivenText, isTinyLiteral } from './tiny-literals.ts';

/** Maximum number of array elements for a series function. */
const SERIES_LENGTH = 1_000_000;
/** Maximum nesting of functions: each level may double a string. */
const MAX_DEPTH = 12;

interface Measure extends Tree {
  /** Maximum length of a constant that counts as short. */
  readonly bytes: number;
  /** Remaining budget for inputs: `concat(x, x, …)` in nested subqueries could make any string long. */
  readonly budget: { left: number };
}

/** Total cost of the inputs of one argument: a constant of the maximum length costs CONSTANT_COST, a column COLUMN_COST. */
const BUDGET = 128;
const COLUMN_COST = 4;
const CONSTANT_COST = 64;

function spend({ budget }: Measure, cost: number): boolean {
  budget.left -= cost;
  return budget.left >= 0;
}

function measure(tree: Tree, bytes: number): Measure {
  return { ...tree, bytes, budget: { left: BUDGET } };
}

/**
 * @param node node of the resolved tree.
 * @returns a sentence for the author, or null when nothing is wrong.
 */
export function refusalOfCost(node: TreeNode, tree: Tree, text: GivenText): string | null {
  return refusalBy(node, text, (argument, bytes) => isShortIn(measure(tree, bytes), argument, 0));
}

/**
 * The check before resolution, because resolution already evaluates constant expressions. Refuses only arguments that
 * are certain to become long.
 */
export function refusalOfEarlyCost(node: TreeNode, tree: Tree, lexed: LexedText): string | null {
  const isShort: IsShort = (argument, bytes) => !growsEarly(argument, { tree, lexed, bytes });
  return refusalBy(node, { lexed, given: [] }, isShort);
}

type IsShort = (argument: TreeNode, bytes: number) => boolean;

function refusalBy(node: TreeNode, text: GivenText, isShort: IsShort): string | null {
  if (node.kind !== 'FUNCTION') return null;
  const name = functionName(node);
  if (plainSearches.has(name) && argumentsOf(node).slice(0, 2).some(isTinyLiteral(text)))
    return null;
  const what = isLongMembership(node, name, isShort)
    ? `its array, or the one that its lambda iterates over, must be ${SHORT}`
    : wantedOf(name, argumentsOf(node), isShort);
  if (what === null) return null;
  const written = attributeOf(node, 'function_name');
  return `The function ${written}${positionOfName(text.lexed, written)} is not accepted in this form, because the engine cannot stop it: ${what}.`;
}

/** `arrayFilter(x -> has(a, x), b)` compares every pair of elements without checking the time limit. */
function isLongMembership(node: TreeNode, name: string, isShort: IsShort): boolean {
  const [array] = argumentsOf(node);
  if (!memberFunctions.has(name) || array === undefined) return false;
  const lambda = ancestorWhere(node, ({ kind }) => kind === 'LAMBDA');
  if (lambda === null || isShort(array, SHORT_BYTES)) return false;
  const around = argumentsOf(callAround(lambda) ?? lambda).filter(
    (argument) => argument !== lambda,
  );
  return around.length === 0 || !around.every((given) => isShort(given, SHORT_BYTES));
}

function wantedOf(name: string, given: readonly TreeNode[], isShort: IsShort): string | null {
  const product = productFunctions.get(name);
  if (product !== undefined) {
    const compared = product.positions.flatMap((position) => given[position] ?? []);
    const short = compared.filter((argument) => isShort(argument, product.bytes));
    const isEnough = product.short === 'one' ? short.length > 0 : short.length === compared.length;
    if (isEnough || compared.length < 2) return null;
    return product.short === 'one'
      ? `one of its arguments must be ${SHORT}`
      : `its arguments must be ${SHORT}`;
  }
  if (shortFunctions.has(name)) {
    const isFit = given.every((argument) => isShort(argument, SHORT_BYTES));
    return isFit ? null : `its arguments must be ${SHORT}`;
  }
  const series = seriesFunctions.has(name) ? given[0] : undefined;
  if (series === undefined || isShort(series, SHORT_BYTES) || isCut(series)) return null;
  return `limit its array, as in groupArray(${SERIES_LENGTH})(x)`;
}

const SHORT =
  'short: a literal, a variable, a column of a table, or an expression of these with simple functions, as in left(x, 1000)';

function isShortIn(tree: Measure, node: TreeNode, depth: number): boolean {
  if (depth > MAX_DEPTH || tree.budget.left < 0) return false;
  switch (node.kind) {
    case 'CONSTANT':
      // The tree's text of a constant is longer than its value, because it includes escapes and the type.
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

/** Types of fixed size. */
const PLAIN =
  /^(?:(?:Nullable|LowCardinality)\()*(?:U?Int\d+|B?Float\d+|Decimal|Bool|Date|DateTime|Time|Enum|UUID|IPv|Interval|FixedString)/;

/**
 * Every `result_type: ` must be followed by a plain type, since names chosen by the author may contain that text too.
 */
function isPlain({ attributes }: TreeNode): boolean {
  const [, ...types] = attributes.split('result_type: ');
  return types.length > 0 && types.every((type) => PLAIN.test(type));
}

const REPEATED_LENGTH = 16;
const REPEATED_COST = 40;

function repeatsLittle(tree: Measure, name: string, given: readonly TreeNode[]): boolean {
  const repeated = given[repeatedArguments.get(name) ?? given.length];
  if (repeated === undefined) return true;
  const text = stringOf(repeated);
  if (text === null || text.length > REPEATED_LENGTH) return false;
  return text.length <= 1 || spend(tree, REPEATED_COST);
}

function isShortResult(tree: Measure, node: TreeNode, depth: number): boolean {
  if (isPlain(node) || isCutting(node)) return true;
  const name = functionName(node);
  const given = argumentsOf(node);
  return (
    repeatsLittle(tree, name, given) &&
    lengthPreservingFunctions.has(name) &&
    given.every((argument) => isShortArgument(tree, argument, depth))
  );
}

/** A lambda counts as short if its result for one element is short. */
function isShortArgument(tree: Measure, argument: TreeNode, depth: number): boolean {
  if (argument.kind !== 'LAMBDA') return isShortIn(tree, argument, depth);
  return partOf(argument, 'EXPRESSION').every((made) => isShortIn(tree, made, depth));
}

function isShortColumn(tree: Measure, column: TreeNode, depth: number): boolean {
  const source = tree.byId.get(Number(/, source_id: (\d+)$/.exec(column.attributes)?.[1]));
  if (source === undefined || isPlain(column)) return source !== undefined;
  if (source.kind === 'TABLE' || source.kind === 'TABLE_FUNCTION') return spend(tree, COLUMN_COST);
  if (source.kind === 'QUERY') return isShortItem(tree, source, { column, depth });
  if (source.kind === 'UNION') {
    return partOf(source, 'QUERIES').every((query) => isShortIn(tree, query, depth));
  }
  if (source.kind === 'LAMBDA') {
    const [, ...arrays] = argumentsOf(callAround(source) ?? source);
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

/** Whether the column of a subquery is short: the item of its projection that the column refers to. */
function isShortItem(
  tree: Measure,
  query: TreeNode,
  { column, depth }: { readonly column: TreeNode; readonly depth: number },
): boolean {
  const written = /column_name: (.*), source_id: \d+$/s.exec(column.attributes)?.[1];
  const line = written?.replace(', result_type: ', ' ');
  const lines = partOf(query, 'PROJECTION COLUMNS');
  const items = partOf(query, 'PROJECTION');
  const found = items.filter((_item, at) => lines[at]?.kind === line);
  // If the name is ambiguous, every item must be short.
  const isCertain = found.length === 1 && lines.length === items.length;
  return (isCertain ? found : items).every((item) => isShortIn(tree, item, depth));
}

/** Whether the array's length is limited, as by `groupArray(1000)(x)` or `arraySlice(xs, 1, 1000)`. */
function isCut(node: TreeNode): boolean {
  const name = functionName(node);
  if (name.startsWith('grouparray')) {
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
