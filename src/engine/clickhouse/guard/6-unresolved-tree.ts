/**
 * Checks the query tree before the engine resolves names or evaluates anything. Arguments that the engine interprets as types,
 * time zones, column lists or function names must be literals, because only literals can be checked here. Pure.
 */
import {
  argumentsOf,
  attributeOf,
  partOf,
  readQueryTree,
  stringOf,
  type TreeNode,
} from '../../../sql/query-tree.ts';
import { type LexedText, positionOfCall, positionOfName, UNREADABLE } from './parse/lexed-text.ts';
import { callAround, functionName, meaningOf, toTree } from './parse/tree-names.ts';
import {
  aggregateArguments,
  cuttingFunctions,
  formatArguments,
  growingFunctions,
  jodaFormatArguments,
  lengthPreservingFunctions,
  productFunctions,
  ringArguments,
  seriesFunctions,
  shortFunctions,
  structureArguments,
  typeArguments,
  zoneArguments,
  zoneOrValueArguments,
} from './rules/arguments.ts';
import { refusalOfEarlyCost } from './rules/costs.ts';
import { isLookUp, takesFunctions, testsEngine, whyNotCalled } from './rules/functions.ts';
import { whyNotRowFormat } from './rules/row-formats.ts';
import {
  valueFunctions,
  whyNotZoneArgument,
  whyNotZoneOrValue,
  type ZoneContext,
} from './rules/time-zones.ts';
import { type TimeZones, whyNotPath, whyNotStructure, whyNotType } from './rules/types.ts';
import { costRules } from './rules/variable-costs.ts';
import { isMarked } from './rules/variable-marks.ts';
import type { VariableRules } from './rules/variable-rules.ts';

export interface UnresolvedText {
  readonly lexed: LexedText;
  readonly zones: TimeZones;
  /** Names of the text's own variables. */
  readonly variables: ReadonlySet<string>;
  /** Dictionaries that the project is bound to. */
  readonly dictionaries?: readonly string[];
}

interface Context extends ZoneContext {
  readonly lexed: LexedText;
  readonly dictionaries?: readonly string[];
}

export interface Verdict {
  /** A sentence for the author, or null when the tree is accepted. */
  readonly refusal: string | null;
  readonly rules: VariableRules;
}

/** @param lines output of `EXPLAIN QUERY TREE run_passes = 0`, with `markedVariable` as the value of every String. */
export function checkUnresolvedTree(lines: readonly string[], text: UnresolvedText): Verdict {
  const nodes = readQueryTree(lines);
  if (nodes === null) return { refusal: UNREADABLE, rules: noRules };
  const context: Context = { ...text, zoneVariables: new Set(), tree: toTree(nodes) };
  for (const node of nodes) {
    const refusal = refusalOf(context, node);
    if (refusal !== null) return { refusal, rules: noRules };
  }
  return { refusal: null, rules: { zones: [...context.zoneVariables], ...costRules(nodes) } };
}

const noRules: VariableRules = { zones: [], short: new Map(), blockRows: null };

function refusalOf(context: Context, node: TreeNode): string | null {
  if (node.kind === 'FUNCTION') return refusalOfFunction(context, node);
  if (node.kind === 'TABLE_FUNCTION') return refusalOfTableFunction(context, node);
  if (node.kind === 'IDENTIFIER') return refusalOfPassed(context, node);
  if (node.kind === 'LAMBDA') return refusalOfLambdaName(node, context.lexed);
  return null;
}

/** Refuses a lambda named like a checked function, because its calls would be checked as calls of that function. */
function refusalOfLambdaName(node: TreeNode, lexed: LexedText): string | null {
  const alias = attributeOf(node, 'alias');
  const name = alias.toLowerCase();
  const isTaken =
    hasCheckedArguments(name) ||
    lengthPreservingFunctions.has(name) ||
    cuttingFunctions.has(name) ||
    growingFunctions.test(name) ||
    valueFunctions.test(name);
  return isTaken
    ? `The lambda ${alias}${positionOfName(lexed, alias)} has the name of a function; rename it.`
    : null;
}

