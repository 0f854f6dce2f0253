/**
 * The wall between the syntax tree and the analyzer: it reads the query tree of the text before anything is resolved or
 * evaluated, and names arguments that the engine would take for more than values: types, time zones, lists of columns,
 * names of functions. They have to be written in the query, where they can be judged. Pure.
 */
import {
  argumentsOf,
  attributeOf,
  partOf,
  readQueryTree,
  stringOf,
  type TreeNode,
} from '../../../sql/query-tree.ts';
import {
  isSymbol,
  type LexedText,
  nameAt,
  placeOfName,
  placeWhere,
  UNREADABLE,
} from './3-tokens.ts';
import { meaningOf, toTree } from './parse/tree-names.ts';
import {
  aggregateArguments,
  cuttingFunctions,
  growingFunctions,
  jodaFormatArguments,
  keepingFunctions,
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
import { takesFunctions, whyNotCalled } from './rules/functions.ts';
import {
  valueFunctions,
  whyNotZoneArgument,
  whyNotZoneOrValue,
  type ZoneJudge,
} from './rules/time-zones.ts';
import { type TimeZones, whyNotPath, whyNotStructure, whyNotType } from './rules/types.ts';
import { costRules } from './rules/variable-costs.ts';
import { isMarked } from './rules/variable-marks.ts';
import type { VariableRules } from './rules/variable-rules.ts';

export interface TreeVerdict {
  /** A sentence for the author, or null when nothing is wrong. */
  readonly refusal: string | null;
  readonly rules: VariableRules;
}

/** @param lines of `EXPLAIN QUERY TREE run_passes = 0`, with `markedVariable` as the value of every String. */
export function judgeTree(lines: readonly string[], judged: Judged): TreeVerdict {
  const nodes = readQueryTree(lines);
  if (nodes === null) return { refusal: UNREADABLE, rules: noRules };
  const judge: Judge = { ...judged, zoneVariables: new Set(), tree: toTree(nodes) };
  for (const node of nodes) {
    const refusal = refusalOf(judge, node);
    if (refusal !== null) return { refusal, rules: noRules };
  }
  return { refusal: null, rules: { zones: [...judge.zoneVariables], ...costRules(nodes) } };
}

const noRules: VariableRules = { zones: [], short: new Map(), blockRows: null };

export interface Judged {
  readonly lexed: LexedText;
  readonly zones: TimeZones;
  /** Names of the text's own variables. */
  readonly variables: ReadonlySet<string>;
}

interface Judge extends ZoneJudge {
  readonly lexed: LexedText;
}

function refusalOf(judge: Judge, node: TreeNode): string | null {
  if (node.kind === 'FUNCTION') return refusalOfFunction(judge, node);
  if (node.kind === 'TABLE_FUNCTION') return refusalOfTableFunction(judge, node);
  if (node.kind === 'IDENTIFIER') return refusalOfPassed(judge, node);
  if (node.kind === 'LAMBDA') return refusalOfLambdaName(node, judge.lexed);
  return null;
}

/** A lambda called as a function of the engine would be taken for that one. */
function refusalOfLambdaName(node: TreeNode, lexed: LexedText): string | null {
  const alias = attributeOf(node, 'alias');
  const name = alias.toLowerCase();
  const isTaken =
    isLookedAt(name) ||
    keepingFunctions.has(name) ||
    cuttingFunctions.has(name) ||
    growingFunctions.test(name) ||
    valueFunctions.test(name);
  return isTaken
    ? `The lambda ${alias}${placeOfName(lexed, alias)} has the name of a function; give it another name.`
    : null;
}

type Check = (judge: Judge, argument: TreeNode) => string | null;

/** What is looked at in which arguments, and what such an argument is called. */
const checks: readonly {
  readonly positions: ReadonlyMap<string, readonly number[]>;
  readonly what: string;
  readonly whyNot: Check;
}[] = [
  { positions: typeArguments, what: 'type', whyNot: whyNotTypeArgument },
  {
    positions: zoneArguments,
    what: 'time zone',
    whyNot: (judge, node) => whyNotZoneArgument(judge, node),
  },
  {
    positions: zoneOrValueArguments,
    what: 'time zone',
    whyNot: (judge, node) => whyNotZoneOrValue(judge, node),
  },
  { positions: jodaFormatArguments, what: 'format', whyNot: whyNotJodaFormat },
  { positions: aggregateArguments, what: 'aggregate function', whyNot: whyNotAggregate },
  { positions: ringArguments, what: 'size', whyNot: whyNotRing },
];

function refusalOfFunction(judge: Judge, node: TreeNode): string | null {
  const written = attributeOf(node, 'function_name');
  const called = whyNotCalled(written);
  // Looked for only where there is something to say: it reads every token.
  const place = () => placeOfCall(judge.lexed, written);
  if (isExactTest(node)) return `The method of ${written}${place()} is not accepted: ${NOT_EXACT}.`;
  if (called !== null) return `The function ${written}${place()} is not accepted: ${called}.`;
  const name = written.toLowerCase();
  const given = argumentsOf(node);
  if (isLookedAt(name) && given.some((argument) => isSeveral(judge, argument))) {
    return `The arguments of ${written}${place()} are not accepted: write each by itself; *, COLUMNS and untuple stand for any number of them. For several columns write * APPLY(x -> ${written}(x, …)).`;
  }
  const cost = refusalOfEarlyCost(node, judge.tree, judge.lexed);
  if (cost !== null) return cost;
  for (const { positions, what, whyNot } of checks) {
    for (const position of positions.get(name) ?? []) {
      // APPLY(f) gives the column as the only argument.
      if (isApplied(node) && position <= 0) {
        return `The function ${written}${place()} cannot be applied to columns by its name alone.`;
      }
      const argument = given.at(position);
      const reason = argument === undefined ? null : whyNot(judge, argument);
      if (reason !== null) return `The ${what} of ${written}${place()} is not accepted: ${reason}.`;
    }
  }
  return null;
}

function isLookedAt(name: string): boolean {
  return (
    checks.some(({ positions }) => positions.has(name)) ||
    productFunctions.has(name) ||
    shortFunctions.has(name) ||
    seriesFunctions.has(name)
  );
}

/** The engine puts any number of arguments in its place, and moves those behind it. */
function isSeveral({ tree }: Judge, argument: TreeNode): boolean {
  const seen = new Set<TreeNode>();
  const look = (node: TreeNode): boolean => {
    if (node.kind === 'MATCHER') return true;
    if (attributeOf(node, 'function_name').toLowerCase() === 'untuple') return true;
    if (node.kind !== 'IDENTIFIER' || seen.has(node)) return false;
    seen.add(node);
    const meaning = meaningOf(tree, node);
    return meaning.kind === 'alias' && meaning.nodes.some(look);
  };
  return look(argument);
}

/** `x::T` is a CAST. */
export function placeOfCall(lexed: LexedText, name: string): string {
  const place = placeOfName(lexed, name);
  if (place !== '' || !/cast$/i.test(name)) return place;
  const isCast = (text: LexedText, at: number) =>
    (isSymbol(text, at, ':') && isSymbol(text, at + 1, ':')) ||
    nameAt(text, at).toUpperCase() === 'CAST';
  return placeWhere(lexed, isCast);
}

const NOT_EXACT =
  "it has to be written in the query as 'asymp' or 'auto', since the engine cannot stop the exact one";

function isExactTest(node: TreeNode): boolean {
  if (!/^kolmogorovsmirnovtest/i.test(attributeOf(node, 'function_name'))) return false;
  const method = partOf(node, 'PARAMETERS')[1];
  return method !== undefined && !/^(?:auto|asymp|asymptotic)$/.test(stringOf(method) ?? '');
}

function isApplied(node: TreeNode): boolean {
  return (
    node.parent?.kind === 'EXPRESSION' && node.parent.parent?.kind === 'APPLY COLUMN TRANSFORMER'
  );
}

/** A function that another one is given by its bare name, as in arrayMap(f, …), gets arguments that nobody sees. */
function refusalOfPassed({ lexed }: Judge, node: TreeNode): string | null {
  const taker = node.parent?.parent?.parent;
  if (taker?.kind !== 'FUNCTION' || argumentsOf(taker)[0] !== node) return null;
  if (!takesFunctions.has(attributeOf(taker, 'function_name').toLowerCase())) return null;
  const name = attributeOf(node, 'identifier');
  if (!checks.some(({ positions }) => positions.has(name.toLowerCase()))) return null;
  return `The function ${name}${placeOfName(lexed, name)} cannot be given to ${attributeOf(taker, 'function_name')} by its name alone; write it as in x -> ${name}(x).`;
}

function whyNotTypeArgument({ zones }: Judge, argument: TreeNode): string | null {
  const text = stringOf(argument);
  // An index into a tuple or a JSON path, as variantElement(x, 1).
  if (argument.kind === 'CONSTANT' && text === null) return null;
  if (text === null || isMarked(text)) return 'it has to be written in the query, as text';
  // getSubcolumn and the like take a path, in which a type stands in quotes of its own.
  return whyNotType(text, zones) ?? whyNotPath(text, zones);
}

function whyNotJodaFormat(_judge: Judge, argument: TreeNode): string | null {
  const text = stringOf(argument);
  if (text === null || isMarked(text)) return 'it has to be written in the query, as text';
  const bare = text.replace(/'[^']*'/g, '');
  return bare.includes('z')
    ? 'z would take the time zone from the text that is read; use Z, the offset, or the function’s last argument'
    : null;
}

const MAX_RINGS = 100;

/** A variable is bound by a CAST to its type, so it is no plain number here. */
function whyNotRing(_judge: Judge, argument: TreeNode): string | null {
  const size = /^(?:alias: [^,]*, )?constant_value: UInt64_(\d+),/.exec(argument.attributes)?.[1];
  return size !== undefined && Number(size) <= MAX_RINGS
    ? null
    : `it has to be written in the query, as a number up to ${MAX_RINGS}`;
}

function whyNotAggregate(_judge: Judge, argument: TreeNode): string | null {
  const text = stringOf(argument);
  if (text === null || isMarked(text)) return 'it has to be written in the query, as text';
  const name = /^\w*/.exec(text.trim())?.[0] ?? '';
  return whyNotCalled(name) ?? (/^aggthrow/i.test(name) ? 'it is there to test the engine' : null);
}

function refusalOfTableFunction({ lexed, zones }: Judge, node: TreeNode): string | null {
  const written = attributeOf(node, 'table_function_name');
  const given = argumentsOf(node);
  for (const position of structureArguments.get(written.toLowerCase()) ?? []) {
    const argument = given[position];
    if (argument === undefined) continue;
    const text = stringOf(argument);
    const mayBeRow = /^values$/i.test(written) && isRow(argument);
    if (text === null && (argument.kind === 'CONSTANT' || mayBeRow)) continue;
    const reason =
      text === null || isMarked(text)
        ? 'it has to be written in the query, as text'
        : whyNotStructure(text, zones);
    if (reason !== null)
      return `The columns of ${written}${placeOfName(lexed, written)} are not accepted: ${reason}.`;
  }
  return null;
}

/** `values((1, now()))`: a row, of which no list of columns can come. */
function isRow(node: TreeNode): boolean {
  const name = attributeOf(node, 'function_name').toLowerCase();
  return /^(?:tuple|array|to(?:float|decimal)\d+|touuid)$/.test(name) || valueFunctions.test(name);
}
