/**
 * What may be passed where a function takes the name of a time zone, before anything is resolved: a name that the engine has,
 * as text or by an alias, or a variable. Pure.
 */
import { argumentsOf, stringOf, type TreeNode } from '../../../../sql/query-tree.ts';
import {
  functionName,
  mayBeEvaluatedEarly,
  meaningOf,
  scopeOf,
  type Tree,
} from '../parse/tree-names.ts';
import { type TimeZones, whyNotZone } from './types.ts';
import { isMarked, markedName } from './variable-marks.ts';

export interface ZoneContext {
  readonly zones: TimeZones;
  readonly tree: Tree;
  /** Names of the text's own variables. */
  readonly variables: ReadonlySet<string>;
  /** Collects those that have to be names of time zones. */
  readonly zoneVariables: Set<string>;
}

const ZONE_USAGE =
  "write its name, as 'Europe/Berlin', or give it as a variable of type String: neither a column nor an expression may name it";

/** Aliases of aliases; more are not followed. */
const MAX_DEPTH = 10;

export function whyNotZoneArgument(
  context: ZoneContext,
  argument: TreeNode,
  depth = 0,
): string | null {
  const text = stringOf(argument);
  if (text !== null) return whyNotZoneText(context, text);
  if (argument.kind === 'CONSTANT') return holdsText(argument) ? ZONE_USAGE : null;
  if (argument.kind !== 'IDENTIFIER') return ZONE_USAGE;
  return whyNotNamed(context, argument, { whyNot: whyNotZoneArgument, depth });
}

function whyNotZoneText(
  { zones, variables, zoneVariables }: ZoneContext,
  text: string,
): string | null {
  if (!isMarked(text) || !variables.has(markedName(text))) {
    return zones.has(text) ? null : whyNotZone(text);
  }
  zoneVariables.add(markedName(text));
  return null;
}

function holdsText(constant: TreeNode): boolean {
  return /String|Enum|Dynamic|Variant|JSON/.test(
    constant.attributes.replace(/^.*constant_value_type: /s, ''),
  );
}

/** What is checked of the nodes that a name refers to, and how many names led to it. */
interface Following {
  readonly whyNot: (context: ZoneContext, node: TreeNode, depth: number) => string | null;
  readonly depth: number;
}

/**
 * A name refers to the node that has it as an alias. In a scalar subquery, which the engine may evaluate before columns are
 * resolved, only an alias of the same SELECT does so for certain.
 */
function whyNotNamed(
  context: ZoneContext,
  identifier: TreeNode,
  { whyNot, depth }: Following,
): string | null {
  const meaning = meaningOf(context.tree, identifier);
  if (meaning.kind !== 'alias' || depth > MAX_DEPTH) return ZONE_USAGE;
  const scope = scopeOf(identifier);
  const isOwn = meaning.nodes.some((node) => scopeOf(node) === scope);
  if (!isOwn && mayBeEvaluatedEarly(identifier)) return ZONE_USAGE;
  const reasons = meaning.nodes.map((node) => whyNot(context, node, depth + 1));
  return reasons.find((reason) => reason !== null) ?? null;
}

/** Functions that return a time, a number or an interval, and never a text. */
export const valueFunctions =
  /^(?:to(?:date|datetime|datetime64|date32|datetime32|interval[a-z]+|u?int\d+|startof[a-z]+|monday)|now|now64|today|yesterday|plus|minus|multiply|divide|negate|makedate(?:time)?(?:64|32)?|(?:add|subtract)[a-z]+)$/;

export function whyNotZoneOrValue(
  context: ZoneContext,
  argument: TreeNode,
  depth = 0,
): string | null {
  if (argument.kind === 'FUNCTION') {
    const isValue = valueFunctions.test(functionName(argument)) || isCastToTime(argument);
    return isValue ? null : ZONE_USAGE;
  }
  if (argument.kind !== 'IDENTIFIER') return whyNotZoneArgument(context, argument);
  // A column is checked again in the resolved tree, where its type is known.
  const isColumn = meaningOf(context.tree, argument).kind === 'column';
  if (isColumn && !mayBeEvaluatedEarly(argument)) return null;
  return whyNotNamed(context, argument, { whyNot: whyNotZoneOrValue, depth });
}

function isCastToTime(node: TreeNode): boolean {
  const type = stringOf(argumentsOf(node)[1] ?? node) ?? '';
  return /^_?cast$/.test(functionName(node)) && /^(?:Date|DateTime|U?Int|Interval)/.test(type);
}
