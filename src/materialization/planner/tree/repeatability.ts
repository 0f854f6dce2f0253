/** Whether a query gives the same result every time it runs on the same rows. */
import { attributeOf, type TreeNode } from '../../../sql/query-tree.ts';
import type { CatalogFunction } from '../../../sql/sql-analysis.ts';
import { refuse } from '../refusal.ts';
import type { AggregateNames } from '../text/aggregates.ts';
import {
  isNonDeterministic,
  isTimeFunction,
  refuseNonDeterministic,
  refuseTime,
} from '../text/determinism.ts';
import { isAggregate, isWindow } from './canonical-functions.ts';
import { hasPart, type Node, partOf, walk } from './canonical-node.ts';
import { isOrderInsensitive } from './order-insensitive.ts';
import { type GroupedRows, requireOrderInsensitiveAggregates } from './order-sensitivity.ts';
import { unorderedLimits } from './unordered-limits.ts';

interface Functions {
  readonly names: AggregateNames;
  readonly catalog: readonly CatalogFunction[];
}

/** Throws Refusal unless rerunning the query on the same rows gives the same result. */
export function requireRepeatable(
  original: Node,
  { names, catalog }: Functions,
  rows: GroupedRows,
): void {
  const listed = new Set(
    catalog.flatMap(({ name, isDeterministic }) =>
      isNonDeterministic(name, isDeterministic) ? [name.toLowerCase()] : [],
    ),
  );
  const isOther = (name: string) =>
    listed.has(name.toLowerCase()) || isNonDeterministic(name, null);
  requireDeterministicFunctions(original, '', isOther);
  requireOrderInsensitiveAggregates(original, names, rows);
  requireOrderedLimits(original, rows.checked);
  for (const node of walk(original)) requireOrderedWindow(node, names);
}

/** Throws TimeRefusal for the current time outside of WHERE. */
export function requireTimesInConditions(query: Node): void {
  requireDeterministicFunctions(query, '', () => false);
}

/** @param checked queries of which each sync checks that the rows which they may take are equal. */
function requireOrderedLimits(original: Node, checked: ReadonlySet<Node>): void {
  if (unorderedLimits(original).every(({ query }) => checked.has(query))) return;
  refuse(
    'A subquery, CTE or branch of UNION with LIMIT but without ORDER BY takes any rows; add an ORDER BY so that it takes the same each time.',
  );
}

/** @param part clause of the innermost enclosing query that reads a table. */
function requireDeterministicFunctions(
  node: Node,
  part: string,
  isOther: (name: string) => boolean,
): void {
  if (node.kind === 'FUNCTION' && !isAggregate(node) && !isWindow(node)) {
    if (isTimeFunction(node.name)) {
      if (part !== 'WHERE' && part !== 'PREWHERE') refuseTime(node.name);
    } else if (isOther(node.name)) {
      refuseNonDeterministic(node.name);
    }
  }
  const isOfTables = node.kind === 'QUERY' && readsTable(node);
  for (const arg of node.args) {
    const isOfQuery = isOfTables && arg.kind === 'part';
    requireDeterministicFunctions(arg, isOfQuery ? arg.name : part, isOther);
  }
}

/** Whether the node, or one within it, is the current time. */
export function usesTime(node: TreeNode): boolean {
  return isTimeFunction(attributeOf(node, 'function_name')) || node.children.some(usesTime);
}

/** False for `SELECT today() - 7`, whose value belongs where it is used. */
function readsTable(query: Node): boolean {
  for (const node of walk(query)) {
    const isSource = node.kind === 'TABLE' || node.kind === 'TABLE_FUNCTION';
    if (isSource && !/\bsystem\.one\b/.test(`${node.name} ${node.detail}`)) return true;
  }
  return false;
}

/** Functions for which rows without an order are peers. */
const RANK = /^(rank|dense_?rank|percent_?rank|cume_?dist)$/i;

/** Of neighboring rows; a frame of all rows is the same in any order. */
const FRAME_OF_ROWS =
  /frame_type: (ROWS|GROUPS)\b(?!, frame_begin_type: unbounded preceding, frame_end_type: unbounded following)/;

function requireOrderedWindow(node: Node, names: AggregateNames): void {
  if (!isWindow(node)) return;
  const windows = partOf(node, 'WINDOW');
  const base = names(node.name)?.base ?? node.name;
  const needsOrder =
    !(isOrderInsensitive(base) || RANK.test(base)) ||
    windows.some(({ detail }) => FRAME_OF_ROWS.test(detail));
  if (!needsOrder || windows.some((window) => hasPart(window, 'ORDER BY'))) return;
  refuse(
    `The window of ${node.name} has no ORDER BY, so that any row may be the first; write one into it.`,
  );
}