/** Which arguments are checked, how, and what messages call them. */
const checks: readonly {
  readonly positions: ReadonlyMap<string, readonly number[]>;
  readonly what: string;
  readonly whyNot: (context: Context, argument: TreeNode) => string | null;
}[] = [
  { positions: typeArguments, what: 'type', whyNot: whyNotTypeArgument },
  { positions: zoneArguments, what: 'time zone', whyNot: whyNotZoneArgument },
  { positions: zoneOrValueArguments, what: 'time zone', whyNot: whyNotZoneOrValue },
  { positions: jodaFormatArguments, what: 'format', whyNot: whyNotJodaFormat },
  { positions: formatArguments, what: 'format', whyNot: whyNotFormat },
  { positions: aggregateArguments, what: 'aggregate function', whyNot: whyNotAggregate },
  { positions: ringArguments, what: 'size', whyNot: whyNotRing },
];

function refusalOfFunction(context: Context, node: TreeNode): string | null {
  const written = attributeOf(node, 'function_name');
  const reason = whyNotCalled(written, context.dictionaries);
  // Lazy, because finding the position reads every token and is needed only for refusals.
  const position = () => positionOfCall(context.lexed, written);
  if (isExactTest(node))
    return `The method of ${written}${position()} is not accepted: ${NOT_EXACT}.`;
  if (reason !== null) return `The function ${written}${position()} is not accepted: ${reason}.`;
  const name = written.toLowerCase();
  const given = argumentsOf(node);
  // The only argument that is checked is the first: what follows may be any columns.
  const fixed = formatArguments.has(name) ? given.slice(0, 1) : given;
  if (hasCheckedArguments(name) && fixed.some((argument) => isSeveral(context, argument))) {
    return `The arguments of ${written}${position()} are not accepted: write each argument separately, without *, COLUMNS or untuple, which expand to any number of arguments. For several columns, write * APPLY(x -> ${written}(x, …)).`;
  }
  const cost = refusalOfEarlyCost(node, context.tree, context.lexed);
  if (cost !== null) return cost;
  if (isLookUp(name)) {
    const refused = isApplied(node) ? BY_NAME : whyNotDictionary(context, given[0]);
    if (refused !== null)
      return `The dictionary of ${written}${position()} is not accepted: ${refused}.`;
  }
  for (const { positions, what, whyNot } of checks) {
    for (const index of positions.get(name) ?? []) {
      // APPLY(f) passes the column as the only argument, so the checked argument is not in the tree.
      if (isApplied(node) && index <= 0) {
        return `The function ${written}${position()} cannot be applied to columns by name only.`;
      }
      const argument = given.at(index);
      const refused = argument === undefined ? null : whyNot(context, argument);
      if (refused !== null)
        return `The ${what} of ${written}${position()} is not accepted: ${refused}.`;
    }
  }
  return null;
}

function hasCheckedArguments(name: string): boolean {
  return (
    isLookUp(name) ||
    checks.some(({ positions }) => positions.has(name)) ||
    productFunctions.has(name) ||
    shortFunctions.has(name) ||
    seriesFunctions.has(name)
  );
}

/** Whether the engine expands it into several arguments, which would shift later positions. */
function isSeveral({ tree }: Context, argument: TreeNode): boolean {
  const seen = new Set<TreeNode>();
  const look = (node: TreeNode): boolean => {
    if (node.kind === 'MATCHER') return true;
    if (functionName(node) === 'untuple') return true;
    if (node.kind !== 'IDENTIFIER' || seen.has(node)) return false;
    seen.add(node);
    const meaning = meaningOf(tree, node);
    return meaning.kind === 'alias' && meaning.nodes.some(look);
  };
  return look(argument);
}

const NOT_EXACT =
  "it must be written in the query as 'asymp' or 'auto', because the engine cannot stop the exact method";

function isExactTest(node: TreeNode): boolean {
  if (!functionName(node).startsWith('kolmogorovsmirnovtest')) return false;
  const method = partOf(node, 'PARAMETERS')[1];
  return method !== undefined && !/^(?:auto|asymp|asymptotic)$/.test(stringOf(method) ?? '');
}

function isApplied({ parent }: TreeNode): boolean {
  return parent?.kind === 'EXPRESSION' && parent.parent?.kind === 'APPLY COLUMN TRANSFORMER';
}

