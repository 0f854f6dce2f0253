/**
 * Checks what the engine's analyzer made of a text: tables, functions, types and time zones by their resolved names.
 * Pure.
 */
import { storedTablePrefix } from '../../../model/materialization-state.ts';
import { argumentsOf, attributeOf, stringOf, type TreeNode } from '../../../sql/query-tree.ts';
import type { ProjectPlace } from '../../project-place.ts';
import {
  isReadable,
  onlyTablesOf,
  refusalOfFunction,
  refusalOfTableFunction,
} from './5-syntax-tree.ts';
import { positionOfCall, UNREADABLE } from './parse/lexed-text.ts';
import { functionName, toTree } from './parse/tree-names.ts';
import { zoneArguments, zoneOrValueArguments } from './rules/arguments.ts';
import { refusalOfComparison } from './rules/comparisons.ts';
import { refusalOfCorrelated } from './rules/correlated.ts';
import { refusalOfCost } from './rules/costs.ts';
import { refusalOfDistinctEnd } from './rules/distinct-ends.ts';
import { refusalOfFailingClause } from './rules/failing-clauses.ts';
import { isLookUp, whyNotResolved } from './rules/functions.ts';
import { refusalOfGrouping } from './rules/grouping.ts';
import { refusalOfLength } from './rules/lengths.ts';
import { refusalOfPartOfSecond } from './rules/parts-of-seconds.ts';
import { refusalOfSearchedList } from './rules/searched-lists.ts';
import { refusalOfSearchedText } from './rules/searched-texts.ts';
import { refusalOfSearchedNull } from './rules/searched-values.ts';
import { refusalOfSet, type SearchedTables } from './rules/sets.ts';
import { refusalOfState } from './rules/states.ts';
import { refusalOfSummed, type SummedTables } from './rules/summed-tables.ts';
import type { GivenText } from './rules/tiny-literals.ts';
import type { TimeZones } from './rules/types.ts';
import { refusalOfWindow } from './rules/windows.ts';

export interface ResolvedText extends GivenText {
  readonly place: ProjectPlace;
  readonly zones: TimeZones;
  readonly searched: SearchedTables;
  readonly summed: SummedTables;
}

/**
 * @param nodes nodes of `EXPLAIN QUERY TREE`; null when the output is not a tree.
 * @returns a sentence for the author, or null when the tree is accepted.
 */
export function refusalOfResolvedTree(
  nodes: readonly TreeNode[] | null,
  text: ResolvedText,
): string | null {
  const [root] = nodes ?? [];
  if (nodes === null || root?.id !== 0 || !/^(?:QUERY|UNION)$/.test(root.kind)) return UNREADABLE;
  const tree = toTree(nodes);
  return (
    firstRefusal(nodes, (node) => refusalOfNames(node, text)) ??
    firstRefusal(
      nodes,
      (node) =>
        refusalOfCost(node, tree, text) ??
        refusalOfState(node, text.lexed) ??
        refusalOfZones(node, text) ??
        refusalOfDictionary(node, text) ??
        refusalOfComparison(node, text.lexed) ??
        refusalOfSet(node, text) ??
        refusalOfSearchedText(node, text.lexed) ??
        refusalOfSearchedList(node, text.lexed) ??
        refusalOfSearchedNull(node, text.lexed) ??
        refusalOfLength(node, text.lexed) ??
        refusalOfPartOfSecond(node, text.lexed) ??
        refusalOfCorrelated(node, text.lexed) ??
        refusalOfWindow(node, text.lexed) ??
        refusalOfFailingClause(node, text.lexed) ??
        refusalOfGrouping(node, text.lexed) ??
        refusalOfDistinctEnd(node),
    ) ??
    refusalOfSummed(nodes, text.summed, text.lexed)
  );
}

function firstRefusal(
  nodes: readonly TreeNode[],
  check: (node: TreeNode) => string | null,
): string | null {
  for (const node of nodes) {
    const refusal = check(node);
    if (refusal !== null) return refusal;
  }
  return null;
}

/** The table that the engine reads for `SELECT 1`, and temporary tables that it creates for a recursive query. */
const ENGINES_OWN = /^(?:system\.one|_temporary_and_external_tables\._tmp_[\w-]+)$/;

