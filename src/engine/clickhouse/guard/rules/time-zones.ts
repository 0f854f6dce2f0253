/**
 * Checks time zone arguments before names are resolved. Accepts a variable, and the name of a time zone known to the
 * engine as a literal or through an alias. Pure.
 */
import { argumentsOf, stringOf, type TreeNode } from '../../../../sql/query-tree.ts';
import { functionName, mayBeEvaluatedEarly, meaningOf, type Tree } from '../parse/tree-names.ts';
import { type TimeZones, whyNotZone } from './types.ts';
import { isMarked, markedName } from './variable-marks.ts';

export interface ZoneContext {
  readonly zones: TimeZones;
  readonly tree: Tree;
  /** Names of the text's own variables. */
  readonly variables: ReadonlySet<string>;
  /** Collects the variables whose values must be names of time zones. */
  readonly zoneVariables: Set<string>;
}

const ZONE_USAGE =
  "write its name, as in 'Europe/Berlin', or use a variable of type String, not a column or an expression";

/** Maximum length of a chain of aliases. */
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

/** The check for the nodes that a name refers to, and the number of names followed so far. */
interface Following {
  readonly whyNot: (context: ZoneContext, node: TreeNode, depth: number) => string | null;
  readonly depth: number;
}

/**
 * Checks the nodes that have the name as their alias. The engine may evaluate a scalar subquery before it resolves
 * columns; there, only an alias of the same SELECT certainly is what the name refers to.
 */
function whyNotNamed(
  context: ZoneContext,
  identifier: TreeNode,
  { whyNot, depth }: Following,
): string | null {
  const meaning = meaningOf(context.tree, identifier);
  if (meaning.kind !== 'alias' || depth > MAX_DEPTH) return ZONE_USAGE;
  if (!meaning.isOfSameSelect && mayBeEvaluatedEarly(context.tree, identifier)) return ZONE_USAGE;
  const reasons = meaning.nodes.map((node) => whyNot(context, node, depth + 1));
  return reasons.find((reason) => reason !== null) ?? null;
}

/** Functions that return a time, a number or an interval, never a string. */
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
  // Columns are checked in the resolved tree, where their types are known.
  const isColumn = meaningOf(context.tree, argument).kind === 'column';
  if (isColumn && !mayBeEvaluatedEarly(context.tree, argument)) return null;
  return whyNotNamed(context, argument, { whyNot: whyNotZoneOrValue, depth });
}

function isCastToTime(node: TreeNode): boolean {
  const type = stringOf(argumentsOf(node)[1] ?? node) ?? '';
  return /^_?cast$/.test(functionName(node)) && /^(?:Date|DateTime|U?Int|Interval)/.test(type);
}