/** A function passed by name, as in `arrayMap(f, …)`, is called with arguments that the tree does not show. */
function refusalOfPassed({ lexed }: Context, node: TreeNode): string | null {
  const taker = callAround(node);
  if (taker?.kind !== 'FUNCTION' || argumentsOf(taker)[0] !== node) return null;
  if (!takesFunctions.has(functionName(taker))) return null;
  const name = attributeOf(node, 'identifier');
  if (!checks.some(({ positions }) => positions.has(name.toLowerCase()))) return null;
  return `The function ${name}${positionOfName(lexed, name)} cannot be passed to ${attributeOf(taker, 'function_name')} by name only; write a lambda, as in x -> ${name}(x).`;
}

const BY_NAME = 'the function must be called with all of its arguments, not passed by name';

/**
 * Must be exactly a name that the project is bound to: the engine would resolve others to dictionaries of its own
 * configuration.
 */
function whyNotDictionary(
  { dictionaries = [] }: Context,
  argument: TreeNode | undefined,
): string | null {
  const name = argument === undefined ? null : literalOf(argument);
  if (name === null) return NOT_LITERAL;
  return dictionaries.includes(name) ? null : `the project is bound to ${dictionaries.join(', ')}`;
}

const NOT_LITERAL = 'it must be written in the query as a string literal';

/** The value of a string literal; null for a variable or a computed value. */
function literalOf(argument: TreeNode): string | null {
  const text = stringOf(argument);
  return text === null || isMarked(text) ? null : text;
}

function whyNotTypeArgument({ zones }: Context, argument: TreeNode): string | null {
  // An index, as in variantElement(x, 1).
  if (argument.kind === 'CONSTANT' && stringOf(argument) === null) return null;
  const text = literalOf(argument);
  if (text === null) return NOT_LITERAL;
  // getSubcolumn and similar functions take a path, which quotes types.
  return whyNotType(text, zones) ?? whyNotPath(text, zones);
}

function whyNotJodaFormat(_context: Context, argument: TreeNode): string | null {
  const text = literalOf(argument);
  if (text === null) return NOT_LITERAL;
  return text.replace(/'[^']*'/g, '').includes('z')
    ? 'z would take the time zone from the parsed text; use Z, the offset, or the last argument of the function'
    : null;
}

function whyNotFormat(_context: Context, argument: TreeNode): string | null {
  const text = literalOf(argument);
  return text === null ? NOT_LITERAL : whyNotRowFormat(text);
}

const MAX_RINGS = 100;

/** A variable never matches: in the tree it is a CAST, not a number. */
function whyNotRing(_context: Context, argument: TreeNode): string | null {
  const size = /^(?:alias: [^,]*, )?constant_value: UInt64_(\d+),/.exec(argument.attributes)?.[1];
  return size !== undefined && Number(size) <= MAX_RINGS
    ? null
    : `it must be written in the query as a number up to ${MAX_RINGS}`;
}

function whyNotAggregate(_context: Context, argument: TreeNode): string | null {
  const text = literalOf(argument);
  if (text === null) return NOT_LITERAL;
  const name = /^\w*/.exec(text.trim())?.[0] ?? '';
  return whyNotCalled(name) ?? (/^aggthrow/i.test(name) ? testsEngine : null);
}

function refusalOfTableFunction({ lexed, zones }: Context, node: TreeNode): string | null {
  const written = attributeOf(node, 'table_function_name');
  const given = argumentsOf(node);
  for (const index of structureArguments.get(written.toLowerCase()) ?? []) {
    const argument = given[index];
    if (argument === undefined) continue;
    const mayBeRow = /^values$/i.test(written) && isRow(argument);
    if (stringOf(argument) === null && (argument.kind === 'CONSTANT' || mayBeRow)) continue;
    const text = literalOf(argument);
    const reason = text === null ? NOT_LITERAL : whyNotStructure(text, zones);
    if (reason !== null)
      return `The columns of ${written}${positionOfName(lexed, written)} are not accepted: ${reason}.`;
  }
  return null;
}

/** A row of `values((1, now()))`, as opposed to its column list. */
function isRow(node: TreeNode): boolean {
  const name = functionName(node);
  return /^(?:tuple|array|to(?:float|decimal)\d+|touuid)$/.test(name) || valueFunctions.test(name);
}