const FORGED = /^(?:FUNCTION|TABLE_FUNCTION|TABLE) id: \d/;
const nameAttributes: Readonly<Record<string, RegExp>> = {
  FUNCTION: /\bfunction_name: ([^,]+)/g,
  TABLE_FUNCTION: /\btable_function_name: ([^,]+)/g,
  // Matches to the end, because a database name may contain a comma.
  TABLE:
    /\btable_name: (.+?)(?=, (?:table_name|temporary_table_name|table_expression_modifiers): |$)/gs,
};

/** Checks every match in the attributes, because a type among them may contain the author's text. */
function refusalOfNames(node: TreeNode, text: ResolvedText): string | null {
  if (node.id === null) return FORGED.test(node.kind) ? UNREADABLE : null;
  const pattern = nameAttributes[node.kind];
  if (pattern === undefined) return null;
  const names = [...node.attributes.matchAll(pattern)].map((match) => match[1] ?? '');
  if (names.length === 0) return UNREADABLE;
  for (const name of names) {
    const refusal = refusalOfNamed(node.kind, name, text);
    if (refusal !== null) return refusal;
  }
  return null;
}

function refusalOfNamed(kind: string, name: string, text: ResolvedText): string | null {
  if (kind === 'FUNCTION')
    return refusalOfFunction(name, whyNotResolved(name, text.place.dictionaries), text.lexed);
  if (kind === 'TABLE_FUNCTION') return refusalOfTableFunction(name, text.lexed);
  return ENGINES_OWN.test(name) || isOfPlace(name, text.place) ? null : onlyTablesOf(text.place);
}

/**
 * In a bound database a table with a dot in its name is refused: the dump would show it as a table of another database.
 */
function isOfPlace(name: string, place: ProjectPlace): boolean {
  if (!place.isBound) return place.databases.some((database) => name.startsWith(`${database}.`));
  const [database = '', table = '', ...more] = name.split('.');
  if (table === '' || more.length > 0) return false;
  const isStored = database === place.stored && table.startsWith(storedTablePrefix);
  return isStored || isReadable(place, database);
}

/** The dictionary's name was a literal before names were resolved, and must still be one. */
function refusalOfDictionary(node: TreeNode, { lexed, place }: ResolvedText): string | null {
  const written = attributeOf(node, 'function_name');
  if (node.kind !== 'FUNCTION' || !isLookUp(written)) return null;
  const [argument] = argumentsOf(node);
  const name = argument === undefined ? null : stringOf(argument);
  if (name !== null && place.dictionaries.includes(name)) return null;
  return `The dictionary of ${written}${positionOfCall(lexed, written)} is not accepted.`;
}

/** A name that looked like a constant may have been resolved to a column. */
function refusalOfZones(node: TreeNode, { lexed, zones }: ResolvedText): string | null {
  if (node.kind !== 'FUNCTION') return null;
  const name = functionName(node);
  const positions = [...(zoneArguments.get(name) ?? []), ...(zoneOrValueArguments.get(name) ?? [])];
  for (const position of positions) {
    const argument = argumentsOf(node)[position];
    if (argument === undefined || !mayBeText(argument) || isZone(argument, zones)) continue;
    const written = attributeOf(node, 'function_name');
    return `The time zone of ${written}${positionOfCall(lexed, written)} is not accepted: it must be the name of a time zone, as a string literal or a variable, not a column or an expression.`;
  }
  return null;
}

function mayBeText({ kind, attributes }: TreeNode): boolean {
  if (kind === 'LAMBDA') return false;
  return /(?:result_type|constant_value_type): (?:.*\b)?(?:String|FixedString|Enum|Variant|Dynamic|Nothing)\b/s.test(
    attributes,
  );
}

/** Variables are wrapped in `materialize` when columns are described. */
function isZone(argument: TreeNode, zones: TimeZones): boolean {
  const inner =
    attributeOf(argument, 'function_name') === 'materialize' ? argumentsOf(argument)[0] : argument;
  const text = inner === undefined ? null : stringOf(inner);
  return text !== null && zones.has(text);
}
