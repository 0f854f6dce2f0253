/** The wall behind the analyzer: what it made of the names, functions, tables and types of a text. Pure. */
import {
  argumentsOf,
  attributeOf,
  readQueryTree,
  stringOf,
  type TreeNode,
} from '../../../sql/query-tree.ts';
import { type LexedText, UNREADABLE } from './3-tokens.ts';
import { placeOfCall } from './6-unresolved-tree.ts';
import { toTree } from './parse/tree-names.ts';
import { zoneArguments, zoneOrValueArguments } from './rules/arguments.ts';
import { refusalOfCost } from './rules/costs.ts';
import { refusalOfState } from './rules/states.ts';
import type { TimeZones } from './rules/types.ts';

interface Checked {
  readonly lexed: LexedText;
  readonly zones: TimeZones;
}

/**
 * @param lines of `EXPLAIN QUERY TREE`, resolved.
 * @returns a sentence for the author, or null when nothing is wrong.
 */
export function refusalOfResolvedTree(
  lines: readonly string[],
  { lexed, zones }: Checked,
): string | null {
  const nodes = readQueryTree(lines);
  if (nodes === null) return UNREADABLE;
  const tree = toTree(nodes);
  for (const node of nodes) {
    const refusal =
      refusalOfCost(node, tree, lexed) ??
      refusalOfState(node, lexed) ??
      refusalOfZones(node, { lexed, zones });
    if (refusal !== null) return refusal;
  }
  return null;
}

/** A name that seemed to stand for a constant may have turned out to be a column. */
function refusalOfZones(node: TreeNode, { lexed, zones }: Checked): string | null {
  if (node.kind !== 'FUNCTION') return null;
  const written = attributeOf(node, 'function_name');
  const name = written.toLowerCase();
  const positions = [...(zoneArguments.get(name) ?? []), ...(zoneOrValueArguments.get(name) ?? [])];
  for (const position of positions) {
    const argument = argumentsOf(node)[position];
    if (argument === undefined || !mayBeText(argument) || isKnownZone(argument, zones)) continue;
    return `The time zone of ${written}${placeOfCall(lexed, written)} is not accepted: it is the name of one, as text in the query or as a variable; neither a column nor an expression.`;
  }
  return null;
}

function mayBeText({ kind, attributes }: TreeNode): boolean {
  if (kind === 'LAMBDA') return false;
  return /(?:result_type|constant_value_type): (?:.*\b)?(?:String|FixedString|Enum|Variant|Dynamic|Nothing)\b/s.test(
    attributes,
  );
}

/** `materialize` is put around variables while columns are described. */
function isKnownZone(argument: TreeNode, zones: TimeZones): boolean {
  const inner =
    attributeOf(argument, 'function_name') === 'materialize' ? argumentsOf(argument)[0] : argument;
  const text = inner === undefined ? null : stringOf(inner);
  return text !== null && zones.has(text);
}
