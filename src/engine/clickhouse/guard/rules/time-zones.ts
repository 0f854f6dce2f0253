/**
 * What may stand where a function takes the name of a time zone, before anything is resolved: a name that the engine has, as text
 * or by an alias, or a variable. Pure.
 */
import { argumentsOf, attributeOf, stringOf, type TreeNode } from '../../../../sql/query-tree.ts';
import { isInValue, meaningOf, scopeOf, type Tree } from '../parse/tree-names.ts';
import { type TimeZones, whyNotZone } from './types.ts';
import { isMarked, markedName } from './variable-marks.ts';

export interface ZoneJudge {
  readonly zones: TimeZones;
  readonly tree: Tree;
  /** Names of the text's own variables. */
  readonly variables: ReadonlySet<string>;
  /** Filled with those that have to be names of time zones. */
  readonly zoneVariables: Set<string>;
}

const ZONE_FORM =
  "write its name, as 'Europe/Berlin', or give it as a variable of type String: neither a column nor an expression may name it";

/** Aliases of aliases; more are not followed. */
const MAX_DEPTH = 10;

export function whyNotZoneArgument(judge: ZoneJudge, argument: TreeNode, depth = 0): string | null {
  const text = stringOf(argument);
  if (text !== null) return whyNotZoneText(judge, text);
  if (argument.kind === 'CONSTANT') return holdsText(argument) ? ZONE_FORM : null;
  if (argument.kind !== 'IDENTIFIER') return ZONE_FORM;
  return whyNotNamed(judge, argument, (node) => whyNotZoneArgument(judge, node, depth + 1), depth);
}

function whyNotZoneText(
  { zones, variables, zoneVariables }: ZoneJudge,
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

/**
 * A name stands for what has it as an alias. In a value, where the engine may evaluate before a column is told from it, only
 * an alias of the same SELECT does so for certain.
 */
function whyNotNamed(
  { tree }: ZoneJudge,
  identifier: TreeNode,
  whyNot: (node: TreeNode) => string | null,
  depth: number,
): string | null {
  const meaning = meaningOf(tree, identifier);
  if (meaning.kind !== 'alias' || depth > MAX_DEPTH) return ZONE_FORM;
  const scope = scopeOf(identifier);
  const isOwn = meaning.nodes.some((node) => scopeOf(node) === scope);
  if (!isOwn && isInValue(identifier)) return ZONE_FORM;
  return meaning.nodes.map(whyNot).find((reason) => reason !== null) ?? null;
}

/** What makes a time, a number or an interval of its arguments, and never a text. */
export const valueFunctions =
  /^(?:to(?:date|datetime|datetime64|date32|datetime32|interval[a-z]+|u?int\d+|startof[a-z]+|monday)|now|now64|today|yesterday|plus|minus|multiply|divide|negate|makedate(?:time)?(?:64|32)?|(?:add|subtract)[a-z]+)$/;

export function whyNotZoneOrValue(judge: ZoneJudge, argument: TreeNode, depth = 0): string | null {
  if (argument.kind === 'FUNCTION') {
    const name = attributeOf(argument, 'function_name').toLowerCase();
    return valueFunctions.test(name) || isCastToTime(argument) ? null : ZONE_FORM;
  }
  if (argument.kind !== 'IDENTIFIER') return whyNotZoneArgument(judge, argument);
  // What is a column here is looked at once more when its type is known.
  const isColumn = meaningOf(judge.tree, argument).kind === 'column';
  if (isColumn && !isInValue(argument)) return null;
  return whyNotNamed(judge, argument, (node) => whyNotZoneOrValue(judge, node, depth + 1), depth);
}

function isCastToTime(node: TreeNode): boolean {
  const name = attributeOf(node, 'function_name').toLowerCase();
  const type = stringOf(argumentsOf(node)[1] ?? node) ?? '';
  return /^_?cast$/.test(name) && /^(?:Date|DateTime|U?Int|Interval)/.test(type);
}
